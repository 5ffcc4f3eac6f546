/** `/webhooks`: subscriptions and what is done with them, all scoped to the caller's tenant. */
import { type Context, Hono } from "hono";
import { z } from "zod";
import { notFound } from "../errors";
import { describe } from "../http/describe";
import type { AppEnv } from "../http/env";
import { can } from "../http/principal";
import { dataOf, says } from "../http/schemas";
import { body } from "../http/validate";
import { queueFailed, queueRetry, queueRetryOf, queueTest } from "./operations/queue";
import { countAttempts } from "./operations/store";
import { attemptCounts, failedSince, newSubscription, queuedAgain, subscription, subscriptionChange } from "./schemas";
import { deleteSubscription, findSubscription, listSubscriptions } from "./store";
import { changeSubscription, createSubscription } from "./subscriptions";
import { subscriptionView } from "./view";

const MISSING = { errors: ["NOT_FOUND"] } as const;

const setEnabled = async (c: Context<AppEnv, "/:id">, enabled: boolean) =>
  changeSubscription(c.get("deps"), c.get("principal").tenantId, c.req.param("id"), { enabled });

export const webhookRoutes = new Hono<AppEnv>()
  .post(
    "/",
    describe("createWebhook", "Subscribes a URL to event types.", {
      201: { body: dataOf(subscription), id: "/data/_id" },
    }),
    can("webhook.create"),
    body(newSubscription),
    async (c) => {
      const deps = c.get("deps");
      const row = await createSubscription(deps, c.get("principal").tenantId, c.req.valid("json"));
      return c.json({ data: await subscriptionView(deps, row) }, 201);
    },
  )
  .get(
    "/",
    describe("listWebhooks", "The tenant's subscriptions, newest first.", { 200: dataOf(z.array(subscription)) }),
    can("webhook.read"),
    async (c) => {
      const deps = c.get("deps");
      const rows = await listSubscriptions(deps, c.get("principal").tenantId);
      return c.json({ data: await Promise.all(rows.map((row) => subscriptionView(deps, row))) });
    },
  )
  .get(
    "/:id",
    describe("getWebhook", "One subscription.", { 200: dataOf(subscription), ...MISSING }),
    can("webhook.read"),
    async (c) => {
      const deps = c.get("deps");
      const row = await findSubscription(deps, c.get("principal").tenantId, c.req.param("id"));
      if (!row) throw notFound("Webhook");
      return c.json({ data: await subscriptionView(deps, row) });
    },
  )
  .patch(
    "/:id",
    describe("updateWebhook", "Changes the given fields.", { 200: dataOf(subscription), ...MISSING }),
    can("webhook.update"),
    body(subscriptionChange),
    async (c) => {
      const deps = c.get("deps");
      const row = await changeSubscription(deps, c.get("principal").tenantId, c.req.param("id"), c.req.valid("json"));
      return c.json({ data: await subscriptionView(deps, row) });
    },
  )
  .delete(
    "/:id",
    describe("deleteWebhook", "Deletes a subscription; nothing is sent to it any more.", {
      200: says("Webhook deleted"),
      ...MISSING,
    }),
    can("webhook.delete"),
    async (c) => {
      const deps = c.get("deps");
      const deleted = await deleteSubscription(deps, c.get("principal").tenantId, c.req.param("id"), deps.now());
      if (!deleted) throw notFound("Webhook");
      return c.json({ message: "Webhook deleted" });
    },
  )
  .post(
    "/:id/pause",
    describe("pauseWebhook", "New events skip it until it is resumed.", { 200: says("Webhook paused"), ...MISSING }),
    can("webhook.update"),
    async (c) => {
      await setEnabled(c, false);
      return c.json({ message: "Webhook paused" });
    },
  )
  .post(
    "/:id/resume",
    describe("resumeWebhook", "New events go to it again.", { 200: says("Webhook resumed"), ...MISSING }),
    can("webhook.update"),
    async (c) => {
      await setEnabled(c, true);
      return c.json({ message: "Webhook resumed" });
    },
  )
  .post(
    "/:id/retry",
    describe(
      "retryWebhook",
      "Sends the latest failed delivery again. While such a retry is under way, no second one is queued.",
      { 200: says("Retry queued"), ...MISSING },
    ),
    can("webhook.update"),
    async (c) => {
      await queueRetry(c.get("deps"), c.get("principal").tenantId, c.req.param("id"));
      return c.json({ message: "Retry queued" });
    },
  )
  .post(
    "/:id/deliveries/:deliveryId/retry",
    describe("retryDelivery", "Sends one failed delivery again, under a new id and the rule of `retry`.", {
      200: says("Retry queued"),
      ...MISSING,
    }),
    can("webhook.update"),
    async (c) => {
      await queueRetryOf(c.get("deps"), c.get("principal").tenantId, c.req.param("id"), c.req.param("deliveryId"));
      return c.json({ message: "Retry queued" });
    },
  )
  .post(
    "/:id/retry-failed",
    describe("retryFailed", "Sends again what has failed of the events since then, under the same `webhook-id`s.", {
      200: queuedAgain,
      errors: ["NOT_FOUND", "CONFLICT"],
      description: "At most 500 deliveries a call; `nextCursor` leads to the rest. Refused while paused.",
    }),
    can("webhook.update"),
    body(failedSince),
    async (c) => {
      const { tenantId } = c.get("principal");
      const { queued, nextCursor } = await queueFailed(c.get("deps"), tenantId, c.req.param("id"), c.req.valid("json"));
      return c.json({ message: `${queued} ${queued === 1 ? "delivery" : "deliveries"} queued`, nextCursor });
    },
  )
  .post(
    "/:id/test",
    describe("testWebhook", "Sends a synthetic `WebhookTested` delivery.", {
      200: says("Test delivery queued"),
      ...MISSING,
    }),
    can("webhook.update"),
    async (c) => {
      await queueTest(c.get("deps"), c.get("principal").tenantId, c.req.param("id"));
      return c.json({ message: "Test delivery queued" });
    },
  )
  .get(
    "/:id/metrics",
    describe("getWebhookMetrics", "Counts of its delivery attempts.", { 200: dataOf(attemptCounts), ...MISSING }),
    can("webhook.read"),
    async (c) => {
      const counts = await countAttempts(c.get("deps"), c.get("principal").tenantId, c.req.param("id"));
      if (!counts) throw notFound("Webhook");
      return c.json({ data: counts });
    },
  );
