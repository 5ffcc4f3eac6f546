/** `/auth/oauth`: signing in with a provider. */
import { type Context, Hono } from "hono";
import { createMiddleware } from "hono/factory";
import { sha256Hex } from "../../platform/crypto/encoding";
import { notFound, orNotFound } from "../../platform/errors";
import { clientContextOf } from "../../platform/http/client-context";
import { deleteOwnCookie, getOwnCookie, setOwnCookie } from "../../platform/http/cookies";
import type { AppEnv } from "../../platform/http/env";
import { requires } from "../../platform/http/operation";
import { originOf } from "../../platform/http/origin";
import { limit } from "../../platform/http/rate-limit";
import { describeRoute, documented } from "../../platform/http/route-docs";
import { body, query } from "../../platform/http/validate";
import { dataOf } from "../../platform/schemas/schemas";
import { tokenPair } from "../sessions/schemas";
import { exchange } from "../sign-in/schemas";
import { CODE_EXCHANGE } from "./access";
import { FlowError } from "./failure";
import { handleCallback, startAuthorization } from "./flow";
import { linkIdentity } from "./link";
import { FLOW_COOKIE, findProvider, hasProviders, type Provider, RESULT_COOKIE } from "./providers";
import { authorizationQuery, callbackQuery, providerPath } from "./schemas";
import { loginWithProvider } from "./sign-in";
import { newSignInResult, type SealedResult } from "./sign-in-result";

/** Answers 404 for a provider that is off. */
const whenOn = documented(
  createMiddleware<AppEnv>(async (c, next) => {
    const { config } = c.get("deps");
    const name = c.req.param("provider");
    if (name === undefined ? !hasProviders(config) : !findProvider(config, name)) throw notFound("Route");
    await next();
  }),
  { errors: ["NOT_FOUND"] },
);

function providerOf(c: Context<AppEnv>): Provider {
  return orNotFound(findProvider(c.get("deps").config, c.req.param("provider") ?? ""), "Route");
}

/** Redirects to the page of the client that continues the sign-in. */
function toClient(c: Context<AppEnv>, fields: Record<string, string>): Response {
  const given = Object.entries(fields).filter(([, value]) => value !== "");
  return c.redirect(`${c.get("deps").config.appUrl}/oauth?${new URLSearchParams(given)}`, 302);
}

/**
 * Turns a FlowError into a redirect with a code: the browser is navigating, so the client could not read an error
 * response.
 */
async function orErrorPage(c: Context<AppEnv>, work: () => Promise<Response>): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof FlowError) return toClient(c, { error: error.code });
    throw error;
  }
}

export const oauthRoutes = new Hono<AppEnv>()
  .get(
    "/:provider",
    describeRoute("startOauth", "Sends a browser to a provider to sign in.", {
      302: {},
      path: providerPath,
      description:
        "Open it as a page. The browser comes back to `APP_URL/oauth`, with a `code` for `POST " +
        "/auth/oauth/exchange` or with an `error`.",
    }),
    whenOn,
    limit("oauth", "IP address"),
    query(authorizationQuery),
    (c) =>
      orErrorPage(c, async () => {
        const { to = "", invitationToken } = c.req.valid("query");
        const invitationHash = invitationToken === undefined ? null : await sha256Hex(invitationToken);
        const purpose = { to, link: null, invitationHash };
        const { url, sealed, expiresAt } = await startAuthorization(c.get("deps"), providerOf(c), purpose);
        setOwnCookie(c, FLOW_COOKIE, sealed, expiresAt);
        return c.redirect(url, 302);
      }),
  )
  .get(
    "/:provider/callback",
    describeRoute("finishOauth", "The address to which a provider sends the browser back.", {
      302: {},
      path: providerPath,
      query: callbackQuery,
    }),
    whenOn,
    limit("oauth", "IP address"),
    (c) => {
      const [deps, provider] = [c.get("deps"), providerOf(c)];
      const flow = getOwnCookie(c, FLOW_COOKIE);
      deleteOwnCookie(c, FLOW_COOKIE);
      return orErrorPage(c, async () => {
        const { identity, purpose } = await handleCallback(deps, provider, new URL(c.req.url).searchParams, flow);
        const { to, link, invitationHash } = purpose;
        if (link) {
          await linkIdentity(deps, link, identity, originOf(c));
          return toClient(c, { linked: provider.name, to });
        }
        const { code, sealed, expiresAt } = await newSignInResult(deps, identity, invitationHash);
        setOwnCookie(c, RESULT_COOKIE, sealed, expiresAt);
        return toClient(c, { code, to });
      });
    },
  )
  .post(
    "/exchange",
    describeRoute("exchangeOauthCode", "Opens a session with the code from a sign-in with a provider.", {
      200: dataOf(tokenPair),
      errors: [
        "INVALID_TOKEN",
        "INVALID_CODE",
        "INVALID_TOTP",
        "EMAIL_NOT_VERIFIED",
        "TOTP_REQUIRED",
        "FORBIDDEN",
        "NOT_FOUND",
        "CONFLICT",
        "ACCOUNT_LOCKED",
      ],
      description:
        "The code works once, within 60 seconds, in the browser that has signed in: send the request from there, " +
        "with its cookies. After `TOTP_REQUIRED` or `CONFLICT` it works for five minutes. `CONFLICT`: an account " +
        "with the address exists. Its owner signs in to it and links the provider, or sends `mailCode`, a code that " +
        "was mailed to the address.",
    }),
    whenOn,
    requires(CODE_EXCHANGE),
    body(exchange),
    async (c) => {
      const resultCookie = {
        sealed: getOwnCookie(c, RESULT_COOKIE),
        set: ({ sealed, expiresAt }: SealedResult) => setOwnCookie(c, RESULT_COOKIE, sealed, expiresAt),
      };
      const { tokens } = await loginWithProvider(c.get("deps"), c.req.valid("json"), resultCookie, clientContextOf(c));
      deleteOwnCookie(c, RESULT_COOKIE);
      return c.json({ data: tokens });
    },
  );
