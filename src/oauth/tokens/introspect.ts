/** An app asks whether a token of its own works, or an API whether one for it does (RFC 7662). */
import type { Deps } from "../../base/deps";
import { refuseOverLimit } from "../../base/limits/limiter";
import { OAuthError } from "../errors";
import { partsOf } from "../granted-scopes";
import { isRegisteredId } from "../resources/keys";
import { type ClientRequest, type ShownProof, withProof } from "./client-check";
import { invalidClient } from "./client-proof";
import { findAsker, findStandingGrantOf } from "./introspect-store";
import { type NamedToken, readAccessToken, readNamedToken } from "./named-grant";
import { keyOfToken } from "./shown-token";
import { isConfidential, type StandingGrant } from "./store";

const INACTIVE = { active: false };

/** Live: what has ended is inactive at once. Throws OAuthError, for a client without a secret too. */
export const introspectToken = (deps: Deps, request: ClientRequest): Promise<Record<string, unknown>> =>
  withProof(deps, request, async (proof) => {
    if (!isConfidential(proof)) throw invalidClient(proof.triedBasic);
    refuseOverLimit(await deps.limiter.consume("introspect", proof.clientId, 1));
    const token = request.form.get("token");
    const named = token === null ? null : await readFor(deps, proof, token);
    if (!named) {
      if (!(await findAsker(deps, proof, deps.now()))) throw invalidClient(proof.triedBasic);
      if (token === null) throw new OAuthError("invalid_request", "token is missing.");
      return INACTIVE;
    }
    const issuedAt = named.kind === "access" ? (named.claims.iat ?? 0) * 1000 : null;
    const machine = named.kind === "access" ? named.machine : null;
    const found = await findStandingGrantOf(deps, proof, { ...named, issuedAt, machine }, deps.now());
    if (!found.asker) throw invalidClient(proof.triedBasic);
    const { audience } = found.asker;
    const isForAsker = audience === null || (named.kind === "access" && named.claims.aud === audience);
    if (!isForAsker) return INACTIVE;
    if (named.kind === "access") return found.isMachine || found.grant ? ofAccess(named) : INACTIVE;
    return found.grant ? ofRefresh(deps, named, found.grant) : INACTIVE;
  });

/** A client reads its own tokens alone; an API reads those of every client, and is told of those for it. */
const readFor = (deps: Deps, { clientId }: ShownProof, token: string): Promise<NamedToken | null> =>
  isRegisteredId(clientId)
    ? readAccessToken(deps, token, { isExpiredToo: false })
    : readNamedToken(deps, clientId, token, { isExpiredToo: false });

const ofAccess = ({ claims }: NamedToken & { kind: "access" }): Record<string, unknown> => ({
  active: true,
  ...claims,
  token_type: keyOfToken(claims) === null ? "Bearer" : "DPoP",
});

function ofRefresh(
  { config }: Deps,
  named: NamedToken & { kind: "refresh" },
  { generation, userId, grantedScopes, expiresAt }: StandingGrant,
): Record<string, unknown> {
  // The one before works until its successor is used.
  const isUsable = generation !== null && generation - named.generation <= 1 && generation >= named.generation;
  if (!isUsable || expiresAt === null) return INACTIVE;
  return {
    active: true,
    client_id: named.clientId,
    sub: userId,
    scope: scopeNames(JSON.parse(grantedScopes ?? "[]") as string[]).join(" "),
    exp: Math.floor(expiresAt / 1000),
    iss: config.tokenIssuer,
  };
}

const scopeNames = (granted: readonly string[]): string[] => [...new Set(granted.map((one) => partsOf(one).scope))];
