/** `/webhooks`: creating, reading, changing, pausing and deleting the subscriptions of the caller's tenant. */

import { Hono } from "hono";
import * as z from "zod";
import type { AppEnv } from "../../base/http/env";
import { saying, serve } from "../../base/http/operation";
import { describeRoute } from "../../base/http/route-docs";
import { dataOf } from "../../base/schemas/schemas";
import { importedItem } from "./import-schemas";
import { subscriptions } from "./operations";
import { subscription } from "./schemas";
import { subscriptionView } from "./view";

const MISSING = { errors: ["NOT_FOUND"] } as const;
/** A listener is in conflict with what changes subscriptions. */
const UNCHANGED = { errors: ["NOT_FOUND", "CONFLICT"] } as const;

export const subscriptionRoutes = new Hono<AppEnv>()
  .post(
    "/",
    describeRoute("createWebhook", "Subscribes a URL to event types.", () => ({
      201: { body: dataOf(subscription), id: "/data/_id" },
      errors: ["CONFLICT", "EMAIL_NOT_VERIFIED"],
    })),
    ...serve(subscriptions.create, async (c, row) => c.json({ data: await subscriptionView(c.get("deps"), row) }, 201)),
  )
  .get(
    "/",
    describeRoute("listWebhooks", "Lists the tenant's subscriptions, newest first.", () => ({
      200: dataOf(z.array(subscription)),
    })),
    ...serve(
      subscriptions.list,
      async (c, rows) => c.json({ data: await Promise.all(rows.map((row) => subscriptionView(c.get("deps"), row))) }),
      "query",
    ),
  )
  .post(
    "/import",
    describeRoute("importWebhooks", "Creates or replaces subscriptions by their external ids.", () => ({
      200: dataOf(z.array(importedItem)),
      description:
        "For moving from another system. A subscription that has the item's `externalId` is replaced: what the item " +
        "leaves out gets its default. An item that is refused refuses itself only. Repeating a call changes nothing " +
        "more. Also needs the permission `webhook.update`.",
    })),
    ...serve(subscriptions.import, (c, data) => c.json({ data })),
  )
  .get(
    "/:id",
    describeRoute("getWebhook", "Returns one subscription.", () => ({ 200: dataOf(subscription), ...MISSING })),
    ...serve(subscriptions.get, async (c, row) => c.json({ data: await subscriptionView(c.get("deps"), row) })),
  )
  .patch(
    "/:id",
    describeRoute("updateWebhook", "Changes the given fields of a subscription.", () => ({
      200: dataOf(subscription),
      errors: ["NOT_FOUND", "CONFLICT"],
    })),
    ...serve(subscriptions.change, async (c, row) => c.json({ data: await subscriptionView(c.get("deps"), row) })),
  )
  .delete(
    "/:id",
    describeRoute("deleteWebhook", "Deletes a subscription. Nothing more is sent to it.", () => UNCHANGED),
    ...serve(subscriptions.delete, saying("Webhook deleted")),
  )
  .post(
    "/:id/pause",
    describeRoute(
      "pauseWebhook",
      "Pauses a subscription: it receives no new events until it is resumed.",
      () => UNCHANGED,
    ),
    ...serve(subscriptions.pause, saying("Webhook paused")),
  )
  .post(
    "/:id/resume",
    describeRoute("resumeWebhook", "Resumes a subscription: it receives new events again.", () => UNCHANGED),
    ...serve(subscriptions.resume, saying("Webhook resumed"), "query"),
  );
