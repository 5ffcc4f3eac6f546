/** The door for other Workers: a service binding to the entrypoint `EventPublisher` publishes without HTTP. */
import { WorkerEntrypoint } from "cloudflare:workers";
import { z } from "zod";
import { newId } from "../db/ids";
import { createDeps, type Deps } from "../deps";
import { AppError, invalid } from "../errors";
import { describeError, type LogFields, log } from "../log";
import { idempotencyKey, type Published, publication } from "./publication";
import { publish } from "./publish";

const ACCEPTED = 202;
const publishArguments = z.object({
  tenantId: z.string().min(1).max(64),
  publication,
  idempotencyKey: idempotencyKey.nullable(),
});

/** Whoever holds the binding is trusted with every tenant. */
export class EventPublisher extends WorkerEntrypoint<Env> {
  /** As `POST /events`. Rejects with the message of VALIDATION_FAILED or CONFLICT. */
  async publish(tenantId: string, event: z.input<typeof publication>, key: string | null = null): Promise<Published> {
    const deps = await createDeps(this.env, this.ctx);
    return logged(deps, async (fields) => {
      const checked = publishArguments.safeParse({ tenantId, publication: event, idempotencyKey: key });
      if (!checked.success) throw invalid(checked.error);
      const { tenantId: tenant, publication: wanted, idempotencyKey: usedKey } = checked.data;
      Object.assign(fields, { tenantId: tenant, correlationId: wanted.correlationId });
      const published = await publish(deps, tenant, wanted, usedKey);
      fields.eventId = published.id;
      return published;
    });
  }
}

/** The log line that `http/request-log.ts` writes for a request. `work` adds what it learns to `fields`. */
async function logged<T>(deps: Deps, work: (fields: LogFields) => Promise<T>): Promise<T> {
  const startedMs = deps.now();
  const fields: LogFields = { requestId: newId(), method: "RPC", route: "EventPublisher.publish", status: ACCEPTED };
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
