/** Which client calls, how often it may, and how often an address may fail to prove itself. */
import type { Deps } from "../../base/deps";
import { consumeByAddress } from "../../base/limits/by-address";
import { refuseOverLimit } from "../../base/limits/limiter";
import type { RequestOrigin } from "../../base/schemas/actor";
import type { Device } from "../../base/schemas/device";
import type { ClientRow } from "../clients/store";
import { OAuthError } from "../errors";
import { askedIdentifiers } from "../resources/asked";
import { withOurApi } from "../resources/our-api";
import type { ResourceRow } from "../resources/store";
import { checkAssertion } from "./assertion";
import { invalidClient, readProof } from "./client-proof";
import { findProven, isConfidential, type Proof } from "./store";

/** What a client sends to an endpoint at which it proves itself. */
export interface ClientRequest {
  form: URLSearchParams;
  authorization: string | undefined;
  clientIp: string;
  origin: RequestOrigin;
  /** At most 256 characters; null without. */
  userAgent: string | null;
  /** The URL that it calls, which its assertions may name. */
  endpoint: string;
  /** The proof of a key that came with it (RFC 9449); undefined without. */
  dpop: string | undefined;
  /** What is known of the device that sends it. */
  device: () => Device;
}

export type ShownProof = Proof & { triedBasic: boolean };

/**
 * Runs `work` with what a client shows. It counts as a failure of its address beforehand, so that a thousand guesses at
 * once are not a thousand trips to D1; whoever proves itself gets that back. Throws OAuthError, and RATE_LIMITED.
 */
export async function withProof<T>(
  deps: Deps,
  { form, authorization, clientIp, endpoint }: ClientRequest,
  work: (proof: ShownProof) => Promise<T>,
): Promise<T> {
  const verdict = await consumeByAddress(deps, "clientAuth", clientIp);
  refuseOverLimit(verdict);
  const isFailure = (error: unknown) => error instanceof OAuthError && error.code === "invalid_client";
  const giveBack = () => {
    if (!verdict) return;
    const unused = { leavesAtMs: verdict.leavesAtMs, units: 1 };
    deps.background("rate limit", deps.limiter.giveBack("clientAuth", verdict.key, unused));
  };
  try {
    const { assertion, ...shown } = await readProof(deps.config, form, authorization);
    const { clientId } = shown;
    const useId = assertion === null ? null : await checkAssertion(deps, { clientId, assertion, endpoint });
    const done = await work({ ...shown, useId });
    giveBack();
    return done;
  } catch (error) {
    if (!isFailure(error)) giveBack();
    throw error;
  }
}

/** A client with a proof has a limit of its own. One without shares its id with everybody, so addresses count too. */
export async function limitClient(deps: Deps, proof: Proof, clientIp: string): Promise<void> {
  const { clientId } = proof;
  const [rule, key] = isConfidential(proof)
    ? (["token", clientId] as const)
    : (["tokenPublic", `${clientId} ${clientIp}`] as const);
  refuseOverLimit(await deps.limiter.consume(rule, key, 1));
}

/** Throws invalid_client. */
export const requireProven = async (deps: Deps, proof: ShownProof): Promise<ClientRow> =>
  (await requireProvenFor(deps, proof, [])).client;

/** The same, with the APIs that its request names, and its own. Throws invalid_client. */
export async function requireProvenFor(
  deps: Deps,
  proof: ShownProof,
  named: readonly string[],
): Promise<{ client: ClientRow; known: ResourceRow[] }> {
  const found = await findProven(deps, proof, askedIdentifiers(deps, named), deps.now());
  if (!found) throw invalidClient(proof.triedBasic);
  return { client: found.client, known: withOurApi(deps, found.resources) };
}
