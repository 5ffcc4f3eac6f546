/** Replays, as the API sends and receives them. */
import * as z from "zod";
import { eventType } from "../../../base/schemas/event-type";
import { cursor, described, id, moment, nextCursor, time } from "../../../base/schemas/schemas";

const MAX_EVENT_TYPES = 100;
const MAX_PER_MINUTE = 6_000;

const which = z.enum(["failed", "missing", "all"]).meta({
  description:
    "`failed`: deliveries that have failed, again under the same `webhook-id`. `missing`: events that the " +
    "subscription wants today and that were never delivered to it, because it was paused, did not list the type or, " +
    "with `includeBefore`, did not exist. `all`: every event that it wants today, as a new delivery with a new " +
    "`webhook-id` and the header `webhook-replay`.",
  examples: ["missing"],
});

const includeBefore = z.boolean().meta({
  description: "`missing` also sends events from before the subscription was created. By default false.",
  examples: [false],
});

const eventTypes = z
  .array(eventType)
  .min(1)
  .max(MAX_EVENT_TYPES)
  .meta({
    description: "Only events of these types. By default all types of the subscription.",
    examples: [["OrderPaid"]],
  });

const ratePerMinute = z
  .int()
  .min(1)
  .max(MAX_PER_MINUTE)
  .meta({ description: "How many deliveries are queued per minute.", examples: [600] });

export const replayRequest = described("ReplayRequest", "A replay to start, or to count with `dryRun`.", () => ({
  since: moment.meta({
    description: "Only events published at this time or later. Must not be before the oldest event that is kept.",
  }),
  until: moment.optional().meta({ description: "Only events published before this time, by default now." }),
  which,
  eventTypes: eventTypes.optional(),
  includeBefore: includeBefore.optional(),
  ratePerMinute: ratePerMinute.default(600),
  dryRun: z
    .boolean()
    .optional()
    .meta({ description: "Only counts: nothing is sent, and the answer is 200.", examples: [false] }),
}));

export const replay = described("Replay", "A replay, and how far it has come.", () => ({
  id,
  webhookId: id,
  status: z.enum(["running", "finished", "stopped"]),
  which,
  since: time,
  until: time,
  eventTypes: eventTypes.optional(),
  includeBefore: includeBefore.optional(),
  ratePerMinute,
  queued: z
    .int()
    .min(0)
    .meta({ description: "How many deliveries it has queued so far.", examples: [120] }),
  reached: time.meta({ description: "The replay is done with events from before this time." }),
  createdAt: time,
  endedAt: time.optional().meta({ description: "When it finished or was stopped." }),
}));

export const replayPreview = described("ReplayPreview", "What a replay would send.", () => ({
  matched: z
    .int()
    .min(0)
    .meta({ description: "How many deliveries the replay would queue.", examples: [42] }),
  isPartial: z.boolean().meta({
    description: "True if there may be more: counting stops at 10,000 and at a bounded number of events.",
    examples: [false],
  }),
}));

export const replayListQuery = z.object({ cursor: cursor.optional() });
export const replayPage = z.object({ data: z.array(replay), nextCursor });

export type ReplayRequest = z.output<typeof replayRequest>;
export type Replay = z.infer<typeof replay>;
export type ReplayPreview = z.infer<typeof replayPreview>;
