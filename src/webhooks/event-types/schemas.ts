/** The request bodies of event types, and the resources that the API returns. */
import * as z from "zod";
import { OPERATIONAL_PREFIX, eventType as typeName } from "../../base/schemas/event-type";
import { described, isWithinDepth, MAX_DEPTH, moment, pageLimit, time } from "../../base/schemas/schemas";
import { catalogue, catalogueChange } from "./catalogue/schemas";

const KIB = 1024;
export const MAX_EXAMPLES = 5;
const MAX_EXAMPLE_BYTES = 16 * KIB;
const MAX_PAGE_ROWS = 200;
/** They would be mistaken for paths. */
const RESERVED = [".", "..", "import", "export"];

const ENFORCEMENTS = ["off", "warn", "reject"] as const;
const MODES = ["open", "known", "validated"] as const;

export type Enforcement = (typeof ENFORCEMENTS)[number];
export type Mode = (typeof MODES)[number];

const name = typeName
  .refine((type) => !type.startsWith(OPERATIONAL_PREFIX), "Must not start with postern.")
  .refine((type) => !RESERVED.includes(type), "Is reserved")
  .meta({ description: "Its name, as events have it.", examples: ["order.paid"] });
const description = z
  .string()
  .max(2000)
  .meta({ description: "Plain text.", examples: ["An order was paid."] });
const group = z
  .string()
  .min(1)
  .max(64)
  .meta({ description: "The heading under which lists show it.", examples: ["Orders"] });
const enforce = z.enum(ENFORCEMENTS).meta({
  id: "Enforcement",
  description: "What becomes of an event that does not fit the schema: nothing, a warning, or a refusal.",
  examples: ["reject"],
});
const json = z
  .unknown()
  .refine(isWithinDepth, { message: `Must not be nested more than ${MAX_DEPTH} levels deep`, abort: true });
const schema = json.meta({
  description: "A JSON Schema of draft 2020-12, at most 64 KiB, for the payloads.",
  examples: [{ type: "object", required: ["total"], properties: { total: { type: "integer" } } }],
});
const example = json.refine(
  (value) => new TextEncoder().encode(JSON.stringify(value) ?? "").length <= MAX_EXAMPLE_BYTES,
  {
    message: `Must have at most ${MAX_EXAMPLE_BYTES / KIB} KiB`,
  },
);
const examples = z
  .array(example)
  .max(MAX_EXAMPLES)
  .meta({ description: "Payloads, at most 5 of 16 KiB. They must fit the schema.", examples: [[{ total: 42 }]] });
const note = z
  .string()
  .max(500)
  .meta({ examples: ["The total is in cents now."] });
const replacedBy = name.meta({ description: "The type to use instead.", examples: ["order.settled"] });
const version = z
  .int()
  .min(1)
  .meta({ description: "1, 2, 3 …", examples: [1] });

const deprecation = z
  .strictObject({ since: moment, note: note.optional(), replacedBy: replacedBy.optional() })
  .meta({ id: "DeprecationInput", description: "Says that publishers should stop using the type." });

export const newEventType = z
  .strictObject({
    name,
    description: description.optional(),
    group: group.optional(),
    enforce: enforce.default("off"),
    schema: schema.optional(),
    examples: examples.optional(),
    deprecated: deprecation.optional(),
  })
  .meta({ id: "EventTypeInput", description: "An event type to declare." });

export const eventTypeChange = z
  .strictObject({
    description: description.nullable(),
    group: group.nullable(),
    enforce,
    archived: z.boolean(),
    deprecated: deprecation.nullable(),
    examples: examples.nullable(),
  })
  .partial()
  .meta({ id: "EventTypeChange", description: "The fields to change. Null clears a field." });

export const newVersion = z
  .strictObject({ schema, examples: examples.optional() })
  .refine((given) => given.schema !== undefined, { path: ["schema"], message: "Required" })
  .meta({ id: "EventTypeVersionInput", description: "A further version of the schema." });

export const sample = z
  .strictObject({ payload: json, version: version.optional() })
  .refine(({ payload }) => payload !== undefined, { path: ["payload"], message: "Required" })
  .meta({ id: "EventTypeSample", description: "A payload to try. Nothing is published." });

export const eventTypeQuery = z.object({
  limit: pageLimit("Event types", MAX_PAGE_ROWS, 100),
  cursor: z.string().min(1).max(200).optional().meta({ description: "The `nextCursor` of the previous answer." }),
  group: group.optional(),
  prefix: z
    .string()
    .min(1)
    .max(128)
    .optional()
    .meta({ description: "Only names that begin so.", examples: ["order."] }),
  archived: z
    .enum(["exclude", "include", "only"])
    .default("exclude")
    .meta({ examples: ["include"] }),
});

const summary = described("EventTypeSummary", "An event type without its schema.", () => ({
  name,
  scope: z
    .enum(["tenant", "platform"])
    .meta({ description: "Who has declared it. What the platform declares holds in every tenant." }),
  shadowed: z
    .boolean()
    .optional()
    .meta({ description: "True: the platform has declared a type of the same name, which counts instead." }),
  description: description.optional(),
  group: group.optional(),
  enforce,
  archived: z.boolean().meta({ description: "True: lists hide it." }),
  deprecated: z
    .object({ since: time, note: note.optional(), replacedBy: replacedBy.optional() })
    .optional()
    .meta({ description: "Present if publishers should stop using it." }),
  latestVersion: z
    .int()
    .min(0)
    .meta({ description: "The newest version of its schema; 0 without one.", examples: [1] }),
  warned: z
    .object({ count: z.int().min(1), lastAt: time })
    .optional()
    .meta({ description: "How many events were published with a warning, counted once a minute." }),
  createdAt: time,
  updatedAt: time,
}));

export const eventTypePage = z.object({
  data: z.array(summary),
  nextCursor: z.string().nullable().meta({ description: "Where the next page begins; null if there is none." }),
});

export const eventType = described("EventType", "An event type that the tenant has declared.", () => ({
  ...summary.unwrap().shape,
  schema: schema.optional(),
  examples: examples.optional(),
  subscribers: z.int().min(0).optional().meta({ description: "How many enabled subscriptions receive it." }),
}));

const paths = z.array(z.string()).meta({ examples: [["items.sku"]] });
const versionSummary = z.object({
  version,
  compatible: z.boolean().meta({ description: "Whether it breaks nothing since the version before." }),
  breaks: z
    .object({ publishers: paths, subscribers: paths })
    .optional()
    .meta({ description: "Where valid payloads may become invalid, and where they may lose what is read." }),
  createdAt: time,
});

export const versionList = z.array(versionSummary.meta({ id: "EventTypeVersionSummary", description: "A version." }));
export const eventTypeVersion = versionSummary
  .extend({ schema, examples: examples.optional() })
  .meta({ id: "EventTypeVersion", description: "A version of the schema of an event type." });

export const sampleResult = described("EventTypeSampleResult", "Whether a payload fits the schema.", () => ({
  valid: z.boolean(),
  version,
  errors: z.array(
    z.object({
      path: z.string().meta({ examples: ["payload.total"] }),
      message: z.string().meta({ description: "The keyword and what it expects.", examples: ["type: integer"] }),
    }),
  ),
}));

const mode = z.enum(MODES).meta({
  description:
    "`open`: any type can be published. `known`: only declared ones that are not archived. `validated`: only those " +
    "with a schema, and every payload must fit.",
  examples: ["known"],
});

export const settings = described("EventTypeSettings", "The settings of event types.", () => ({
  mode,
  catalog: catalogue,
}));
export const settingsChange = z
  .strictObject({ mode, catalog: catalogueChange })
  .partial()
  .meta({ id: "EventTypeSettingsChange", description: "The settings to change." });

export type NewEventType = z.output<typeof newEventType>;
export type EventTypeChange = z.output<typeof eventTypeChange>;
export type NewVersion = z.output<typeof newVersion>;
export type Sample = z.output<typeof sample>;
export type EventTypeQuery = z.output<typeof eventTypeQuery>;
export type EventTypeSummary = z.infer<typeof summary>;
export type EventType = z.infer<typeof eventType>;
export type EventTypeVersion = z.infer<typeof eventTypeVersion>;
export type SampleResult = z.infer<typeof sampleResult>;
export type Settings = z.infer<typeof settings>;
export type SettingsChange = z.output<typeof settingsChange>;
