/** `/console/webhooks/:id/...`: pausing, resuming, testing and retrying. */
import { type Context, Hono } from "hono";
import type { Deps } from "../../deps";
import type { Publisher } from "../../events/publish";
import type { AppEnv } from "../../http/env";
import { can } from "../../http/permissions";
import { byTenant, limit } from "../../http/rate-limit";
import { retryFailed, sendTest } from "../../redelivery/retries";
import { retryFailedRequest } from "../../redelivery/schemas";
import { changeSubscription } from "../../subscriptions/changes";
import { HOUR_MS, iso } from "../../time";
import { parse } from "../failure";
import type { FlashKey } from "../flash-messages";
import { readForm } from "../http/form";
import { redirectWithFlash, rerenderOnError } from "../http/page";
import { detailPage } from "../subscriptions/routes";

const DEFAULT_HOURS = 24;
const MAX_HOURS = 30 * 24;
/** A page holds up to 500 deliveries. For more failures than these pages hold, the user presses the button again. */
const MAX_PAGES = 5;

const writeLimit = limit("writeWebhook", byTenant);
const redeliveryLimit = limit("redeliver", byTenant);

async function setEnabled(c: Context<AppEnv>, id: string, enabled: boolean): Promise<Response> {
  const held = c.req.query("held") === "drop" ? "drop" : "send";
  await changeSubscription(c.get("deps"), c.get("principal"), id, { enabled, held });
  return redirectWithFlash(c, `/webhooks/${id}`, enabled ? "resumed" : "paused");
}

/** Queues a retry for each delivery that failed since `sinceMs`, page by page. Returns the flash message to show. */
async function retryAllFailed(deps: Deps, tenant: Publisher, id: string, sinceMs: number): Promise<FlashKey> {
  const since = iso(sinceMs);
  let total = 0;
  let cursor: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const { queued, nextCursor } = await retryFailed(deps, tenant, id, parse(retryFailedRequest, { since, cursor }));
    total += queued;
    if (nextCursor === null) return total === 0 ? "nothingFailed" : "retried";
    cursor = nextCursor;
  }
  return "partlyRetried";
}

export const operationPages = new Hono<AppEnv>()
  .post("/:id/pause", writeLimit, can("webhook.update"), (c) => setEnabled(c, c.req.param("id"), false))
  .post("/:id/resume", writeLimit, can("webhook.update"), (c) => setEnabled(c, c.req.param("id"), true))
  .post("/:id/test", redeliveryLimit, can("webhook.update"), async (c) => {
    const id = c.req.param("id");
    await sendTest(c.get("deps"), c.get("principal"), id);
    return redirectWithFlash(c, `/webhooks/${id}#log`, "tested");
  })
  .post("/:id/retry-failed", redeliveryLimit, can("webhook.update"), async (c) => {
    const deps = c.get("deps");
    const id = c.req.param("id");
    const hours = Number((await readForm(c)).text("hours")) || DEFAULT_HOURS;
    return rerenderOnError(
      c,
      async () => {
        const sinceMs = deps.now() - Math.min(Math.max(hours, 1), MAX_HOURS) * HOUR_MS;
        return redirectWithFlash(c, `/webhooks/${id}#log`, await retryAllFailed(deps, c.get("principal"), id, sinceMs));
      },
      (failure, status, error) => {
        if (error.code === "NOT_FOUND") throw error;
        return detailPage(c, id, failure, status);
      },
    );
  });
