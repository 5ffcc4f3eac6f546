/** `/auth/oauth/exchange`: the code of a sign-in with a provider of the service, or with the tenant's own. */
import { createMiddleware } from "hono/factory";
import { hasSignOn } from "../../base/config/sign-on-settings";
import { notFound } from "../../base/errors";
import { endpoint, routes } from "../../base/http/endpoint";
import type { AppEnv } from "../../base/http/env";
import { documented } from "../../base/http/route-docs";
import { dataOf } from "../../base/schemas/schemas";
import { hasProviders } from "../../identity/providers/providers";
import { tokenPair } from "../../identity/sessions/schemas";
import { exchange as exchangeBody } from "../../identity/sign-in/schemas";
import { exchangeCode } from "./exchange";

/** Answers 404 while there are neither providers nor sign-on. */
const whenEither = documented(
  createMiddleware<AppEnv>((c, next) => {
    const { config } = c.get("deps");
    if (!hasProviders(config) && !hasSignOn(config)) throw notFound("Route");
    return next();
  }),
  { errors: ["NOT_FOUND"] },
);

export const exchange = endpoint({
  id: "exchangeOauthCode",
  summary: "Opens a session with the code from a sign-in with a provider, or from the tenant's own sign-on.",
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
  schema: exchangeBody,
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
    "SIGN_ON_REQUIRED",
  ],
  answers: () => ({ 200: dataOf(tokenPair) }),
  first: whenEither,
  verb: ({ deps, input, client, cookies }) => exchangeCode(deps, input, cookies, client),
  answer: (c, { tokens }) => c.json({ data: tokens }),
});

export const exchangeRoutes = routes({ "POST /exchange": exchange });
