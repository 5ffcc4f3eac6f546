/** `/webhooks`: creating, reading, changing, pausing and deleting the subscriptions of the caller's tenant. */

import * as z from "zod";
import { orNotFound } from "../../base/errors";
import { endpoint, routes } from "../../base/http/endpoint";
import { saying } from "../../base/http/operation";
import { type Call, WITH_PORTALS } from "../../base/operation";
import { dataOf } from "../../base/schemas/schemas";
import { WRITE_SUBSCRIPTIONS } from "../access";
import { changeSubscription, createSubscription, whyUnchanged } from "./changes";
import { importSubscriptions } from "./import";
import { importedItem, subscriptionImport } from "./import-schemas";
import { listQuery, newSubscription, resumption, subscription, subscriptionChange } from "./schemas";
import { deleteSubscription, findSubscription, listSubscriptions } from "./store";
import { subscriptionView } from "./view";

const MISSING = { errors: ["NOT_FOUND"] } as const;

/** A listener is in conflict with what changes subscriptions. */
const UNCHANGED = { errors: ["NOT_FOUND", "CONFLICT"] } as const;

export const subscriptions = {
  create: endpoint({
    id: "createWebhook",
    summary: "Subscribes a URL to event types.",
    ...WRITE_SUBSCRIPTIONS,
    permission: "webhook.create",
    schema: newSubscription,
    errors: ["CONFLICT", "EMAIL_NOT_VERIFIED"],
    answers: () => ({ 201: { body: dataOf(subscription), id: "/data/_id" } }),
    verb: ({ deps, principal, input }) => createSubscription(deps, principal, input),
    answer: async (c, row) => c.json({ data: await subscriptionView(c.get("deps"), row) }, 201),
  }),
  list: endpoint({
    id: "listWebhooks",
    summary: "Lists the tenant's subscriptions, newest first.",
    callers: WITH_PORTALS,
    permission: "webhook.read",
    schema: listQuery,
    answers: () => ({ 200: dataOf(z.array(subscription)) }),
    verb: ({ deps, principal, input }) => listSubscriptions(deps, principal, input),
    answer: async (c, rows) =>
      c.json({ data: await Promise.all(rows.map((row) => subscriptionView(c.get("deps"), row))) }),
  }),
  get: endpoint({
    id: "getWebhook",
    summary: "Returns one subscription.",
    callers: WITH_PORTALS,
    permission: "webhook.read",
    ...MISSING,
    answers: () => ({ 200: dataOf(subscription) }),
    verb: async ({ deps, principal, param }) =>
      orNotFound(await findSubscription(deps, principal, param("id")), "Webhook"),
    answer: async (c, row) => c.json({ data: await subscriptionView(c.get("deps"), row) }),
  }),
  change: endpoint({
    id: "updateWebhook",
    summary: "Changes the given fields of a subscription.",
    ...WRITE_SUBSCRIPTIONS,
    permission: "webhook.update",
    schema: subscriptionChange,
    errors: ["NOT_FOUND", "CONFLICT"],
    answers: () => ({ 200: dataOf(subscription) }),
    verb: ({ deps, principal, param, input }) => changeSubscription(deps, principal, param("id"), input),
    answer: async (c, row) => c.json({ data: await subscriptionView(c.get("deps"), row) }),
  }),
  import: endpoint({
    id: "importWebhooks",
    summary: "Creates or replaces subscriptions by their external ids.",
    description:
      "For moving from another system. A subscription that has the item's `externalId` is replaced: what the item " +
      "leaves out gets its default. An item that is refused refuses itself only. Repeating a call changes nothing " +
      "more. Also needs the permission `webhook.update`.",
    callers: WITH_PORTALS,
    permission: "webhook.create",
    also: "webhook.update",
    limit: { rule: "importWebhooks", per: "tenant" },
    bodyKiB: 1024,
    schema: subscriptionImport,
    answers: () => ({ 200: dataOf(z.array(importedItem)) }),
    verb: ({ deps, principal, input }) => importSubscriptions(deps, principal, input),
    answer: (c, data) => c.json({ data }),
  }),
  pause: endpoint({
    id: "pauseWebhook",
    summary: "Pauses a subscription: it receives no new events until it is resumed.",
    ...WRITE_SUBSCRIPTIONS,
    permission: "webhook.update",
    ...UNCHANGED,
    verb: (call) => setEnabled(call, { enabled: false }),
    answer: saying("Webhook paused"),
  }),
  resume: endpoint({
    id: "resumeWebhook",
    summary: "Resumes a subscription: it receives new events again.",
    ...WRITE_SUBSCRIPTIONS,
    permission: "webhook.update",
    schema: resumption,
    ...UNCHANGED,
    takesQuery: true,
    verb: (call) => setEnabled(call, { enabled: true, held: call.input.held }),
    answer: saying("Webhook resumed"),
  }),
  delete: endpoint({
    id: "deleteWebhook",
    summary: "Deletes a subscription. Nothing more is sent to it.",
    ...WRITE_SUBSCRIPTIONS,
    permission: "webhook.delete",
    ...UNCHANGED,
    verb: async ({ deps, principal, param }) => {
      if (await deleteSubscription(deps, principal, param("id"), deps.now())) return;
      throw await whyUnchanged(deps, principal, param("id"));
    },
    answer: saying("Webhook deleted"),
  }),
};

const setEnabled = (
  { deps, principal, param }: Call<unknown>,
  change: { enabled: boolean; held?: "send" | "drop" | undefined },
) => changeSubscription(deps, principal, param("id"), change);

export const subscriptionRoutes = routes({
  "POST /": subscriptions.create,
  "GET /": subscriptions.list,
  "POST /import": subscriptions.import,
  "GET /:id": subscriptions.get,
  "PATCH /:id": subscriptions.change,
  "DELETE /:id": subscriptions.delete,
  "POST /:id/pause": subscriptions.pause,
  "POST /:id/resume": subscriptions.resume,
});
