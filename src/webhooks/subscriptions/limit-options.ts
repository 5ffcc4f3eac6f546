/** `delivery.rateLimit` and `delivery.maxConcurrent`: how much a subscription is sent. */
import { z } from "zod";

const MAX_RATE = 10_000;
const MAX_CONCURRENT = 100;

export const rateLimit = z
  .strictObject({
    limit: z.int().min(1).max(MAX_RATE).meta({ description: "1 to 10,000." }),
    per: z.enum(["second", "minute", "hour"]),
  })
  .meta({
    id: "RateLimit",
    description:
      "The most requests that are sent in any second, minute or hour, retries and tests included. Further ones " +
      "wait and use no attempt. By " +
      "default there is no limit.",
    examples: [{ limit: 10, per: "second" }],
  });

export type RateLimit = z.infer<typeof rateLimit>;

export const maxConcurrent = z
  .int()
  .min(1)
  .max(MAX_CONCURRENT)
  .meta({
    description: "The most requests that are in progress at the same time. By default there is no limit.",
    examples: [5],
  });
