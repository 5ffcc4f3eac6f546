/** What people and programs do with subscriptions. */
import { orNotFound } from "../../base/errors";
import { type Call, operation, WITH_PORTALS } from "../../base/operation";
import { WRITE_SUBSCRIPTIONS } from "../access";
import { changeSubscription, createSubscription, whyUnchanged } from "./changes";
import { importSubscriptions } from "./import";
import { subscriptionImport } from "./import-schemas";
import { listQuery, newSubscription, resumption, subscriptionChange } from "./schemas";
import { deleteSubscription, findSubscription, listSubscriptions } from "./store";

export const subscriptions = {
  create: operation({
    ...WRITE_SUBSCRIPTIONS,
    permission: "webhook.create",
    schema: newSubscription,
    verb: ({ deps, principal, input }) => createSubscription(deps, principal, input),
  }),
  list: operation({
    callers: WITH_PORTALS,
    permission: "webhook.read",
    schema: listQuery,
    verb: ({ deps, principal, input }) => listSubscriptions(deps, principal, input),
  }),
  get: operation({
    callers: WITH_PORTALS,
    permission: "webhook.read",
    verb: async ({ deps, principal, param }) =>
      orNotFound(await findSubscription(deps, principal, param("id")), "Webhook"),
  }),
  change: operation({
    ...WRITE_SUBSCRIPTIONS,
    permission: "webhook.update",
    schema: subscriptionChange,
    verb: ({ deps, principal, param, input }) => changeSubscription(deps, principal, param("id"), input),
  }),
  import: operation({
    callers: WITH_PORTALS,
    permission: "webhook.create",
    also: "webhook.update",
    limit: { rule: "importWebhooks", per: "tenant" },
    bodyKiB: 1024,
    schema: subscriptionImport,
    verb: ({ deps, principal, input }) => importSubscriptions(deps, principal, input),
  }),
  pause: operation({
    ...WRITE_SUBSCRIPTIONS,
    permission: "webhook.update",
    verb: (call) => setEnabled(call, { enabled: false }),
  }),
  resume: operation({
    ...WRITE_SUBSCRIPTIONS,
    permission: "webhook.update",
    schema: resumption,
    verb: (call) => setEnabled(call, { enabled: true, held: call.input.held }),
  }),
  delete: operation({
    ...WRITE_SUBSCRIPTIONS,
    permission: "webhook.delete",
    verb: async ({ deps, principal, param }) => {
      if (await deleteSubscription(deps, principal, param("id"), deps.now())) return;
      throw await whyUnchanged(deps, principal, param("id"));
    },
  }),
};

const setEnabled = (
  { deps, principal, param }: Call<unknown>,
  change: { enabled: boolean; held?: "send" | "drop" | undefined },
) => changeSubscription(deps, principal, param("id"), change);
