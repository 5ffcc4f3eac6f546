/** `/console/webhooks/:id/...`: pausing, resuming and testing. */
import { type Context, Hono } from "hono";
import type { AppEnv } from "../../platform/http/env";
import { pathParam } from "../../platform/http/operation";
import { resend } from "../../webhooks/resend/operations";
import { subscriptions } from "../../webhooks/subscriptions/operations";
import type { FlashKey } from "../flash-messages";
import { form } from "../http/form";
import { redirectWithFlash } from "../http/page";

const backWith = (flash: FlashKey, anchor = "") => ({
  done: (c: Context<AppEnv>) => redirectWithFlash(c, `/webhooks/${pathParam(c, "id")}${anchor}`, flash),
});

export const operationPages = new Hono<AppEnv>()
  .post("/:id/pause", ...form(subscriptions.pause, backWith("paused")))
  .post(
    "/:id/resume",
    ...form(subscriptions.resume, {
      input: (_, c) => ({ held: c.req.query("held") === "drop" ? "drop" : "send" }),
      ...backWith("resumed"),
    }),
  )
  .post("/:id/test", ...form(resend.test, backWith("tested", "#log")));
