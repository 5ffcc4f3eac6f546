/** `/webhooks/:id/...`: manual retries and tests. */

import { Hono } from "hono";
import type { AppEnv } from "../../base/http/env";
import { saying, serve } from "../../base/http/operation";
import { describeRoute } from "../../base/http/route-docs";
import { resend } from "./operations";
import { retryFailedResult } from "./schemas";

const REFUSALS = { errors: ["NOT_FOUND", "EMAIL_NOT_VERIFIED"] } as const;

export const resendRoutes = new Hono<AppEnv>()
  .post(
    "/:id/retry",
    describeRoute(
      "retryWebhook",
      "Sends the latest failed delivery again. While such a retry is in progress, no second one is queued.",
      () => REFUSALS,
    ),
    ...serve(resend.latest, saying("Retry queued")),
  )
  .post(
    "/:id/deliveries/:deliveryId/retry",
    describeRoute(
      "retryDelivery",
      "Sends one failed delivery again, as a new delivery, unless such a retry is in progress.",
      () => REFUSALS,
    ),
    ...serve(resend.delivery, saying("Retry queued")),
  )
  .post(
    "/:id/retry-failed",
    describeRoute(
      "retryFailed",
      "Sends again all failed deliveries of events since a given time, under the same `webhook-id`s.",
      () => ({
        200: retryFailedResult,
        errors: ["NOT_FOUND", "CONFLICT", "EMAIL_NOT_VERIFIED"],
        description:
          "A call queues at most 500 deliveries; `nextCursor` is the cursor for the rest. Answers 409 while the " +
          "subscription is paused.",
      }),
    ),
    ...serve(resend.failed, (c, { queued, nextCursor }) =>
      c.json({ message: `${queued} ${queued === 1 ? "delivery" : "deliveries"} queued`, nextCursor }),
    ),
  )
  .post(
    "/:id/test",
    describeRoute("testWebhook", "Sends a synthetic `WebhookTested` event to this subscription alone.", () => ({
      ...REFUSALS,
      description:
        "While the tenant's sends are frozen by an operator of the service, the test waits like all other deliveries.",
    })),
    ...serve(resend.test, saying("Test delivery queued")),
  );
