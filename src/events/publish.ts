/** How a domain event gets in. Durable before acknowledged: rows first, then the queue, which only nudges. */
import { sha256Hex } from "../crypto/encoding";
import { newId } from "../db/ids";
import { enqueueDeliveries } from "../delivery/enqueue";
import type { Deps } from "../deps";
import { AppError } from "../errors";
import { enqueueFanOut } from "./fan-out";
import type { Publication, Published } from "./publication";
import { insertEvent } from "./store";

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

/** Nesting that the engine can't write again is the client's fault, not a 500. */
function toJson(payload: unknown): string {
  try {
    return JSON.stringify(payload);
  } catch {
    throw new AppError("VALIDATION_FAILED", {
      details: [{ path: "payload", message: "Must not be nested this deeply" }],
    });
  }
}
