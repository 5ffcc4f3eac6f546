/** An app asks whether a token of its own works (RFC 7662). */
import type { Deps } from "../../base/deps";
import { refuseOverLimit } from "../../base/limits/limiter";
import { OAuthError } from "../errors";
import { type ClientRequest, requireProven, withProof } from "./client-check";
import { invalidClient } from "./client-proof";
import { type NamedToken, readNamedToken } from "./named-grant";
import { keyOfToken } from "./shown-token";
import { findStandingGrantOf, isConfidential, type StandingGrant } from "./store";

const INACTIVE = { active: false };

/** Live: what has ended is inactive at once. Throws OAuthError, for a client without a secret too. */
export const introspectToken = (deps: Deps, request: ClientRequest): Promise<Record<string, unknown>> =>
  withProof(deps, request, async (proof) => {
    if (!isConfidential(proof)) throw invalidClient(proof.triedBasic);
    refuseOverLimit(await deps.limiter.consume("introspect", proof.clientId, 1));
    const token = request.form.get("token");
    const named = token === null ? null : await readNamedToken(deps, proof.clientId, token, { isExpiredToo: false });
    if (!named) {
      await requireProven(deps, proof);
      if (token === null) throw new OAuthError("invalid_request", "token is missing.");
      return INACTIVE;
    }
    const issuedAt = named.kind === "access" ? (named.claims.iat ?? 0) * 1000 : null;
    const { isProven, grant } = await findStandingGrantOf(deps, proof, { ...named, issuedAt }, deps.now());
    if (!isProven) throw invalidClient(proof.triedBasic);
    return grant ? said(deps, named, grant) : INACTIVE;
  });

function said({ config }: Deps, named: NamedToken, grant: StandingGrant): Record<string, unknown> {
  if (named.kind === "access")
    return { active: true, ...named.claims, token_type: keyOfToken(named.claims) === null ? "Bearer" : "DPoP" };
  const { generation, userId, grantedScopes, expiresAt } = grant;
  // The one before works until its successor is used.
  const isUsable = generation !== null && generation - named.generation <= 1 && generation >= named.generation;
  if (!isUsable || expiresAt === null) return INACTIVE;
  return {
    active: true,
    client_id: named.clientId,
    sub: userId,
    scope: (JSON.parse(grantedScopes ?? "[]") as string[]).join(" "),
    exp: Math.floor(expiresAt / 1000),
    iss: config.tokenIssuer,
  };
}
