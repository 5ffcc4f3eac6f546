/** The grant that a token names, which a client shows to end it or to ask about it. */
import type { JWTPayload } from "jose";
import type { Deps } from "../../base/deps";
import { internalId } from "../clients/unlisted/long-id";
import { openToken } from "../open-token";
import type { MachineToken } from "./machine-store";
import { readOfflineToken } from "./refresh-token";

/** A token of ours. */
export type NamedToken =
  | { kind: "access"; clientId: string; grantId: string; claims: JWTPayload; machine: MachineToken | null }
  | { kind: "refresh"; clientId: string; grantId: string; generation: number };

/** Null for a token that is not ours or of another client. Expired access tokens count with `isExpiredToo`. */
export async function readNamedToken(
  deps: Deps,
  clientId: string,
  token: string,
  { isExpiredToo }: { isExpiredToo: boolean },
): Promise<NamedToken | null> {
  if (token.startsWith("por_")) {
    const refresh = await readOfflineToken(deps.keys, clientId, token);
    return refresh && { kind: "refresh", ...refresh };
  }
  const named = await readAccessToken(deps, token, { isExpiredToo });
  return named?.clientId === clientId ? named : null;
}

/** An access token of whichever client. Those of sessions are no client's. */
export async function readAccessToken(
  deps: Deps,
  token: string,
  { isExpiredToo }: { isExpiredToo: boolean },
): Promise<(NamedToken & { kind: "access" }) | null> {
  const claims = await openToken(deps, token, { typ: "at+jwt", isExpiredToo });
  const { client_id: publicId, sid: grantId, tid = null, sub, iat = 0 } = claims ?? {};
  if (!claims || typeof publicId !== "string" || typeof grantId !== "string" || publicId === "postern") return null;
  const clientId = await internalId(publicId);
  const tenantId = typeof tid === "string" ? tid : null;
  const machine = sub === publicId ? { clientId, grantId, tenantId, issuedAt: iat * 1000 } : null;
  return { kind: "access", clientId, grantId, claims, machine };
}
