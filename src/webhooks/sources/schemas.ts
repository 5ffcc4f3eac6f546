/** The request bodies of sources, and the resources that the API returns. */
import * as z from "zod";
import { described, id, name, time } from "../../base/schemas/schemas";
import { MAX_INBOUND_BYTES, SOURCE_OPTIONS } from "./option-schemas";

const PROVIDERS = [
  "stripe",
  "github",
  "shopify",
  "slack",
  "twilio",
  "sendgrid",
  "mailgun",
  "standard",
  "hmac",
] as const;

export type SourceProvider = (typeof PROVIDERS)[number];

/** Why a call was refused. */
const REASONS = [
  "signature",
  "timestamp",
  "disabled",
  "media_type",
  "body",
  "type",
  "schema",
  "too_large",
  "rate_limited",
  "not_published",
  "loop",
  "unavailable",
] as const;

export type Reason = (typeof REASONS)[number];

const MAX_SECRETS = 3;
const MAX_SAMPLE_HEADERS = 100;

const sourceId = z.string().meta({ examples: ["src_4kT9wXbN2mQ7vRzL0pYcHd1AbCdE"] });
const provider = z
  .enum(PROVIDERS)
  .meta({ id: "SourceProvider", description: "Who sends the calls.", examples: ["stripe"] });
const reason = z.enum(REASONS).meta({ id: "SourceErrorReason", description: "Why a call was refused." });
const enabled = z.boolean().meta({ description: "False: every call gets 401." });

const secret = z
  .string()
  .min(1)
  .max(1024)
  .meta({
    description:
      "The provider's signing secret, at least 16 characters for `hmac` and `standard`, and 8 for others. It is " +
      "never shown again.",
    examples: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
  });

export const newSource = z
  .strictObject({
    name,
    provider,
    secrets: z.array(secret).min(1).max(MAX_SECRETS),
    enabled: enabled.default(true),
    ...z.object(SOURCE_OPTIONS).partial().shape,
  })
  .meta({ id: "SourceInput", description: "A source to create." });

const nullable = Object.fromEntries(
  Object.entries(SOURCE_OPTIONS).map(([key, schema]) => [key, schema.nullable()]),
) as {
  [K in keyof typeof SOURCE_OPTIONS]: z.ZodNullable<(typeof SOURCE_OPTIONS)[K]>;
};

export const sourceChange = z
  .strictObject({ name, enabled, ...nullable })
  .partial()
  .meta({ id: "SourceChange", description: "The fields to change. Null sets an option back to its default." });

export const newSourceSecret = z
  .strictObject({ secret })
  .meta({ id: "SourceSecretInput", description: "A further secret, with which calls can be signed from now on." });

export const sourceSample = z
  .strictObject({
    headers: z
      .record(
        z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/, "Must be the name of a header"),
        z
          .string()
          .max(8192)
          .regex(/^[\t\x20-\x7e]*$/, "Must be printable ASCII"),
      )
      .refine((headers) => Object.keys(headers).length <= MAX_SAMPLE_HEADERS, "Must have at most 100 headers")
      .meta({ examples: [{ "X-Signature": "0123" }] }),
    body: z
      .string()
      .max(MAX_INBOUND_BYTES)
      .meta({ examples: ['{"id":"evt_1"}'] }),
  })
  .meta({ id: "SourceSample", description: "A call to try. Nothing is published." });

export const sampleResult = described("SourceSampleResult", "What would become of a call.", () => ({
  verified: z.boolean(),
  reason: reason.optional(),
  type: z.string().optional().meta({ description: "The type of the event that it would become." }),
  relayed: z.boolean().optional().meta({ description: "Whether it would become an event." }),
}));

export const source = described(
  "Source",
  "A URL at which another system sends its webhooks, which become events.",
  () => ({
    id: sourceId,
    name: z.string().meta({ examples: ["Stripe"] }),
    provider,
    url: z.string().meta({
      description: "Where the provider sends its calls.",
      examples: ["https://postern.example.com/api/v1/in/src_4kT9wXbN2mQ7vRzL0pYcHd1AbCdE"],
    }),
    typePrefix: SOURCE_OPTIONS.typePrefix,
    enabled,
    secrets: z.array(
      z.object({
        id,
        last4: z.string().optional().meta({ description: "The last characters of a secret of 12 or more." }),
        createdAt: time,
      }),
    ),
    ...z.object(SOURCE_OPTIONS).omit({ typePrefix: true }).partial().shape,
    createdAt: time,
    updatedAt: time,
    lastEventAt: time.optional().meta({ description: "When it last relayed an event, to the minute." }),
  }),
);

export const sourceError = described(
  "SourceError",
  "Calls that a source has refused. At most one entry a minute and reason.",
  () => ({
    at: time,
    reason,
    count: z.int().min(1).meta({ description: "How many calls were refused since the entry before it." }),
    bytes: z.int().min(0).meta({ description: "The size of the last of their bodies." }),
  }),
);

export type Source = z.infer<typeof source>;
export type SourceError = z.infer<typeof sourceError>;
export type NewSource = z.infer<typeof newSource>;
export type SourceChange = z.infer<typeof sourceChange>;
export type SourceSample = z.infer<typeof sourceSample>;
export type SourceSampleResult = z.infer<typeof sampleResult>;
export { MAX_SECRETS };
