/** How a domain event gets in. Durable before acknowledged: rows first, then the queue, which only nudges. */
import { sha256Hex } from "../crypto/encoding";
import { newId } from "../db/ids";
import { enqueueDeliveries } from "../delivery/enqueue";
import type { Deps } from "../deps";
import { AppError } from "../errors";
import { enqueueFanOut } from "./fan-out";
import type { Publication, Published } from "./publication";
import { insertEvent } from "./store";

const MAX_DEPTH = 500;

/** Publishes to every enabled subscription of the tenant that wants the type. Throws CONFLICT when the key was used for another body. */
export async function publish(
  deps: Deps,
  tenantId: string,
  publication: Publication,
  idempotencyKey: string | null,
): Promise<Published> {
  const { type, correlationId = null } = publication;
  const payloadJson = toJson(publication.payload);
  const requestHash = idempotencyKey && (await sha256Hex(JSON.stringify([type, payloadJson, correlationId])));
  const id = newId();
  const { event, deliveries, fanOutAfter } = await insertEvent(
    deps,
    tenantId,
    { id, type, payloadJson, correlationId, idempotencyKey, requestHash },
    deps.now(),
  );
  if (event.requestHash !== requestHash) {
    throw new AppError("CONFLICT", { message: "This Idempotency-Key was used with another body." });
  }
  deps.background("enqueue deliveries", enqueueDeliveries(deps, deliveries));
  if (fanOutAfter !== null) deps.background("enqueue fan-out", enqueueFanOut(deps, [{ eventId: id, fanOutAfter }]));
  return { id: event.id, type: event.type, deliveries: event.deliveries };
}

/** Nesting that the engine, or a reader of the log after us, can't write again is the client's fault, not a 500. */
function toJson(payload: unknown): string {
  if (!isWithin(MAX_DEPTH, payload)) {
    throw new AppError("VALIDATION_FAILED", {
      details: [{ path: "payload", message: `Must not be nested more than ${MAX_DEPTH} levels deep` }],
    });
  }
  return JSON.stringify(payload);
}

/** Level by level, for a recursion could be made to overflow. */
function isWithin(depth: number, payload: unknown): boolean {
  let level: unknown[] = [payload];
  for (let left = depth; left > 0; left -= 1) {
    level = level.flatMap((value) => (typeof value === "object" && value !== null ? Object.values(value) : []));
    if (level.length === 0) return true;
  }
  return false;
}
