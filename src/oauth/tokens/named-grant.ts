/** The grant that a token names, which a client shows to end it or to ask about it. */
import type { JWTPayload } from "jose";
import type { Deps } from "../../base/deps";
import { openToken } from "../open-token";
import { readOfflineToken } from "./refresh-token";

/** A token of ours. */
export type NamedToken =
  | { kind: "access"; clientId: string; grantId: string; claims: JWTPayload }
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
  const claims = await openToken(deps, token, { typ: "at+jwt", isExpiredToo });
  if (!claims || claims["client_id"] !== clientId || typeof claims["sid"] !== "string") return null;
  return { kind: "access", clientId, grantId: claims["sid"], claims };
}
