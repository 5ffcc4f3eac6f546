/** `/auth/oauth`: signing in with a provider. */
import { createMiddleware } from "hono/factory";
import * as z from "zod";
import { notFound } from "../../../base/errors";
import { endpoint, routes } from "../../../base/http/endpoint";
import type { AppEnv } from "../../../base/http/env";
import { documented } from "../../../base/http/route-docs";
import { operation } from "../../../base/operation";
import { findProvider } from "../../providers/providers";
import { finishAuthorization, startSignIn } from "./redirects";
import { authorizationQuery, callbackQuery, invitationToken, providerPath } from "./schemas";

/** Answers 404 for a provider that is off. */
const whenOn = documented(
  createMiddleware<AppEnv>(async (c, next) => {
    const { config } = c.get("deps");
    if (!findProvider(config, c.req.param("provider") ?? "")) throw notFound("Route");
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
};

export const oauthRoutes = routes({
  "GET /:provider": providers.start,
  "GET /:provider/callback": providers.finish,
});
