/** `/console/webhooks/:id/attempts/:attemptId`: one attempt, its payload as a download, and a retry of its delivery. */
import { type Context, Hono } from "hono";
import { notFound } from "../../platform/errors";
import type { AppEnv } from "../../platform/http/env";
import { pathParam, requires } from "../../platform/http/operation";
import type { Operation } from "../../platform/operation";
import { READ_DELIVERIES } from "../../webhooks/access";
import { attemptWithText } from "../../webhooks/log/delivery-log";
import { resend } from "../../webhooks/resend/operations";
import { readWaiting } from "../../webhooks/resend/send-now-store";
import { findSubscription } from "../../webhooks/subscriptions/store";
import { form } from "../http/form";
import { jsonFile, page, type Refused, redirectWithFlash } from "../http/page";
import { nextAttemptOf } from "../subscriptions/next-attempt";
import { AttemptPage } from "./page";

const attemptOf = (c: Context<AppEnv>) =>
  attemptWithText(c.get("deps"), c.get("principal"), pathParam(c, "id"), pathParam(c, "attemptId"));

async function attemptPage(c: Context<AppEnv>, refused?: Refused) {
  const deps = c.get("deps");
  const principal = c.get("principal");
  const id = pathParam(c, "id");
  const [{ attempt, payloadText, sentText }, webhook] = await Promise.all([
    attemptOf(c),
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
    { title: `${attempt.eventType} to ${webhook.name}`, section: "subscriptions", status: refused?.status },
    <AttemptPage
      attempt={attempt}
      payloadText={payloadText}
      sentText={sentText}
      webhookName={webhook.name}
      url={webhook.isListener ? null : webhook.url}
      next={next}
      mayEndWait={webhook.enabled && waiting?.slotAt === null}
      failure={refused?.failure}
      permissions={principal.permissions}
    />,
  );
}

/** The form that queues the delivery of the attempt with `operation`, and shows the log. */
const sendAgain = (operation: Operation<unknown, unknown>) =>
  form(operation, {
    params: async (c) => ({ deliveryId: (await attemptOf(c)).attempt.deliveryId }),
    done: (c) => redirectWithFlash(c, `/webhooks/${pathParam(c, "id")}#log`, "retried"),
    again: attemptPage,
  });

export const attemptPages = new Hono<AppEnv>()
  .get("/:id/attempts/:attemptId", requires(READ_DELIVERIES), (c) => attemptPage(c))
  .get("/:id/attempts/:attemptId/payload", requires(READ_DELIVERIES), async (c) => {
    const { attempt, payloadText } = await attemptOf(c);
    return c.body(payloadText ?? "null", 200, jsonFile(attempt.deliveryId));
  })
  .post("/:id/attempts/:attemptId/retry", ...sendAgain(resend.delivery))
  .post("/:id/attempts/:attemptId/now", ...sendAgain(resend.now));
