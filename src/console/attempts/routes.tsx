/** `/console/webhooks/:id/attempts/:attemptId`: one attempt, its payload as a download, and a retry of its delivery. */
import { type Context, Hono } from "hono";
import { notFound } from "../../platform/errors";
import type { AppEnv } from "../../platform/http/env";
import { can } from "../../platform/http/permissions";
import { limit } from "../../platform/http/rate-limit";
import { attemptOfSubscription } from "../../webhooks/log/delivery-log";
import { retryDelivery } from "../../webhooks/resend/retries";
import { sendNow } from "../../webhooks/resend/waiting";
import { readWaiting } from "../../webhooks/resend/waiting-store";
import { findSubscription } from "../../webhooks/subscriptions/store";
import type { Failure } from "../failure";
import { page, redirectWithFlash, rerenderOnError } from "../http/page";
import { nextAttemptOf } from "../subscriptions/next-attempt";
import { AttemptPage } from "./page";

const readLimit = limit("readDeliveries", "tenant");

async function attemptPage(c: Context<AppEnv>, id: string, attemptId: string, failure?: Failure, status = 200) {
  const deps = c.get("deps");
  const principal = c.get("principal");
  const [attempt, webhook] = await Promise.all([
    attemptOfSubscription(deps, principal, id, attemptId),
    findSubscription(deps, principal, id),
  ]);
  if (!webhook) throw notFound("Webhook");
  const isWaiting = attempt.attempts.at(-1)?.status === "failed";
  const waiting = isWaiting ? await readWaiting(deps, principal, id, attempt.deliveryId) : undefined;
  const next =
    waiting &&
    nextAttemptOf(
      { dueAt: waiting.slotAt ?? waiting.dueAt, attempts: waiting.attempts },
      webhook.options?.retry?.schedule,
      deps.now(),
    );
  return page(
    c,
    { title: `${attempt.eventType} to ${webhook.name}`, section: "subscriptions", status },
    <AttemptPage
      attempt={attempt}
      webhookName={webhook.name}
      next={next}
      mayEndWait={webhook.enabled && waiting?.slotAt === null}
      failure={failure}
      permissions={principal.permissions}
    />,
  );
}

export const attemptPages = new Hono<AppEnv>()
  .get("/:id/attempts/:attemptId", can("webhook.read"), readLimit, (c) =>
    attemptPage(c, c.req.param("id"), c.req.param("attemptId")),
  )
  .get("/:id/attempts/:attemptId/payload", can("webhook.read"), readLimit, async (c) => {
    const attempt = await attemptOfSubscription(
      c.get("deps"),
      c.get("principal"),
      c.req.param("id"),
      c.req.param("attemptId"),
    );
    return c.body(JSON.stringify(attempt.payload), 200, {
      "Content-Type": "application/json",
      "Content-Disposition": `attachment; filename="${attempt.deliveryId}.json"`,
    });
  })
  .post("/:id/attempts/:attemptId/retry", can("webhook.update"), limit("redeliver", "tenant"), (c) =>
    sendAgain(c, retryDelivery),
  )
  .post("/:id/attempts/:attemptId/now", can("webhook.update"), limit("redeliver", "tenant"), (c) =>
    sendAgain(c, sendNow),
  );

/** Queues the delivery of the attempt with `send`, and shows the log. */
async function sendAgain(
  c: Context<AppEnv, "/:id/attempts/:attemptId/*">,
  send: typeof retryDelivery | typeof sendNow,
): Promise<Response> {
  const [deps, principal] = [c.get("deps"), c.get("principal")];
  const { id, attemptId } = c.req.param();
  const { deliveryId } = await attemptOfSubscription(deps, principal, id, attemptId);
  return rerenderOnError(
    c,
    async () => {
      await send(deps, principal, id, deliveryId);
      return redirectWithFlash(c, `/webhooks/${id}#log`, "retried");
    },
    (failure, status) => attemptPage(c, id, attemptId, failure, status),
  );
}
