/** `/webhooks/:id/replay` and `/webhooks/:id/replays`: sending the events of a period again. */

import { Hono } from "hono";
import * as z from "zod";
import type { AppEnv } from "../../../base/http/env";
import { serve } from "../../../base/http/operation";
import { describeRoute } from "../../../base/http/route-docs";
import { dataOf } from "../../../base/schemas/schemas";
import { idempotencyKey } from "../../events/publication";
import { replays } from "./operations";
import { replay, replayPage, replayPreview } from "./schemas";

const MISSING = { errors: ["NOT_FOUND"] } as const;

export const replayRoutes = new Hono<AppEnv>()
  .post(
    "/:id/replay",
    describeRoute(
      "startReplay",
      "Sends the events of a period again: those that failed, those that are missing, or all.",
      () => ({
        200: dataOf(replayPreview),
        202: dataOf(replay),
        headers: z.object({ "Idempotency-Key": idempotencyKey.optional() }),
        errors: ["NOT_FOUND", "CONFLICT"],
        description:
          "The replay runs in the background, one at a time for a subscription. With `dryRun`, the answer is 200 " +
          "with a count. Answers 409 while another replay is running or the subscription is paused. Repeating a call " +
          "with the same `Idempotency-Key` within 24 hours returns the same replay.",
      }),
    ),
    ...serve(replays.start, (c, data, { dryRun }) => c.json({ data }, dryRun ? 200 : 202)),
  )
  .get(
    "/:id/replays",
    describeRoute("listReplays", "Lists the replays of a subscription, newest first, page by page.", () => ({
      200: replayPage,
      ...MISSING,
    })),
    ...serve(replays.list, (c, page) => c.json(page), "query"),
  )
  .get(
    "/:id/replays/:replayId",
    describeRoute("getReplay", "Returns a replay and its progress.", () => ({ 200: dataOf(replay), ...MISSING })),
    ...serve(replays.get, (c, data) => c.json({ data })),
  )
  .delete(
    "/:id/replays/:replayId",
    describeRoute("stopReplay", "Stops a replay. What it has queued is still sent.", () => ({
      200: dataOf(replay),
      ...MISSING,
    })),
    ...serve(replays.stop, (c, data) => c.json({ data })),
  );
