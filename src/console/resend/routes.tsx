/** `/console/webhooks/:id/...`: pausing, resuming and testing. */
import { type Context, Hono } from "hono";
import type { AppEnv } from "../../platform/http/env";
import { can } from "../../platform/http/permissions";
import { limit } from "../../platform/http/rate-limit";
import { sendTest } from "../../webhooks/resend/retries";
import { changeSubscription } from "../../webhooks/subscriptions/changes";
import { redirectWithFlash } from "../http/page";

const writeLimit = limit("writeWebhook", "tenant");
const redeliveryLimit = limit("redeliver", "tenant");

async function setEnabled(c: Context<AppEnv>, id: string, enabled: boolean): Promise<Response> {
  const held = c.req.query("held") === "drop" ? "drop" : "send";
  await changeSubscription(c.get("deps"), c.get("principal"), id, { enabled, held });
  return redirectWithFlash(c, `/webhooks/${id}`, enabled ? "resumed" : "paused");
}

export const operationPages = new Hono<AppEnv>()
  .post("/:id/pause", can("webhook.update"), writeLimit, (c) => setEnabled(c, c.req.param("id"), false))
  .post("/:id/resume", can("webhook.update"), writeLimit, (c) => setEnabled(c, c.req.param("id"), true))
  .post("/:id/test", can("webhook.update"), redeliveryLimit, async (c) => {
    const id = c.req.param("id");
    await sendTest(c.get("deps"), c.get("principal"), id);
    return redirectWithFlash(c, `/webhooks/${id}#log`, "tested");
  });
