/** A provider tells that somebody has signed out there (OpenID Connect Back-Channel Logout 1.0). */
import { sha256Hex } from "../../base/crypto/encoding";
import type { Deps } from "../../base/deps";
import { lookUp } from "../../base/limits/unknown";
import { log } from "../../base/log/log";
import { connectionActor, type RequestOrigin } from "../../base/schemas/actor";
import { MINUTE_MS } from "../../base/time";
import { lowerUuid } from "../../base/uuid";
import type { ConnectionRow } from "../connections/store";
import { findById } from "../flow/connection-store";
import { type IdpClaims, verifiedClaims } from "../oidc/id-token";
import { SignOnRefused } from "../refused";
import { recordRefusal } from "../traces/record";
import { isOfLogoutType, readLogoutClaims } from "./claims";
import { endSignedOut } from "./store";

const MAX_TOKEN_CHARACTERS = 16 * 1024;
/** How long a used token is remembered after it was issued: longer than it could be used again. */
const REMEMBERED_MS = 15 * MINUTE_MS;

interface Caller {
  clientIp: string;
  origin: RequestOrigin;
}

/** Ends the sessions that a logout token names. Returns false for a token that is not good, or was used before. */
export async function signOutBy(
  deps: Deps,
  connection: string,
  token: string,
  { clientIp, origin }: Caller,
): Promise<boolean> {
  const id = lowerUuid(connection);
  const mark = `sign-on:${id}`;
  const found = await lookUp(deps, "unknownApiKey", { clientIp, mark }, () => findById(deps, id));
  const claims = found && (await signedClaims(deps, found, token));
  if (!claims) return false;
  try {
    await endSessionsOf(deps, found, claims, origin);
    return true;
  } catch (error) {
    if (!(error instanceof SignOnRefused)) throw error;
    const { version } = found;
    await recordRefusal(deps, { connectionId: id, version, kind: "logout" }, error, claims);
    return false;
  }
}

/** Null for a token that the provider has not signed. It leaves no trace: anybody can send one. */
async function signedClaims(deps: Deps, { id, document }: ConnectionRow, token: string): Promise<IdpClaims | null> {
  if (!document || token.length > MAX_TOKEN_CHARACTERS || !isOfLogoutType(token)) return null;
  try {
    return await verifiedClaims(deps, document.jwksUri, token);
  } catch (error) {
    if (!(error instanceof SignOnRefused)) throw error;
    log("warn", "sign-on refused", { connectionId: id, reason: error.reason });
    return null;
  }
}

/** Throws SignOnRefused. */
async function endSessionsOf(
  deps: Deps,
  { id, name, generation, settings, document }: ConnectionRow,
  claims: IdpClaims,
  origin: RequestOrigin,
): Promise<void> {
  const { clientId } = settings.oidc;
  if (!document || clientId === null) throw new SignOnRefused("logout_token", "audience");
  const expected = { issuer: document.issuer, clientId, subjectClaim: settings.attributes.subject };
  const { tokenId, issuedAtSeconds, sid, subject } = readLogoutClaims(claims, expected, deps.now());
  const useId = `${Math.floor(issuedAtSeconds) * 1000 + REMEMBERED_MS}:${await sha256Hex(`${id}:${tokenId}`)}`;
  const signedOut = { connectionId: id, generation, sid, subject, useId };
  const isFirst = await endSignedOut(deps, signedOut, connectionActor(id, name, origin), deps.now());
  if (!isFirst) throw new SignOnRefused("logout_token", "replay");
}
