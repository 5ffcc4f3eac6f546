/**
 * Refresh tokens of apps. Each works once; of two, the older ends the grant (RFC 9700 section 4.14.2). Apps send no
 * `Idempotency-Key`, so the token before the current one gets the same answer while the current one is unused.
 */
import type { Deps } from "../../base/deps";
import { queueMailIfPossible } from "../../base/mail/queue";
import { notItsGrant } from "../authorization/request";
import { type ClientRow, touchClient, withLongId } from "../clients/store";
import { OAuthError } from "../errors";
import { withOurApi } from "../resources/our-api";
import type { ClientRequest, ShownProof } from "./client-check";
import { requireProven } from "./client-check";
import { invalidClient } from "./client-proof";
import { boundKey, requireKey } from "./dpop";
import { endReusedGrant, rotateGrant } from "./offline-store";
import { makeOfflineToken, type OfflineClaims, readOfflineToken } from "./refresh-token";
import { refused } from "./refused";
import { type TokenResponse, tokensFor } from "./response";
import { isConfidential, type StandingGrant } from "./store";
import { narrowed, targetIdOf, targetOf } from "./target";

/** How long the answer of a client without a secret can be lost: to the same address, and to another one. */
const [LOST_HERE_MS, LOST_ELSEWHERE_MS] = [60_000, 10_000];

const invalidGrant = () => new OAuthError("invalid_grant", "The refresh token has ended, or is not for this app.");

/** Throws OAuthError. */
export async function refreshTokens(deps: Deps, proof: ShownProof, request: ClientRequest): Promise<TokenResponse> {
  const { form, origin, userAgent } = request;
  const text = form.get("refresh_token");
  if (text === null) {
    await requireProven(deps, proof);
    throw new OAuthError("invalid_request", "refresh_token is missing.");
  }
  const claims = await readOfflineToken(deps.keys, proof.clientId, text);
  if (!claims) throw refused(proof.clientId, invalidGrant());
  const nowMs = deps.now();
  const rotation = { claims, proof, origin, userAgent };
  const { client: known, isRotated, grant, resources } = await rotateGrant(deps, rotation, nowMs);
  const client = known && withLongId(known, proof);
  if (!client) throw invalidClient(proof.triedBasic);
  requireKey(client, proof.jkt);
  if (!client.settings.grants.includes("refresh_token")) throw refused(client.id, notItsGrant());
  // Without its key, a stolen token opens nothing, and ends nothing either.
  const isBoundToAnother = grant && ![null, proof.jkt].includes(grant.jkt);
  if (!grant || isBoundToAnother) throw refused(client.id, invalidGrant());
  if (!isRotated && !isLostAnswer(grant, claims, rotation, nowMs)) {
    await endReused(deps, client, claims, rotation);
    throw refused(client.id, invalidGrant());
  }
  deps.background("client use", touchClient(deps, client, nowMs));
  const generation = grant.generation ?? claims.generation + 1;
  const scopes = narrowed(form.get("scope"), JSON.parse(grant.grantedScopes ?? "[]") as string[]);
  const audiences = Object.fromEntries(withOurApi(deps, resources).map(({ id, identifier }) => [id, identifier]));
  const targetId = targetIdOf(deps, form.get("resource"), scopes, audiences);
  const target = targetId === null ? null : targetOf(deps, client, scopes, targetId, resources);
  return {
    ...(await tokensFor(
      deps,
      client,
      { ...grant, grantId: claims.grantId },
      { scopes, target, nonce: null, jkt: boundKey(client, proof.jkt) },
    )),
    refresh_token: await makeOfflineToken(deps.keys, { ...claims, generation }),
  };
}

/** Whether the token is the one before the current one, which nobody has used, and its app has lost the answer. */
function isLostAnswer(
  { generation, issuedAt, issuedTo, device, jkt }: StandingGrant,
  claims: OfflineClaims,
  { proof, origin, userAgent }: Pick<ClientRequest, "origin" | "userAgent"> & { proof: ShownProof },
  nowMs: number,
): boolean {
  if (generation !== claims.generation + 1) return false;
  if (isConfidential(proof) || jkt !== null) return true;
  const ageMs = nowMs - issuedAt;
  if (origin.ip === issuedTo) return ageMs <= LOST_HERE_MS;
  return ageMs <= LOST_ELSEWHERE_MS && userAgent === device;
}

async function endReused(
  deps: Deps,
  client: ClientRow,
  claims: OfflineClaims,
  { origin }: Pick<ClientRequest, "origin">,
): Promise<void> {
  const userId = await endReusedGrant(deps, claims, origin, deps.now());
  if (userId) await queueMailIfPossible(deps, { kind: "refreshTokenReused", userId, appName: client.name });
}
