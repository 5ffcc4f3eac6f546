/** Signing in with a provider: what the browser asks for on its way, and the client's page at the end. */
import { operation } from "../../../base/operation";
import { exchange } from "../schemas";
import { finishAuthorization, startSignIn } from "./redirects";
import { authorizationQuery } from "./schemas";
import { loginWithProvider } from "./sign-in";

const LIMITED = { callers: "anybody", limit: { rule: "oauth", per: "IP address" } } as const;

export const providers = {
  start: operation({
    ...LIMITED,
    schema: authorizationQuery,
    verb: ({ deps, param, input, cookies }) => startSignIn(deps, param("provider"), input, cookies),
  }),
  finish: operation({
    ...LIMITED,
    verb: ({ deps, param, client, cookies, unchecked }) =>
      finishAuthorization(deps, param("provider"), unchecked.query(), cookies, client.origin),
  }),
  exchange: operation({
    callers: "anybody",
    takesCookiesAcrossOrigins: true,
    limit: { rule: "oauthExchange", per: "IP address" },
    schema: exchange,
    verb: ({ deps, input, client, cookies }) => loginWithProvider(deps, input, cookies, client),
  }),
};
