/** `/console/webhooks/:id/attempts/:attemptId`: one attempt, its payload as a download, and a retry of its delivery. */
import type { Context } from "hono";
import { notFound } from "../../base/errors";
import type { AppEnv } from "../../base/http/env";
import { pathParam, requires } from "../../base/http/operation";
import { READ_DELIVERIES } from "../../webhooks/access";
import { attemptWithText } from "../../webhooks/log/delivery-log";
import { resend } from "../../webhooks/resend/api";
import { findWaiting } from "../../webhooks/resend/send-now-store";
import { findSubscription } from "../../webhooks/subscriptions/store";
import { Say } from "../components/mount";
import { flash, jsonFile, page, type Refused } from "../http/page";
import { Pages } from "../http/pages";
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
  const waiting = isWaiting ? await findWaiting(deps, principal, id, attempt.deliveryId) : undefined;
  const next =
    waiting &&
    nextAttemptOf(
      { dueAt: waiting.slotAt ?? waiting.dueAt, attempts: waiting.attempts },
      webhook.options?.retry?.schedule,
      deps.now(),
    );
  return page(
    c,
    {
      title: <Say of="portal.fromAttempt" values={{ type: attempt.eventType, name: webhook.name }} />,
      section: "subscriptions",
      refused,
    },
    <AttemptPage
      attempt={attempt}
      payloadText={payloadText}
      sentText={sentText}
      webhookName={webhook.name}
      url={webhook.isListener ? null : webhook.url}
      next={next}
      mayEndWait={webhook.enabled && waiting?.slotAt === null}
      permissions={principal.permissions}
    />,
  );
}

/** The forms that queue the delivery of the attempt, and then show the log. */
const SENT_AGAIN = {
  params: async (c: Context<AppEnv>) => ({ deliveryId: (await attemptOf(c)).attempt.deliveryId }),
  done: flash("/webhooks/:id#log", "retried"),
  again: attemptPage,
};

export const attemptPages = new Pages()
  .get("/:id/attempts/:attemptId", requires(READ_DELIVERIES), (c) => attemptPage(c))
  .get("/:id/attempts/:attemptId/payload", requires(READ_DELIVERIES), async (c) => {
    const { attempt, payloadText } = await attemptOf(c);
    return c.body(payloadText ?? "null", 200, jsonFile(attempt.deliveryId));
  })
  .form("/:id/attempts/:attemptId/retry", resend.delivery, SENT_AGAIN)
  .form("/:id/attempts/:attemptId/now", resend.now, SENT_AGAIN).router;
