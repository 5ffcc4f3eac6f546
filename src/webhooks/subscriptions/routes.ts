/** `/webhooks`: creating, reading, changing, pausing and deleting the subscriptions of the caller's tenant. */

import { Hono } from "hono";
import * as z from "zod";
import { orNotFound } from "../../platform/errors";
import type { AppEnv } from "../../platform/http/env";
import { action, requires, serve } from "../../platform/http/operation";
import { describeRoute } from "../../platform/http/route-docs";
import { query } from "../../platform/http/validate";
import { dataOf } from "../../platform/schemas/schemas";
import { importedItem } from "./import-schemas";
import { subscriptions } from "./operations";
import { listQuery, subscription } from "./schemas";
import { findSubscription, listSubscriptions } from "./store";
import { subscriptionView } from "./view";

const MISSING = { errors: ["NOT_FOUND"] } as const;
/** A listener is in conflict with what changes subscriptions. */
const UNCHANGED = { errors: ["NOT_FOUND", "CONFLICT"] } as const;

export const subscriptionRoutes = new Hono<AppEnv>()
  .post(
    "/",
    describeRoute("createWebhook", "Subscribes a URL to event types.", {
      201: { body: dataOf(subscription), id: "/data/_id" },
      errors: ["CONFLICT", "EMAIL_NOT_VERIFIED"],
    }),
    ...serve(subscriptions.create, async (c, row) => c.json({ data: await subscriptionView(c.get("deps"), row) }, 201)),
  )
  .get(
    "/",
    describeRoute("listWebhooks", "Lists the tenant's subscriptions, newest first.", {
      200: dataOf(z.array(subscription)),
    }),
    requires({ permission: "webhook.read" }),
    query(listQuery),
    async (c) => {
      const deps = c.get("deps");
      const rows = await listSubscriptions(deps, c.get("principal"), c.req.valid("query"));
      return c.json({ data: await Promise.all(rows.map((row) => subscriptionView(deps, row))) });
    },
  )
  .post(
    "/import",
    describeRoute("importWebhooks", "Creates or replaces subscriptions by their external ids.", {
      200: dataOf(z.array(importedItem)),
      description:
        "For moving from another system. A subscription that has the item's `externalId` is replaced: what the item " +
        "leaves out gets its default. An item that is refused refuses itself only. Repeating a call changes nothing " +
        "more. Also needs the permission `webhook.update`.",
    }),
    requires({ permission: "webhook.update" }),
    ...serve(subscriptions.import, (c, data) => c.json({ data })),
  )
  .get(
    "/:id",
    describeRoute("getWebhook", "Returns one subscription.", { 200: dataOf(subscription), ...MISSING }),
    requires({ permission: "webhook.read" }),
    async (c) => {
      const deps = c.get("deps");
      const row = orNotFound(await findSubscription(deps, c.get("principal"), c.req.param("id")), "Webhook");
      return c.json({ data: await subscriptionView(deps, row) });
    },
  )
  .patch(
    "/:id",
    describeRoute("updateWebhook", "Changes the given fields of a subscription.", {
      200: dataOf(subscription),
      errors: ["NOT_FOUND", "CONFLICT"],
    }),
    ...serve(subscriptions.change, async (c, row) => c.json({ data: await subscriptionView(c.get("deps"), row) })),
  )
  .delete(
    "/:id",
    ...action(subscriptions.delete, {
      id: "deleteWebhook",
      summary: "Deletes a subscription. Nothing more is sent to it.",
      message: "Webhook deleted",
      ...UNCHANGED,
    }),
  )
  .post(
    "/:id/pause",
    ...action(subscriptions.pause, {
      id: "pauseWebhook",
      summary: "Pauses a subscription: it receives no new events until it is resumed.",
      message: "Webhook paused",
      ...UNCHANGED,
    }),
  )
  .post(
    "/:id/resume",
    ...action(
      subscriptions.resume,
      {
        id: "resumeWebhook",
        summary: "Resumes a subscription: it receives new events again.",
        message: "Webhook resumed",
        ...UNCHANGED,
      },
      "query",
    ),
  );
