/** The request bodies of feeds, and the resources that the API returns. */
import * as z from "zod";
import { OPERATIONAL_PREFIX, subscribedType } from "../../base/schemas/event-type";
import { described, id, moment, name, time } from "../../base/schemas/schemas";
import { orderKey, sequence } from "../events/publication";

const MAX_EVENT_TYPES = 100;
const MAX_PAGE_EVENTS = 500;
const MAX_WAIT_SECONDS = 20;
const MAX_OVERLAP_SECONDS = 86_400;
const MAX_CURSOR_CHARACTERS = 64;

const events = z
  .array(subscribedType.refine((type) => !type.startsWith(OPERATIONAL_PREFIX), "Feeds have no operational events"))
  .min(1)
  .max(MAX_EVENT_TYPES)
  .transform((types) => [...new Set(types)])
  .meta({
    description:
      "The event types that it lists, 1 to 100; `*` stands for all that the tenant publishes, `order.*` for those " +
      "that begin with `order.`.",
    examples: [["OrderPaid"]],
  });

export const newFeed = z.strictObject({ name, events }).meta({ id: "FeedInput", description: "A feed to create." });

export const feedChange = z
  .strictObject({ name, events })
  .partial()
  .meta({ id: "FeedChange", description: "The fields to change; the others stay as they are." });

export const tokenRotation = z
  .strictObject({
    overlapSeconds: z
      .int()
      .min(0)
      .max(MAX_OVERLAP_SECONDS)
      .default(0)
      .meta({ description: "For how long the former token stays valid, in seconds.", examples: [3600] }),
  })
  .meta({ id: "FeedTokenRotation", description: "How the former token ends." });

const cursor = z
  .string()
  .min(1)
  .max(MAX_CURSOR_CHARACTERS)
  .meta({ description: "A place in the feed, as an answer gave it; opaque.", examples: ["m9k2v1xq0w-5a6b7c8d9e0f"] });

export const consumerName = z
  .string()
  .regex(/^[A-Za-z0-9._-]{1,64}$/, "Must be 1 to 64 of A-Z, a-z, 0-9, ., _ and -")
  .meta({ examples: ["billing"] });

const whole = (min: number, max: number) => z.coerce.number().int().min(min).max(max);

export const feedQuery = z
  .strictObject({
    cursor: cursor.optional(),
    from: z.literal("oldest").optional().meta({ description: "Begins with the oldest event of the feed." }),
    limit: whole(1, MAX_PAGE_EVENTS)
      .default(100)
      .meta({ description: `Events on a page, 1 to ${MAX_PAGE_EVENTS}.` }),
    wait: whole(0, MAX_WAIT_SECONDS)
      .default(0)
      .meta({ description: "How many seconds an empty answer waits for an event, 0 to 20." }),
    maxAgeMs: whole(1, Number.MAX_SAFE_INTEGER)
      .optional()
      .meta({ description: "Skips events that are older, in milliseconds." }),
    consumer: consumerName.optional().meta({ description: "Continues after what this consumer has acknowledged." }),
  })
  .refine(({ cursor: given, from }) => given === undefined || from === undefined, {
    message: "Must not be given with cursor",
    path: ["from"],
  })
  .refine(({ cursor: given, consumer }) => given === undefined || consumer === undefined, {
    message: "Must not be given with cursor",
    path: ["consumer"],
  });

export type FeedQuery = z.output<typeof feedQuery>;

export const acknowledgement = z
  .strictObject({ cursor })
  .meta({ id: "FeedAcknowledgement", description: "Up to where a consumer has handled the events." });

export const seekTarget = z
  .union([
    z.strictObject({ cursor }),
    z.strictObject({ to: z.enum(["oldest", "now"]) }),
    z.strictObject({ since: moment.meta({ description: "The first event at this time or later is next." }) }),
  ])
  .meta({ id: "FeedSeek", unionOneOf: true, description: "Where a consumer goes on." });

export type SeekTarget = z.output<typeof seekTarget>;

export const feed = described("Feed", "A list of events that programs pull.", () => ({
  id,
  name: z.string().meta({ examples: ["Billing"] }),
  events: z.array(z.string()).meta({ examples: [["OrderPaid"]] }),
  tokenPrefix: z.string().meta({ description: "The first characters of its token.", examples: ["psf_4kT9…"] }),
  createdAt: time,
  updatedAt: time,
}));

export type Feed = z.infer<typeof feed>;

export const feedWithToken = described("FeedWithToken", "A feed with its new token.", () => ({
  ...feed.unwrap().shape,
  token: z.string().meta({ description: "Reads the feed. It is never shown again." }),
}));

const feedEvent = described("FeedEvent", "An event of a feed.", () => ({
  id,
  type: z.string().meta({ examples: ["OrderPaid"] }),
  createdAt: time,
  payload: z.unknown().meta({ description: "The JSON value exactly as it was published.", examples: [{ order: 42 }] }),
  correlationId: z.string().optional(),
  orderKey: orderKey.optional(),
  sequence: sequence.optional(),
}));

export const feedPage = described("FeedPage", "A page of a feed.", () => ({
  data: z.array(feedEvent),
  cursor: cursor.meta({ description: "What follows this page. Safe to keep: nothing appears before it later." }),
  hasMore: z.boolean().meta({ description: "Whether to ask again at once. A page may be short or empty." }),
  nextPollMs: z
    .int()
    .min(0)
    .meta({ description: "After how many milliseconds to ask again; 0 only if there is more.", examples: [2000] }),
  truncated: z
    .boolean()
    .meta({ description: "Whether events after the cursor are left out: retention removed them, or `maxAgeMs`." }),
}));

export const feedConsumer = described("FeedConsumer", "A reader of a feed, and how far it has come.", () => ({
  name: consumerName,
  cursor,
  waiting: z
    .int()
    .min(0)
    .meta({ description: "How many events follow, counted up to 10,000.", examples: [12] }),
  updatedAt: time,
}));

export type FeedConsumer = z.infer<typeof feedConsumer>;
