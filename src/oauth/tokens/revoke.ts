/** An app gives back its tokens (RFC 7009): either one ends the grant. */
import type { Deps } from "../../base/deps";
import { OAuthError } from "../errors";
import { type ClientRequest, limitClient, withProof } from "./client-check";
import { invalidClient } from "./client-proof";
import { readNamedToken } from "./named-grant";
import { endGrantByClient } from "./offline-store";

/** Ends nothing for a token that is unknown or of another client, and does not say so. Throws OAuthError. */
export const revokeToken = (deps: Deps, request: ClientRequest): Promise<void> =>
  withProof(deps, request, async (proof) => {
    await limitClient(deps, proof, request.clientIp);
    const token = request.form.get("token");
    const named = token === null ? null : await readNamedToken(deps, proof.clientId, token, { isExpiredToo: true });
    const machine = named?.kind === "access" ? named.machine : null;
    const isProven = await endGrantByClient(deps, proof, { grantId: named?.grantId ?? null, machine }, deps.now());
    if (!isProven) throw invalidClient(proof.triedBasic);
    if (token === null) throw new OAuthError("invalid_request", "token is missing.");
  });
