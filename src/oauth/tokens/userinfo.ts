/** What an access token's app may know of the person, as it is now (OpenID Connect Core 5.3). */
import type { Deps } from "../../base/deps";
import { refuseOverLimit } from "../../base/limits/limiter";
import { internalId } from "../clients/unlisted/long-id";
import { OAuthError } from "../errors";
import { openToken } from "../open-token";
import { claimsOf } from "./claims";
import { requireHolder, type ShownToken } from "./shown-token";
import { findStandingGrant } from "./store";
import { userinfoUrl } from "./userinfo-url";

/** RFC 6750 section 3.1: no error code where no token came. */
const refusal = (code: "invalid_token" | "insufficient_scope", description: string, status: number, isNamed = true) =>
  new OAuthError(code, description, status, { "WWW-Authenticate": isNamed ? `Bearer error="${code}"` : "Bearer" });

/** Throws OAuthError, and RATE_LIMITED. */
export async function userinfo(deps: Deps, shown: ShownToken | null): Promise<Record<string, unknown>> {
  if (shown === null) throw refusal("invalid_token", "Send an access token.", 401, false);
  const claims = await openToken(deps, shown.token, { typ: "at+jwt", audience: userinfoUrl(deps) });
  const { sub = "", sid, client_id: clientId, scope, iat = 0 } = claims ?? {};
  const isOurs = claims !== null && [sid, clientId, scope].every((claim) => typeof claim === "string");
  if (!isOurs) throw refusal("invalid_token", "The access token is not valid.", 401);
  await requireHolder(deps, claims, shown);
  const scopes = String(scope).split(" ");
  if (!scopes.includes("openid")) throw refusal("insufficient_scope", "The token needs the scope openid.", 403);
  const verdict = await deps.limiter.consume("userinfo", String(sid), 1);
  if (verdict) refuseOverLimit(verdict);
  const named = { grantId: String(sid), clientId: await internalId(String(clientId)), issuedAt: iat * 1000 };
  const subject = await findStandingGrant(deps, named, deps.now());
  if (subject?.userId !== sub) throw refusal("invalid_token", "The sign-in has ended.", 401);
  return { sub, ...claimsOf(scopes, subject) };
}
