/** What it takes to try one, and why one lets an event not through, as the API has them. */
import * as z from "zod";
import { eventType } from "../../base/schemas/event-type";
import { described, isWithinDepth, MAX_DEPTH } from "../../base/schemas/schemas";
import { filter } from "./filter-schemas";

export const filterSample = z
  .strictObject({
    type: eventType,
    payload: z
      .unknown()
      .refine((value) => value !== undefined, "Required")
      .refine(isWithinDepth, `Must not be nested more than ${MAX_DEPTH} levels deep`)
      .meta({ description: "Any JSON value.", examples: [{ total: 42 }] }),
    filter: filter.optional().meta({
      description: "The filter to try; by default that of the subscription.",
      examples: [{ "payload.total": { $gt: 100 } }],
    }),
  })
  .meta({ id: "FilterSample", description: "An event to try. Nothing is published." });

export const filterReason = described("FilterReason", "A condition that does not hold.", () => ({
  path: z
    .string()
    .meta({ description: "Where it looks; empty for the event as a whole.", examples: ["payload.total"] }),
  operator: z.string().meta({ examples: ["$gt"] }),
  expected: z.unknown().meta({ description: "What stands beside the operator in the filter.", examples: [100] }),
  found: z.enum(["missing", "null", "boolean", "number", "string", "array", "object"]).meta({
    description: "The JSON type of the value there; of the first one, if the path leads to several.",
    examples: ["number"],
  }),
}));

export const filterResult = described("FilterResult", "What a filter makes of an event.", () => ({
  subscribed: z.boolean().meta({ description: "Whether the subscription lists the type." }),
  matches: z.boolean().meta({ description: "Whether the filter lets the event through." }),
  because: z.array(filterReason).meta({ description: "The conditions that do not hold, at most 20." }),
}));

export type FilterReason = z.infer<typeof filterReason>;
export type FilterResult = z.infer<typeof filterResult>;
