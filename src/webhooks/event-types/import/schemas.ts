/** The request and the answer of an import of event types. */
import * as z from "zod";
import { described, isWithinDepth } from "../../../base/schemas/schemas";
import { eventTypeChange, newEventType } from "../schemas";

const MAX_ITEMS = 1000;
const SOURCES = ["eventTypes", "openapi", "asyncapi"] as const;

const ignored = z.unknown().optional().meta({ description: "Ignored: the service sets it." });

/** A type of an import. What only the service sets is ignored, so that an export can be imported. */
export const importedType = eventTypeChange
  .extend({
    name: newEventType.shape.name,
    schema: newEventType.shape.schema,
    deprecated: z.union([z.boolean(), eventTypeChange.shape.deprecated]).meta({
      description: "`true` counts from now, unless the type is deprecated already; `false` and null clear it.",
    }),
    scope: ignored,
    shadowed: ignored,
    latestVersion: ignored,
    warned: ignored,
    subscribers: ignored,
    createdAt: ignored,
    updatedAt: ignored,
  })
  .meta({ id: "ImportedEventType", description: "An event type to create or change. Fields that are missing stay." });

export type ImportedType = Pick<
  z.output<typeof importedType>,
  keyof z.output<typeof eventTypeChange> | "name" | "schema"
>;

export const typeImport = z
  .strictObject({
    eventTypes: z
      .array(importedType)
      .min(1)
      .max(MAX_ITEMS)
      .optional()
      .meta({ description: `1 to ${MAX_ITEMS} event types, as the export in JSON has them.` }),
    openapi: z
      .unknown()
      .refine(isWithinDepth, "Is nested too deeply")
      .optional()
      .meta({
        description:
          "An OpenAPI document of version 3.0, 3.1 or 3.2, whose `webhooks`, `x-webhooks` or else `callbacks` are " +
          "the event types.",
        examples: [
          { openapi: "3.1.0", info: { title: "Shop", version: "1" }, webhooks: { "order.paid": { post: {} } } },
        ],
      }),
    asyncapi: z
      .unknown()
      .refine(isWithinDepth, "Is nested too deeply")
      .optional()
      .meta({
        description: "An AsyncAPI document of version 2 or 3, whose messages that are sent are the event types.",
        examples: [
          {
            asyncapi: "3.0.0",
            info: { title: "Shop", version: "1" },
            channels: { o: { messages: { OrderPaid: {} } } },
          },
        ],
      }),
    dryRun: z
      .boolean()
      .default(false)
      .meta({ description: "True: nothing is written, the answer tells what would be." }),
  })
  .refine((given) => SOURCES.filter((source) => given[source] !== undefined).length === 1, {
    path: ["eventTypes"],
    message: `Send one of ${SOURCES.join(", ")}`,
  })
  .meta({ id: "EventTypeImport", description: "Event types to create or change." });

const names = z.array(z.string()).meta({ examples: [["order.paid"]] });

export const typeImportResult = described(
  "EventTypeImportResult",
  "The names of the types of an import, by what became of them, and what was not taken.",
  () => ({
    created: names,
    updated: names.meta({ description: "Those of which other fields than the schema have changed." }),
    versions: names.meta({ description: "Those that have a further version of their schema." }),
    unchanged: names,
    ignored: z
      .array(
        z.object({
          type: z.string().meta({ examples: ["order.paid"] }),
          path: z.string().meta({ examples: ["openapi.webhooks.order.paid.schema.properties.url.format"] }),
          keyword: z.string().meta({ examples: ["format"] }),
        }),
      )
      .meta({ description: "What was left out of types that were taken, at most 1,000." }),
    moreIgnored: z.int().min(1).optional().meta({ description: "How much more was left out than is listed." }),
    failed: z
      .array(
        z.object({
          type: z.string().meta({ examples: ["order.old"] }),
          path: z.string().meta({ examples: ["openapi.webhooks.order.old.schema.pattern"] }),
          message: z.string(),
        }),
      )
      .meta({ description: "Why types were not taken, with up to 3 reasons each." }),
    dryRun: z.boolean(),
  }),
);

export type TypeImport = z.output<typeof typeImport>;
export type TypeImportResult = z.infer<typeof typeImportResult>;
