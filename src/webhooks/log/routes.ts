/** `/webhooks/:id/logs` and `/webhooks/:id/attempts/:attemptId`: the delivery log. */
import { Hono } from "hono";
import type { AppEnv } from "../../platform/http/env";
import { can } from "../../platform/http/permissions";
import { byTenant, limit } from "../../platform/http/rate-limit";
import { describeRoute } from "../../platform/http/route-docs";
import { query } from "../../platform/http/validate";
import { dataOf } from "../../platform/schemas/schemas";
import { attemptOfSubscription, logOfSubscription } from "./delivery-log";
import { attemptDetail, logPage, logQuery } from "./schemas";

const MISSING = { errors: ["NOT_FOUND"] } as const;

export const attemptRoutes = new Hono<AppEnv>()
  .get(
    "/:id/logs",
    describeRoute(
      "listWebhookLogs",
      "Lists the attempts of a subscription, newest first: the newest 50, or page by page.",
      {
        200: logPage,
        ...MISSING,
        description:
          "Without parameters, the answer is the newest 50. With a filter, a page may be short or empty although " +
          "more follow: continue until `nextCursor` is null.",
      },
    ),
    limit("readDeliveries", byTenant),
    can("webhook.read"),
    query(logQuery),
    async (c) => {
      const page = await logOfSubscription(c.get("deps"), c.get("principal"), c.req.param("id"), c.req.valid("query"));
      // The specification has no parameters and no `nextCursor`, so a request without parameters gets the specified
      // answer.
      const asked = Object.keys(logQuery.shape).some((name) => c.req.query(name) !== undefined);
      return c.json(asked ? page : { data: page.data });
    },
  )
  .get(
    "/:id/attempts/:attemptId",
    describeRoute("getWebhookAttempt", "Returns one attempt with its headers, and all attempts of its delivery.", {
      200: dataOf(attemptDetail),
      ...MISSING,
    }),
    limit("readDeliveries", byTenant),
    can("webhook.read"),
    async (c) => {
      const detail = await attemptOfSubscription(
        c.get("deps"),
        c.get("principal"),
        c.req.param("id"),
        c.req.param("attemptId"),
      );
      return c.json({ data: detail });
    },
  );
