/** `/console/webhooks/:id/...`: pausing, resuming and testing. */
import { resend } from "../../webhooks/resend/api";
import { subscriptions } from "../../webhooks/subscriptions/api";
import { flash } from "../http/page";
import { Pages } from "../http/pages";

export const operationPages = new Pages()
  .form("/:id/pause", subscriptions.pause, { done: flash("/webhooks/:id", "paused") })
  .form("/:id/resume", subscriptions.resume, {
    input: (_, c) => ({ held: c.req.query("held") === "drop" ? "drop" : "send" }),
    done: flash("/webhooks/:id", "resumed"),
  })
  .form("/:id/test", resend.test, { done: flash("/webhooks/:id#log", "tested") }).router;
