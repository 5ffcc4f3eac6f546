/**
 * Apps at our own API: a token whose audience is its URL, in the name of a person or of the app itself. It opens what
 * API keys open, within the scopes that it was given.
 */
import { decodeJwt, type JWTPayload } from "jose";
import type { Deps } from "../../base/deps";
import { type Actor, type RequestOrigin, userActor } from "../../base/schemas/actor";
import type { ApiKeyPrincipal } from "../../base/schemas/principal";
import { knownRole, PERMISSIONS, permissionsOf } from "../../base/schemas/roles";
import { standingOf } from "../../tenancy/tenants/standing-store";
import { internalId } from "../clients/unlisted/long-id";
import { openToken } from "../open-token";
import { apiUrl } from "../resources/our-api";
import { thumbprintAtApi } from "../tokens/dpop";
import { keyOfToken, type ShownToken } from "../tokens/shown-token";
import { findAppOfPerson, findMachine } from "./store";

/** Whether a token says that it is of an app. It is not verified. */
export function isTokenOfApp({ config }: Pick<Deps, "config">, token: string): boolean {
  if (config.oauthServer === "off" || token.split(".").length !== 3) return false;
  try {
    const { client_id: clientId } = decodeJwt(token);
    return typeof clientId === "string" && clientId !== "postern";
  } catch {
    return false;
  }
}

/** Null for a token that is not for our API, and for one of a grant that has ended. Reads D1 once. */
export async function authenticateApp(
  deps: Deps,
  shown: ShownToken,
  origin: RequestOrigin,
): Promise<ApiKeyPrincipal | null> {
  const claims = await openToken(deps, shown.token, { typ: "at+jwt", audience: apiUrl(deps) });
  const { sub, sid, tid, client_id: shownId, scope, iat = 0 } = claims ?? {};
  if (!claims || !(await isHeld(deps, claims, shown))) return null;
  const texts = [sub, sid, tid, shownId, scope];
  if (!texts.every((claim): claim is string => typeof claim === "string")) return null;
  const [userId = "", grantId = "", tenantId = "", publicId = "", said = ""] = texts;
  const clientId = await internalId(publicId);
  const named = { clientId, grantId, tenantId, issuedAt: iat * 1000 };
  const scopes = said.split(" ");
  if (userId === publicId) {
    const machine = await findMachine(deps, named);
    if (!machine) return null;
    const actor: Actor = { kind: "client", id: clientId, name: machine.clientName, sessionId: null, ...origin };
    return principalOf("", PERMISSIONS, scopes, actor, machine);
  }
  const found = await findAppOfPerson(deps, named, deps.now());
  if (found?.userId !== userId) return null;
  const actor: Actor = { ...userActor({ userId, email: found.email }, origin), app: clientId };
  return principalOf(userId, permissionsOf(knownRole(found.role)), scopes, actor, found);
}

/** One that is bound to a key is no bearer token, and one that is not needs no proof (RFC 9449 section 7). */
async function isHeld(deps: Deps, claims: JWTPayload, shown: ShownToken): Promise<boolean> {
  const { scheme, dpop: proof, method, url, token: accessToken } = shown;
  if (claims["cnf"] === undefined) return scheme === "Bearer";
  if (scheme !== "DPoP" || proof === undefined) return false;
  return (await thumbprintAtApi(deps, { proof, method, url, accessToken })) === keyOfToken(claims);
}

function principalOf(
  userId: string,
  open: readonly (typeof PERMISSIONS)[number][],
  scopes: readonly string[],
  actor: Actor,
  row: Parameters<typeof standingOf>[0],
): ApiKeyPrincipal {
  const permissions = new Set(open.filter((permission) => scopes.includes(permission)));
  return { kind: "api-key", userId, ...standingOf(row), permissions, actor };
}
