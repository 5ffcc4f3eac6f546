/** `/webhooks/:id/...`: manual retries and tests. */

import { endpoint, routes } from "../../base/http/endpoint";
import { saying } from "../../base/http/operation";
import { operation } from "../../base/operation";
import { RESEND } from "../access";
import { retryDelivery, retryFailed, retryLatest, sendTest } from "./retry";
import { retryFailedRequest, retryFailedResult, testQuery } from "./schemas";
import { sendNow } from "./send-now";

const REFUSALS = { errors: ["NOT_FOUND", "EMAIL_NOT_VERIFIED"] } as const;

export const resend = {
  latest: endpoint({
    id: "retryWebhook",
    summary: "Sends the latest failed delivery again. While such a retry is in progress, no second one is queued.",
    ...RESEND,
    ...REFUSALS,
    verb: ({ deps, principal, param }) => retryLatest(deps, principal, param("id")),
    answer: saying("Retry queued"),
  }),
  delivery: endpoint({
    id: "retryDelivery",
    summary: "Sends one failed delivery again, as a new delivery, unless such a retry is in progress.",
    ...RESEND,
    ...REFUSALS,
    verb: ({ deps, principal, param }) => retryDelivery(deps, principal, param("id"), param("deliveryId")),
    answer: saying("Retry queued"),
  }),
  failed: endpoint({
    id: "retryFailed",
    summary: "Sends again all failed deliveries of events since a given time, under the same `webhook-id`s.",
    description:
      "A call queues at most 500 deliveries; `nextCursor` is the cursor for the rest. Answers 409 while the " +
      "subscription is paused.",
    ...RESEND,
    schema: retryFailedRequest,
    errors: ["NOT_FOUND", "CONFLICT", "EMAIL_NOT_VERIFIED"],
    answers: () => ({ 200: retryFailedResult }),
    verb: ({ deps, principal, param, input }) => retryFailed(deps, principal, param("id"), input),
    answer: (c, { queued, nextCursor }) =>
      c.json({ message: `${queued} ${queued === 1 ? "delivery" : "deliveries"} queued`, nextCursor }),
  }),
  test: endpoint({
    id: "testWebhook",
    summary: "Sends a test to this subscription alone: `WebhookTested`, or an example of a declared type.",
    description:
      "The subscription need not list the type, and its filter is not asked. Nobody else receives the event, and no " +
      "replay sends it. While the tenant's sends are frozen by an operator of the service, the test waits like all " +
      "other deliveries.",
    ...RESEND,
    ...REFUSALS,
    schema: testQuery,
    takesQuery: true,
    verb: ({ deps, principal, param, input }) => sendTest(deps, principal, param("id"), input),
    answer: saying("Test delivery queued"),
  }),
  /** Makes the pending attempt of a delivery earlier. */
  now: operation({
    ...RESEND,
    verb: ({ deps, principal, param }) => sendNow(deps, principal, param("id"), param("deliveryId")),
  }),
};

export const resendRoutes = routes({
  "POST /:id/retry": resend.latest,
  "POST /:id/deliveries/:deliveryId/retry": resend.delivery,
  "POST /:id/retry-failed": resend.failed,
  "POST /:id/test": resend.test,
});
