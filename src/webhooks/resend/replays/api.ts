/** `/webhooks/:id/replay` and `/webhooks/:id/replays`: sending the events of a period again. */

import * as z from "zod";
import { checkedHeader } from "../../../base/checked-header";
import { endpoint, routes } from "../../../base/http/endpoint";
import { dataOf } from "../../../base/schemas/schemas";
import { READ_DELIVERIES, RESEND } from "../../access";
import { idempotencyKey } from "../../events/publication";
import { previewReplay, replayOf, replaysOf, startReplay, stopReplay } from "./replays";
import { replay, replayListQuery, replayPage, replayPreview, replayRequest } from "./schemas";

const MISSING = { errors: ["NOT_FOUND"] } as const;

export const replays = {
  list: endpoint({
    id: "listReplays",
    summary: "Lists the replays of a subscription, newest first, page by page.",
    ...READ_DELIVERIES,
    schema: replayListQuery,
    ...MISSING,
    answers: () => ({ 200: replayPage }),
    verb: ({ deps, principal, param, input }) => replaysOf(deps, principal, param("id"), input.cursor),
    answer: (c, page) => c.json(page),
  }),
  get: endpoint({
    id: "getReplay",
    summary: "Returns a replay and its progress.",
    ...READ_DELIVERIES,
    ...MISSING,
    answers: () => ({ 200: dataOf(replay) }),
    verb: ({ deps, principal, param }) => replayOf(deps, principal, param("id"), param("replayId")),
    answer: (c, data) => c.json({ data }),
  }),
  start: endpoint({
    id: "startReplay",
    summary: "Sends the events of a period again: those that failed, those that are missing, or all.",
    description:
      "The replay runs in the background, one at a time for a subscription. With `dryRun`, the answer is 200 " +
      "with a count. Answers 409 while another replay is running or the subscription is paused. Repeating a call " +
      "with the same `Idempotency-Key` within 24 hours returns the same replay.",
    ...RESEND,
    schema: replayRequest,
    errors: ["NOT_FOUND", "CONFLICT"],
    answers: () => ({
      200: dataOf(replayPreview),
      202: dataOf(replay),
      headers: z.object({ "Idempotency-Key": idempotencyKey.optional() }),
    }),
    verb: async ({ deps, principal, param, input, unchecked }) => {
      if (input.dryRun) return previewReplay(deps, principal, param("id"), input);
      const key = checkedHeader(unchecked, "Idempotency-Key", idempotencyKey.nullable());
      return startReplay(deps, principal, param("id"), input, key);
    },
    answer: (c, data, { dryRun }) => c.json({ data }, dryRun ? 200 : 202),
  }),
  stop: endpoint({
    id: "stopReplay",
    summary: "Stops a replay. What it has queued is still sent.",
    ...RESEND,
    ...MISSING,
    answers: () => ({ 200: dataOf(replay) }),
    verb: ({ deps, principal, param }) => stopReplay(deps, principal, param("id"), param("replayId")),
    answer: (c, data) => c.json({ data }),
  }),
};

export const replayRoutes = routes({
  "POST /:id/replay": replays.start,
  "GET /:id/replays": replays.list,
  "GET /:id/replays/:replayId": replays.get,
  "DELETE /:id/replays/:replayId": replays.stop,
});
