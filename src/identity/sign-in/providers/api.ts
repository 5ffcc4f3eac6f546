/** `/auth/oauth`: signing in with a provider. */
import { createMiddleware } from "hono/factory";
import * as z from "zod";
import { notFound } from "../../../base/errors";
import { endpoint, routes } from "../../../base/http/endpoint";
import type { AppEnv } from "../../../base/http/env";
import { documented } from "../../../base/http/route-docs";
import { operation } from "../../../base/operation";
import { dataOf } from "../../../base/schemas/schemas";
import { findProvider, hasProviders } from "../../providers/providers";
import { tokenPair } from "../../sessions/schemas";
import { exchange } from "../schemas";
import { finishAuthorization, startSignIn } from "./redirects";
import { authorizationQuery, callbackQuery, invitationToken, providerPath } from "./schemas";
import { loginWithProvider } from "./sign-in";

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

/** What an app asks for travels in a cookie with the rest of the flow, and browsers drop cookies above 4,096 bytes. */
export const MAX_REQUEST_CHARACTERS = 2_400;

const LIMITED = { callers: "anybody", limit: { rule: "oauth", per: "IP address" } } as const;

export const providers = {
  start: endpoint({
    id: "startOauth",
    summary: "Sends a browser to a provider to sign in.",
    description:
      "Open it as a page. The browser comes back to `APP_URL/oauth`, with a `code` for `POST " +
      "/auth/oauth/exchange` or with an `error`.",
    ...LIMITED,
    schema: authorizationQuery,
    answers: () => ({ 302: {}, path: providerPath }),
    first: whenOn,
    verb: ({ deps, param, input, cookies }) => startSignIn(deps, param("provider"), input, cookies),
    answer: (c, url) => c.redirect(url, 302),
  }),
  /** The same from a page of ours for apps, to which the browser comes back. */
  startForApps: operation({
    ...LIMITED,
    schema: z.object({ r: z.string().max(MAX_REQUEST_CHARACTERS).default(""), invitationToken }),
    verb: ({ deps, param, input: { r, invitationToken }, cookies }) =>
      startSignIn(deps, param("provider"), { to: r, invitationToken, isForApps: true }, cookies),
  }),
  finish: endpoint({
    id: "finishOauth",
    summary: "The address to which a provider sends the browser back.",
    ...LIMITED,
    answers: () => ({ 302: {}, path: providerPath, query: callbackQuery }),
    first: whenOn,
    verb: ({ deps, param, client, cookies, unchecked }) =>
      finishAuthorization(deps, param("provider"), unchecked.query(), cookies, client.origin),
    answer: (c, url) => c.redirect(url, 302),
  }),
  exchange: endpoint({
    id: "exchangeOauthCode",
    summary: "Opens a session with the code from a sign-in with a provider.",
    description:
      "The code works once, within 60 seconds, in the browser that has signed in: send the request from there, " +
      "with its cookies. After `TOTP_REQUIRED`, `EMAIL_NOT_VERIFIED` or `CONFLICT` it works for five minutes. " +
      "`EMAIL_NOT_VERIFIED` with `next: email-code` in its details: the provider does not vouch for the address, and " +
      "a code was mailed to it; send it as `mailCode`, with the state in the details. `CONFLICT`: an account with " +
      "the address exists. Its owner signs in to it and links the provider, or sends `mailCode`, a code that was " +
      "mailed to the address.",
    callers: "anybody",
    takesCookiesAcrossOrigins: true,
    limit: { rule: "oauthExchange", per: "IP address" },
    schema: exchange,
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
    answers: () => ({ 200: dataOf(tokenPair) }),
    first: whenOn,
    verb: ({ deps, input, client, cookies }) => loginWithProvider(deps, input, cookies, client),
    answer: (c, { tokens }) => c.json({ data: tokens }),
  }),
};

export const oauthRoutes = routes({
  "GET /:provider": providers.start,
  "GET /:provider/callback": providers.finish,
  "POST /exchange": providers.exchange,
});
