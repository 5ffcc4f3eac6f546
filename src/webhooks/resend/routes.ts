/** `/webhooks/:id/...`: manual retries and tests. */

import { Hono } from "hono";
import type { AppEnv } from "../../platform/http/env";
import { action, serve } from "../../platform/http/operation";
import { describeRoute } from "../../platform/http/route-docs";
import { resend } from "./operations";
import { retryFailedResult } from "./schemas";

const REFUSALS = { errors: ["NOT_FOUND", "EMAIL_NOT_VERIFIED"] } as const;

export const resendRoutes = new Hono<AppEnv>()
  .post(
    "/:id/retry",
    ...action(resend.latest, {
      id: "retryWebhook",
      summary: "Sends the latest failed delivery again. While such a retry is in progress, no second one is queued.",
      message: "Retry queued",
      ...REFUSALS,
    }),
  )
  .post(
    "/:id/deliveries/:deliveryId/retry",
    ...action(resend.delivery, {
      id: "retryDelivery",
      summary: "Sends one failed delivery again, as a new delivery, unless such a retry is in progress.",
      message: "Retry queued",
      ...REFUSALS,
    }),
  )
  .post(
    "/:id/retry-failed",
    describeRoute(
      "retryFailed",
      "Sends again all failed deliveries of events since a given time, under the same `webhook-id`s.",
      {
        200: retryFailedResult,
        errors: ["NOT_FOUND", "CONFLICT", "EMAIL_NOT_VERIFIED"],
        description:
          "A call queues at most 500 deliveries; `nextCursor` is the cursor for the rest. Answers 409 while the " +
          "subscription is paused.",
      },
    ),
    ...serve(resend.failed, (c, { queued, nextCursor }) =>
      c.json({ message: `${queued} ${queued === 1 ? "delivery" : "deliveries"} queued`, nextCursor }),
    ),
  )
  .post(
    "/:id/test",
    ...action(resend.test, {
      id: "testWebhook",
      summary: "Sends a synthetic `WebhookTested` event to this subscription alone.",
      message: "Test delivery queued",
      ...REFUSALS,
      description:
        "While the tenant's sends are frozen by an operator of the service, the test waits like all other deliveries.",
    }),
  );
