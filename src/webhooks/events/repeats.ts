/** Events that were published before with the same Idempotency-Key. */
import { newIdAt } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import { AppError } from "../../base/errors";
import type { AcceptedEvent } from "./accept-statements-store";
import { type NewEvent, readPublished } from "./accept-store";
import type { Published } from "./publication";

/** Returns what was published in a database with the keys of these events, by position. Throws CONFLICT. */
export async function publishedIn(
  deps: Deps,
  tenantId: string,
  shard: number,
  inputs: readonly { type: string; idempotencyKey: string | null }[],
  hashes: readonly (string | null)[],
): Promise<Map<number, Published>> {
  if (hashes.every((hash) => hash === null)) return new Map();
  const nowMs = deps.now();
  const events = inputs.map((input, position) => ({
    type: input.type,
    idempotencyKey: input.idempotencyKey,
    requestHash: hashes[position] ?? null,
    id: newIdAt(nowMs),
    bytes: 0,
  }));
  const found = await readPublished(deps.shards.db(shard), tenantId, events, nowMs);
  const accepted = events.map((_, position) => found.get(position));
  refuseConflict(
    accepted.map((event) => event ?? NOT_PUBLISHED),
    events,
  );
  return new Map(
    [...found].flatMap(([position, event]) => publishedOf(event).map((published) => [position, published] as const)),
  );
}

/** What the publisher is told about a stored event; nothing if it was not stored. */
export const publishedOf = ({ id, type, deliveries, filtered, sequence }: AcceptedEvent): Published[] =>
  id === null ? [] : [{ id, type, deliveries, ...(filtered ? { filtered } : {}), ...(sequence ? { sequence } : {}) }];

const NOT_PUBLISHED: AcceptedEvent = { id: null, type: "", deliveries: 0, requestHash: null, fanOutAfter: null };

/**
 * Throws CONFLICT if the stored event with an Idempotency-Key is another one. Without a stored event, there is no
 * stored hash.
 */
export function refuseConflict(
  accepted: readonly AcceptedEvent[],
  events: readonly Pick<NewEvent, "requestHash">[],
): void {
  const position = accepted.findIndex(
    ({ requestHash }, index) => requestHash !== null && requestHash !== events[index]?.requestHash,
  );
  if (position === -1) return;
  const which = events.length === 1 ? "This Idempotency-Key" : `The idempotencyKey of events.${position}`;
  throw new AppError("CONFLICT", { message: `${which} was used with another body.` });
}
