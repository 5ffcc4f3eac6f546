/** `/webhooks`: creating, reading, changing, pausing and deleting the subscriptions of the caller's tenant. */
import { type Context, Hono } from "hono";
import { z } from "zod";
import { notFound } from "../../platform/errors";
import type { AppEnv } from "../../platform/http/env";
import { can } from "../../platform/http/permissions";
import { byTenant, limit } from "../../platform/http/rate-limit";
import { describeRoute } from "../../platform/http/route-docs";
import { body, query } from "../../platform/http/validate";
import { dataOf, says } from "../../platform/schemas/schemas";
import { changeSubscription, createSubscription } from "./changes";
import { newSubscription, resumption, subscription, subscriptionChange } from "./schemas";
import { deleteSubscription, findSubscription, listSubscriptions } from "./store";
import { subscriptionView } from "./view";

const limited = limit("writeWebhook", byTenant);
const MISSING = { errors: ["NOT_FOUND"] } as const;

const setEnabled = async (c: Context<AppEnv, "/:id">, enabled: boolean, held?: "send" | "drop") =>
  changeSubscription(c.get("deps"), c.get("principal"), c.req.param("id"), { enabled, held });

export const subscriptionRoutes = new Hono<AppEnv>()
  .post(
    "/",
    describeRoute("createWebhook", "Subscribes a URL to event types.", {
      201: { body: dataOf(subscription), id: "/data/_id" },
      errors: ["CONFLICT", "EMAIL_NOT_VERIFIED"],
    }),
    limited,
    can("webhook.create"),
    body(newSubscription),
    async (c) => {
      const deps = c.get("deps");
      const row = await createSubscription(deps, c.get("principal"), c.req.valid("json"));
      return c.json({ data: await subscriptionView(deps, row) }, 201);
    },
  )
  .get(
    "/",
    describeRoute("listWebhooks", "Lists the tenant's subscriptions, newest first.", {
      200: dataOf(z.array(subscription)),
    }),
    can("webhook.read"),
    async (c) => {
      const deps = c.get("deps");
      const rows = await listSubscriptions(deps, c.get("principal"));
      return c.json({ data: await Promise.all(rows.map((row) => subscriptionView(deps, row))) });
    },
  )
  .get(
    "/:id",
    describeRoute("getWebhook", "Returns one subscription.", { 200: dataOf(subscription), ...MISSING }),
    can("webhook.read"),
    async (c) => {
      const deps = c.get("deps");
      const row = await findSubscription(deps, c.get("principal"), c.req.param("id"));
      if (!row) throw notFound("Webhook");
      return c.json({ data: await subscriptionView(deps, row) });
    },
  )
  .patch(
    "/:id",
    describeRoute("updateWebhook", "Changes the given fields of a subscription.", {
      200: dataOf(subscription),
      errors: ["NOT_FOUND", "CONFLICT"],
    }),
    limited,
    can("webhook.update"),
    body(subscriptionChange),
    async (c) => {
      const deps = c.get("deps");
      const row = await changeSubscription(deps, c.get("principal"), c.req.param("id"), c.req.valid("json"));
      return c.json({ data: await subscriptionView(deps, row) });
    },
  )
  .delete(
    "/:id",
    describeRoute("deleteWebhook", "Deletes a subscription. Nothing more is sent to it.", {
      200: says("Webhook deleted"),
      ...MISSING,
    }),
    limited,
    can("webhook.delete"),
    async (c) => {
      const deps = c.get("deps");
      const deleted = await deleteSubscription(deps, c.get("principal"), c.req.param("id"), deps.now());
      if (!deleted) throw notFound("Webhook");
      return c.json({ message: "Webhook deleted" });
    },
  )
  .post(
    "/:id/pause",
    describeRoute("pauseWebhook", "Pauses a subscription: it receives no new events until it is resumed.", {
      200: says("Webhook paused"),
      ...MISSING,
    }),
    limited,
    can("webhook.update"),
    async (c) => {
      await setEnabled(c, false);
      return c.json({ message: "Webhook paused" });
    },
  )
  .post(
    "/:id/resume",
    describeRoute("resumeWebhook", "Resumes a subscription: it receives new events again.", {
      200: says("Webhook resumed"),
      ...MISSING,
    }),
    limited,
    can("webhook.update"),
    query(resumption),
    async (c) => {
      await setEnabled(c, true, c.req.valid("query").held);
      return c.json({ message: "Webhook resumed" });
    },
  );
