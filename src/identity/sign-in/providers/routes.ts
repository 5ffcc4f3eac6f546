/** `/auth/oauth`: signing in with a provider. */
import { Hono } from "hono";
import { createMiddleware } from "hono/factory";
import { notFound } from "../../../base/errors";
import type { AppEnv } from "../../../base/http/env";
import { serve } from "../../../base/http/operation";
import { describeRoute, documented } from "../../../base/http/route-docs";
import { dataOf } from "../../../base/schemas/schemas";
import { findProvider, hasProviders } from "../../providers/providers";
import { tokenPair } from "../../sessions/schemas";
import { providers } from "./operations";
import { callbackQuery, providerPath } from "./schemas";

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

export const oauthRoutes = new Hono<AppEnv>()
  .get(
    "/:provider",
    describeRoute("startOauth", "Sends a browser to a provider to sign in.", () => ({
      302: {},
      path: providerPath,
      description:
        "Open it as a page. The browser comes back to `APP_URL/oauth`, with a `code` for `POST " +
        "/auth/oauth/exchange` or with an `error`.",
    })),
    whenOn,
    ...serve(providers.start, (c, url) => c.redirect(url, 302), "query"),
  )
  .get(
    "/:provider/callback",
    describeRoute("finishOauth", "The address to which a provider sends the browser back.", () => ({
      302: {},
      path: providerPath,
      query: callbackQuery,
    })),
    whenOn,
    ...serve(providers.finish, (c, url) => c.redirect(url, 302)),
  )
  .post(
    "/exchange",
    describeRoute("exchangeOauthCode", "Opens a session with the code from a sign-in with a provider.", () => ({
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
    })),
    whenOn,
    ...serve(providers.exchange, (c, { tokens }) => c.json({ data: tokens })),
  );
