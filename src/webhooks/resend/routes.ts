/** `/webhooks/:id/...`: manual retries and tests. */
import { Hono } from "hono";
import type { AppEnv } from "../../platform/http/env";
import { can } from "../../platform/http/permissions";
import { byTenant, limit } from "../../platform/http/rate-limit";
import { describeRoute } from "../../platform/http/route-docs";
import { body } from "../../platform/http/validate";
import { says } from "../../platform/schemas/schemas";
import { retryDelivery, retryFailed, retryLatest, sendTest } from "./retries";
import { retryFailedRequest, retryFailedResult } from "./schemas";

const limited = limit("redeliver", byTenant);
const REFUSALS = { errors: ["NOT_FOUND", "EMAIL_NOT_VERIFIED"] } as const;

export const redeliveryRoutes = new Hono<AppEnv>()
  .post(
    "/:id/retry",
    describeRoute(
      "retryWebhook",
      "Sends the latest failed delivery again. While such a retry is in progress, no second one is queued.",
      { 200: says("Retry queued"), ...REFUSALS },
    ),
    limited,
    can("webhook.update"),
    async (c) => {
      await retryLatest(c.get("deps"), c.get("principal"), c.req.param("id"));
      return c.json({ message: "Retry queued" });
    },
  )
  .post(
    "/:id/deliveries/:deliveryId/retry",
    describeRoute(
      "retryDelivery",
      "Sends one failed delivery again, as a new delivery, unless such a retry is in progress.",
      {
        200: says("Retry queued"),
        ...REFUSALS,
      },
    ),
    limited,
    can("webhook.update"),
    async (c) => {
      await retryDelivery(c.get("deps"), c.get("principal"), c.req.param("id"), c.req.param("deliveryId"));
      return c.json({ message: "Retry queued" });
    },
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
    limited,
    can("webhook.update"),
    body(retryFailedRequest),
    async (c) => {
      const { queued, nextCursor } = await retryFailed(
        c.get("deps"),
        c.get("principal"),
        c.req.param("id"),
        c.req.valid("json"),
      );
      return c.json({ message: `${queued} ${queued === 1 ? "delivery" : "deliveries"} queued`, nextCursor });
    },
  )
  .post(
    "/:id/test",
    describeRoute("testWebhook", "Sends a synthetic `WebhookTested` event to this subscription alone.", {
      200: says("Test delivery queued"),
      ...REFUSALS,
      description:
        "While an operator of the service holds the tenant's sends, the test waits like all other deliveries.",
    }),
    limited,
    can("webhook.update"),
    async (c) => {
      await sendTest(c.get("deps"), c.get("principal"), c.req.param("id"));
      return c.json({ message: "Test delivery queued" });
    },
  );
