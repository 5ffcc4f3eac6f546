/** `/webhooks/:id/logs` and `/webhooks/:id/attempts/:attemptId`: the delivery log. */
import { endpoint, routes } from "../../base/http/endpoint";
import { dataOf } from "../../base/schemas/schemas";
import { READ_DELIVERIES } from "../access";
import { attemptOfSubscription, logOfSubscription } from "./delivery-log";
import { attemptDetail, logPage, logQuery } from "./schemas";

const MISSING = { errors: ["NOT_FOUND"] } as const;

export const deliveryLog = {
  list: endpoint({
    id: "listWebhookLogs",
    summary: "Lists the attempts of a subscription, newest first: the newest 50, or page by page.",
    description:
      "Without parameters, the answer is the newest 50. With a filter, a page may be short or empty although " +
      "more follow: continue until `nextCursor` is null.",
    ...READ_DELIVERIES,
    schema: logQuery,
    ...MISSING,
    answers: () => ({ 200: logPage }),
    verb: ({ deps, principal, param, input }) => logOfSubscription(deps, principal, param("id"), input),
    answer: (c, page) => {
      // The specification has no parameters and no `nextCursor`, so a request without parameters gets the specified
      // answer.
      const asked = Object.keys(logQuery.shape).some((name) => c.req.query(name) !== undefined);
      return c.json(asked ? page : { data: page.data });
    },
  }),
  get: endpoint({
    id: "getWebhookAttempt",
    summary: "Returns one attempt with its headers, and all attempts of its delivery.",
    ...READ_DELIVERIES,
    ...MISSING,
    answers: () => ({ 200: dataOf(attemptDetail) }),
    verb: ({ deps, principal, param }) => attemptOfSubscription(deps, principal, param("id"), param("attemptId")),
    answer: (c, data) => c.json({ data }),
  }),
};

export const attemptRoutes = routes({
  "GET /:id/logs": deliveryLog.list,
  "GET /:id/attempts/:attemptId": deliveryLog.get,
});
