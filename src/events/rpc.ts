/** The door for other Workers: a service binding to the entrypoint `EventPublisher` publishes without HTTP. */
import { WorkerEntrypoint } from "cloudflare:workers";
import { z } from "zod";
import { createDeps } from "../deps";
import { invalid } from "../errors";
import { idempotencyKey, type Published, publication } from "./publication";
import { publish } from "./publish";

const publishArguments = z.object({
  tenantId: z.string().min(1).max(64),
  publication,
  idempotencyKey: idempotencyKey.nullable(),
});

/** Whoever holds the binding is trusted with every tenant. */
export class EventPublisher extends WorkerEntrypoint<Env> {
  /** As `POST /events`. Rejects with the message of VALIDATION_FAILED or CONFLICT. */
  async publish(tenantId: string, event: z.input<typeof publication>, key: string | null = null): Promise<Published> {
    const checked = publishArguments.safeParse({ tenantId, publication: event, idempotencyKey: key });
    if (!checked.success) throw invalid(checked.error);
    const deps = await createDeps(this.env, this.ctx);
    return publish(deps, checked.data.tenantId, checked.data.publication, checked.data.idempotencyKey);
  }
}
