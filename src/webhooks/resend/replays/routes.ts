/** `/webhooks/:id/replay` and `/webhooks/:id/replays`: sending the events of a period again. */

import { Hono } from "hono";
import * as z from "zod";
import { invalid } from "../../../platform/errors";
import type { AppEnv } from "../../../platform/http/env";
import { requires, serve } from "../../../platform/http/operation";
import { describeRoute } from "../../../platform/http/route-docs";
import { body } from "../../../platform/http/validate";
import { dataOf } from "../../../platform/schemas/schemas";
import { idempotencyKey } from "../../events/publication";
import { replays } from "./operations";
import { previewReplay, startReplay } from "./replays";
import { replay, replayPage, replayPreview, replayRequest } from "./schemas";

const MISSING = { errors: ["NOT_FOUND"] } as const;

export const replayRoutes = new Hono<AppEnv>()
  .post(
    "/:id/replay",
    describeRoute(
      "startReplay",
      "Sends the events of a period again: those that failed, those that are missing, or all.",
      {
        200: dataOf(replayPreview),
        202: dataOf(replay),
        headers: z.object({ "Idempotency-Key": idempotencyKey.optional() }),
        errors: ["NOT_FOUND", "CONFLICT"],
        description:
          "The replay runs in the background, one at a time for a subscription. With `dryRun`, the answer is 200 " +
          "with a count. Answers 409 while another replay is running or the subscription is paused. Repeating a call " +
          "with the same `Idempotency-Key` within 24 hours returns the same replay.",
      },
    ),
    requires(replays.start),
    body(replayRequest),
    async (c) => {
      const [deps, principal, id, request] = [
        c.get("deps"),
        c.get("principal"),
        c.req.param("id"),
        c.req.valid("json"),
      ];
      if (request.dryRun) return c.json({ data: await previewReplay(deps, principal, id, request) }, 200);
      const key = idempotencyKey.nullable().safeParse(c.req.header("idempotency-key") ?? null);
      if (!key.success) throw invalid(key.error, "Idempotency-Key");
      return c.json({ data: await startReplay(deps, principal, id, request, key.data) }, 202);
    },
  )
  .get(
    "/:id/replays",
    describeRoute("listReplays", "Lists the replays of a subscription, newest first, page by page.", {
      200: replayPage,
      ...MISSING,
    }),
    ...serve(replays.list, (c, page) => c.json(page), "query"),
  )
  .get(
    "/:id/replays/:replayId",
    describeRoute("getReplay", "Returns a replay and its progress.", { 200: dataOf(replay), ...MISSING }),
    ...serve(replays.get, (c, data) => c.json({ data })),
  )
  .delete(
    "/:id/replays/:replayId",
    describeRoute("stopReplay", "Stops a replay. What it has queued is still sent.", {
      200: dataOf(replay),
      ...MISSING,
    }),
    ...serve(replays.stop, (c, data) => c.json({ data })),
  );
