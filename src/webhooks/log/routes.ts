/** `/webhooks/:id/logs` and `/webhooks/:id/attempts/:attemptId`: the delivery log. */

import { Hono } from "hono";
import type { AppEnv } from "../../base/http/env";
import { serve } from "../../base/http/operation";
import { describeRoute } from "../../base/http/route-docs";
import { dataOf } from "../../base/schemas/schemas";
import { deliveryLog } from "./operations";
import { attemptDetail, logPage, logQuery } from "./schemas";

const MISSING = { errors: ["NOT_FOUND"] } as const;

export const attemptRoutes = new Hono<AppEnv>()
  .get(
    "/:id/logs",
    describeRoute(
      "listWebhookLogs",
      "Lists the attempts of a subscription, newest first: the newest 50, or page by page.",
      () => ({
        200: logPage,
        ...MISSING,
        description:
          "Without parameters, the answer is the newest 50. With a filter, a page may be short or empty although " +
          "more follow: continue until `nextCursor` is null.",
      }),
    ),
    ...serve(
      deliveryLog.list,
      (c, page) => {
        // The specification has no parameters and no `nextCursor`, so a request without parameters gets the specified
        // answer.
        const asked = Object.keys(logQuery.shape).some((name) => c.req.query(name) !== undefined);
        return c.json(asked ? page : { data: page.data });
      },
      "query",
    ),
  )
  .get(
    "/:id/attempts/:attemptId",
    describeRoute(
      "getWebhookAttempt",
      "Returns one attempt with its headers, and all attempts of its delivery.",
      () => ({
        200: dataOf(attemptDetail),
        ...MISSING,
      }),
    ),
    ...serve(deliveryLog.get, (c, data) => c.json({ data })),
  );
