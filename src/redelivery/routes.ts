/** `/webhooks/:id/...`: sending again, and sending a test. */
import { Hono } from "hono";
import type { AppEnv } from "../http/env";
import { can } from "../http/permissions";
import { byTenant, limit } from "../http/rate-limit";
import { describeRoute } from "../http/route-docs";
import { body } from "../http/validate";
import { says } from "../wire/schemas";
import { retryDelivery, retryFailed, retryLatest, sendTest } from "./redelivery";
import { retryFailedRequest, retryFailedResult } from "./schemas";

const limited = limit("redeliver", byTenant);
const REFUSALS = { errors: ["NOT_FOUND", "EMAIL_NOT_VERIFIED"] } as const;

export const redeliveryRoutes = new Hono<AppEnv>()
  .post(
    "/:id/retry",
    describeRoute(
      "retryWebhook",
      "Sends the latest failed delivery again. While such a retry is under way, no second one is queued.",
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
    describeRoute("retryDelivery", "Sends one failed delivery again, under a new id and the rule of `retry`.", {
      200: says("Retry queued"),
      ...REFUSALS,
    }),
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
      "Sends again what has failed of the events since then, under the same `webhook-id`s.",
      {
        200: retryFailedResult,
        errors: ["NOT_FOUND", "CONFLICT", "EMAIL_NOT_VERIFIED"],
        description: "At most 500 deliveries a call; `nextCursor` leads to the rest. Refused while paused.",
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
    describeRoute("testWebhook", "Sends a synthetic `WebhookTested` delivery.", {
      200: says("Test delivery queued"),
      ...REFUSALS,
    }),
    limited,
    can("webhook.update"),
    async (c) => {
      await sendTest(c.get("deps"), c.get("principal"), c.req.param("id"));
      return c.json({ message: "Test delivery queued" });
    },
  );
