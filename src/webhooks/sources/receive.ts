/** Receiving a call at the URL of a source. */
import { sha256Hex, sha256OfBytes } from "../../base/crypto/encoding";
import type { Deps } from "../../base/deps";
import { AppError } from "../../base/errors";
import { lookUp } from "../../base/limits/unknown";
import { onceMoved, TenantIsMoving } from "../../tenancy/moves/fence";
import { publishOrFind } from "../events/publish";
import { hopsOf, MAX_HOPS } from "../hops/hops";
import { isSourceId } from "../hops/source-id";
import { answerTo } from "./challenge";
import type { CallIdentity } from "./content";
import type { InboundCall } from "./inbound-call";
import { type Relayed, readCall } from "./read";
import { countRefused, noteError, reasonOf, refuseRepeated } from "./refusals";
import { openSecrets } from "./secrets";
import { type CalledSource, findCalledSource, touchSource } from "./store";
import { refusalOf, verifyNothing } from "./verify";

/** What the provider is told. */
export type Receipt =
  | { status: 202; message: "Accepted"; eventId: string }
  | { status: 200; message: "Already received" | "Ignored" }
  | { status: 200; answer: Record<string, string> | string };

/** Stands for the whole event when a repeat is compared: whoever sends an id again sends the same event. */
const ANY_BODY = "inbound";

/**
 * Returns the source of a genuine call. Throws RATE_LIMITED for an address whose calls were refused too often or that
 * has called too many unknown sources, and the same UNAUTHENTICATED for an unknown or disabled source, a suspended
 * tenant and a wrong or stale signature.
 */
export async function authenticateCall(
  deps: Deps,
  sourceId: string,
  call: InboundCall,
  clientIp: string,
): Promise<CalledSource> {
  refuseRepeated(deps, sourceId, clientIp, call.body.length);
  const asked = { clientIp, mark: sourceId };
  const found = isSourceId(sourceId)
    ? await lookUp(deps, "unknownSource", asked, () => findCalledSource(deps, sourceId))
    : null;
  if (found && isOpen(found)) {
    const { id, provider, options, secretsSealed } = found.source;
    const secrets = (await openSecrets(deps, id, secretsSealed)).map(({ secret }) => secret);
    const refusal = await refusalOf({ provider, options, secrets }, call, deps.now());
    if (refusal === null) return found;
    noteError(deps, id, refusal, call.body.length);
  } else {
    if (found) noteError(deps, found.source.id, "disabled", call.body.length);
    await verifyNothing(call.body);
  }
  countRefused(deps, sourceId, clientIp);
  throw new AppError("UNAUTHENTICATED", { message: "Invalid signature." });
}

const isOpen = ({ source, tenant }: CalledSource): boolean => source.enabled && !tenant.isTenantSuspended;

/**
 * Publishes the event of a genuine call, unless it came before. Throws PAYLOAD_TOO_LARGE, INVALID_JSON,
 * VALIDATION_FAILED for a call without a valid type, and what publishing throws.
 */
export async function receiveCall(deps: Deps, { source, tenant }: CalledSource, call: InboundCall): Promise<Receipt> {
  const reading = readCall(source, call);
  if (reading.is === "refused") {
    noteError(deps, source.id, reading.reason, call.body.length);
    throw reading.error;
  }
  if (reading.is === "ignored") {
    const { challenge } = reading;
    if (challenge === undefined) return { status: 200, message: "Ignored" };
    return { status: 200, answer: await answerTo(challenge, await signingSecret(deps, source, call)) };
  }
  const hops = await hopsOf(deps.keys, call);
  if (hops > MAX_HOPS) {
    // No error: the delivery would be made again.
    noteError(deps, source.id, "loop", call.body.length);
    return { status: 200, message: "Ignored" };
  }
  try {
    return await relay(deps, { source, tenant }, call, { ...reading.event, hops });
  } catch (error) {
    noteError(deps, source.id, reasonOf(error), call.body.length);
    throw error;
  }
}

/** The secret that has signed a genuine call. */
async function signingSecret(deps: Deps, source: CalledSource["source"], call: InboundCall): Promise<string> {
  const secrets = (await openSecrets(deps, source.id, source.secretsSealed)).map(({ secret }) => secret);
  const refusals = await Promise.all(
    secrets.map((secret) => refusalOf({ ...source, secrets: [secret] }, call, deps.now())),
  );
  return secrets[refusals.indexOf(null)] ?? "";
}

async function relay(
  deps: Deps,
  { source, tenant }: CalledSource,
  call: InboundCall,
  { type, payload, correlationId, identity, hops }: Relayed & { hops: number },
): Promise<Receipt> {
  const idempotencyKey = identity && (await markOf(source.id, identity, call.body));
  const input = { type, payload, correlationId, idempotencyKey, requestHash: ANY_BODY, hops };
  let publisher = tenant;
  const [published] = await onceMoved(deps, async () => {
    try {
      return await publishOrFind(deps, publisher, [input], 0);
    } catch (error) {
      // Providers seldom send a call again, so it waits.
      if (error instanceof TenantIsMoving) publisher = (await findCalledSource(deps, source.id))?.tenant ?? publisher;
      throw error;
    }
  });
  if (!published) throw new Error("no event was accepted");
  if (published.isRepeat) return { status: 200, message: "Already received" };
  deps.background("source use", touchSource(deps, source, deps.now()));
  return { status: 202, message: "Accepted", eventId: published.id };
}

/** The mark of a call. It has spaces, which no Idempotency-Key of a client can have. */
async function markOf(sourceId: string, identity: CallIdentity, body: InboundCall["body"]): Promise<string> {
  const { names, withBody } = identity;
  const [id = "", ...others] = names;
  if (others.length === 0 && !withBody) return `in ${sourceId} id ${await sha256Hex(id)}`;
  const hash = withBody ? [await sha256OfBytes(body)] : [];
  return `in ${sourceId} call ${await sha256Hex(JSON.stringify([...names, ...hash]))}`;
}
