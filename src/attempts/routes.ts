/** `/webhooks/:id/logs` and `/webhooks/:id/attempts/:attemptId`: what was sent, and what came back. */
import { Hono } from "hono";
import type { AppEnv } from "../http/env";
import { can } from "../http/permissions";
import { byTenant, limit } from "../http/rate-limit";
import { describeRoute } from "../http/route-docs";
import { query } from "../http/validate";
import { dataOf } from "../wire/schemas";
import { attemptOfWebhook, logOfWebhook } from "./log";
import { attemptDetail, logPage, logQuery } from "./schemas";

const MISSING = { errors: ["NOT_FOUND"] } as const;

export const attemptRoutes = new Hono<AppEnv>()
  .get(
    "/:id/logs",
    describeRoute("listWebhookLogs", "Its delivery attempts, newest first: the newest 50, or page by page.", {
      200: logPage,
      ...MISSING,
      description:
        "With a filter a page may be short, or empty, while there is more: go on as long as `nextCursor` is given.",
    }),
    limit("readDeliveries", byTenant),
    can("webhook.read"),
    query(logQuery),
    async (c) => {
      const page = await logOfWebhook(c.get("deps"), c.get("principal"), c.req.param("id"), c.req.valid("query"));
      // The contract's answer, to a request as the contract knows it.
      const asked = Object.keys(logQuery.shape).some((name) => c.req.query(name) !== undefined);
      return c.json(asked ? page : { data: page.data });
    },
  )
  .get(
    "/:id/attempts/:attemptId",
    describeRoute("getWebhookAttempt", "One delivery attempt: its headers, and all attempts of its delivery.", {
      200: dataOf(attemptDetail),
      ...MISSING,
    }),
    limit("readDeliveries", byTenant),
    can("webhook.read"),
    async (c) => {
      const detail = await attemptOfWebhook(
        c.get("deps"),
        c.get("principal"),
        c.req.param("id"),
        c.req.param("attemptId"),
      );
      return c.json({ data: detail });
    },
  );
