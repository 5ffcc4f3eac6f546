/** The entrypoint for other Workers, which publish without HTTP through a service binding to `EventPublisher`. */
import { WorkerEntrypoint } from "cloudflare:workers";
import * as z from "zod";
import { utf8 } from "../../base/crypto/encoding";
import { newId } from "../../base/db/ids";
import { createDeps, type Deps } from "../../base/deps";
import { AppError, invalid, notFound } from "../../base/errors";
import { describeError, type LogFields, log } from "../../base/log/log";
import { PLATFORM_TENANT } from "../../base/schemas/tenant-ref";
import { findTenant } from "../../tenancy/tenants/store";
import { tenantSuspended } from "../../tenancy/tenants/suspension";
import { idempotencyKey, type Published, publication, publicationBatch, versionAsked } from "./publication";
import { type EventInput, publishEvents } from "./publish";

const ACCEPTED = 202;
const KIB = 1024;
/** The same as over HTTP. */
const MAX_EVENT_BYTES = 256 * KIB;
const MAX_BATCH_BYTES = 1024 * KIB;

/**
 * Turns the argument into what JSON makes of it. RPC also carries what JSON cannot represent, such as cycles, which
 * have no end, and infinite numbers, which would become null.
 */
function asJson(value: unknown, context: z.RefinementCtx): unknown {
  try {
    return JSON.parse(JSON.stringify(value, orThrow));
  } catch {
    context.addIssue({ code: "custom", message: "Must be a JSON value" });
    return z.NEVER;
  }
}

function orThrow(_name: string, value: unknown): unknown {
  if (typeof value === "number" && !Number.isFinite(value)) throw new TypeError("not a JSON number");
  return value;
}

const tenantId = z.string().min(1).max(64);
const publishArguments = z.object({
  tenantId,
  publication: z.preprocess(asJson, publication),
  idempotencyKey: idempotencyKey.nullable(),
});
const batchArguments = z.object({ tenantId, batch: z.preprocess(asJson, publicationBatch) });

/** A Worker with this binding may publish for every tenant. */
export class EventPublisher extends WorkerEntrypoint<Env> {
  /**
   * Publishes one event, as `POST /events` does, and returns it. `key` is its idempotency key. Throws
   * VALIDATION_FAILED, PAYLOAD_TOO_LARGE above 256 KiB, NOT_FOUND for an unknown tenant, and what `publishEvents`
   * throws. The caller receives only the message of the error.
   */
  async publish(tenant: string, event: z.input<typeof publication>, key: string | null = null): Promise<Published> {
    const deps = await createDeps(this.env, this.ctx);
    return logged(deps, "EventPublisher.publish", async (fields) => {
      const checked = publishArguments.safeParse({ tenantId: tenant, publication: event, idempotencyKey: key });
      if (!checked.success) throw invalid(checked.error);
      const { correlationId } = checked.data.publication;
      Object.assign(fields, { tenantId: checked.data.tenantId, correlationId });
      const input = inputOf(checked.data.publication, checked.data.idempotencyKey);
      const [published] = await publishBounded(deps, checked.data.tenantId, [input], MAX_EVENT_BYTES);
      if (!published) throw new Error("no event was accepted");
      fields.eventId = published.id;
      return published;
    });
  }

  /**
   * Publishes 1 to 100 events, either all or none, as `POST /events/batch` does. Throws what `publish` throws; the
   * limit is 1 MiB.
   */
  async publishBatch(tenant: string, events: z.input<typeof publicationBatch>["events"]): Promise<Published[]> {
    const deps = await createDeps(this.env, this.ctx);
    return logged(deps, "EventPublisher.publishBatch", async (fields) => {
      const checked = batchArguments.safeParse({ tenantId: tenant, batch: { events } });
      if (!checked.success) throw invalid(checked.error);
      fields.tenantId = checked.data.tenantId;
      const inputs = checked.data.batch.events.map((event, position) => ({
        ...inputOf(event, event.idempotencyKey ?? null),
        path: `events.${position}.`,
      }));
      return publishBounded(deps, checked.data.tenantId, inputs, MAX_BATCH_BYTES);
    });
  }
}

const inputOf = (event: z.output<typeof publication>, key: string | null): EventInput => ({
  type: event.type,
  payload: JSON.stringify(event.payload),
  correlationId: event.correlationId ?? null,
  idempotencyKey: key,
  orderKey: event.orderKey ?? null,
  schemaVersion: versionAsked(event.schemaVersion),
});

async function publishBounded(
  deps: Deps,
  tenant: string,
  inputs: EventInput[],
  maxBytes: number,
): Promise<Published[]> {
  const bytes = inputs.reduce((sum, { payload }) => sum + utf8(payload).length, 0);
  if (bytes > maxBytes) {
    throw new AppError("PAYLOAD_TOO_LARGE", { message: `The payload is larger than ${maxBytes / KIB} KiB.` });
  }
  // Only the service itself publishes in the tenant of the platform.
  const ref = tenant === PLATFORM_TENANT ? undefined : await findTenant(deps, tenant);
  if (!ref) throw notFound("Tenant");
  if (ref.isTenantSuspended) throw tenantSuspended();
  return publishEvents(deps, ref, inputs, 0);
}

/** Writes the same log line as `http/request-log.ts` does for a request. `work` adds its own fields. */
async function logged<T>(deps: Deps, route: string, work: (fields: LogFields) => Promise<T>): Promise<T> {
  const startedMs = deps.now();
  const fields: LogFields = { requestId: newId(), method: "RPC", route, status: ACCEPTED };
  try {
    return await work(fields);
  } catch (error) {
    fields.status = error instanceof AppError ? error.status : 500;
    if (fields.status === 500) {
      log("error", "unexpected error", { requestId: fields.requestId, ...describeError(error) });
    }
    throw error;
  } finally {
    const level = fields.status === 500 ? "error" : "info";
    log(level, "request", { ...fields, ms: deps.now() - startedMs, d1Trips: deps.trips.trips });
  }
}
