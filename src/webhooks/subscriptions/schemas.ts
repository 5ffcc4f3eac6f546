/** The request bodies of a subscription, and the resource that the API returns. */
import * as z from "zod";
import { subscribedType } from "../../base/schemas/event-type";
import { described, id, MAX_URL_CHARACTERS, name, tenantId, time } from "../../base/schemas/schemas";
import { deliveryChange, deliveryOptions } from "../options/delivery-options";

const MAX_EVENT_TYPES = 100;
const EXAMPLE_URL = "https://example.com/hooks";

/** What URL parsers strip or rewrite in silence. */
const REWRITTEN = /[\p{Cc}\\]|^https?:(?!\/\/)/iu;

/** Kept as it is called: people copy addresses with spaces around them, and schemes in capitals. */
const typedUrl = z
  .string()
  .overwrite((text) => text.trim().replace(/^https?:/i, (scheme) => scheme.toLowerCase()))
  .refine((text) => !REWRITTEN.test(text), "Must begin with http:// or https://, without control characters or \\");

const url = typedUrl.meta({
  description: "An http or https URL without credentials. Private addresses are refused.",
  format: "uri",
  pattern: "^https?://",
  maxLength: MAX_URL_CHARACTERS,
  examples: [EXAMPLE_URL],
});

/**
 * Standard Webhooks marks Ed25519 keys with these prefixes. A public key is no secret, and a private key must not be
 * sent to anybody.
 */
const ED25519_KEY = /^wh[ps]k_/;
/** Standard Webhooks defines what follows as base64 of the alphabet that its libraries take. */
const STANDARD_SECRET = /^whsec_/;
const BASE64_KEY = /^whsec_(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{4}|[A-Za-z\d+/]{3}=?|[A-Za-z\d+/]{2}(?:==)?)$/;

/** A new secret that signs deliveries. */
export const signingSecret = z
  .string()
  .min(1)
  .max(256)
  .refine((secret) => !ED25519_KEY.test(secret), "Must not begin with whpk_ or whsk_, which mark Ed25519 keys")
  .refine(
    (secret) => !STANDARD_SECRET.test(secret) || BASE64_KEY.test(secret),
    "After whsec_, there must be a key in base64, with + and /",
  )
  .meta({
    description: "Signs the deliveries: `whsec_` and a key in base64, or any text of up to 256 characters.",
    // A look-ahead would say the same, but not every reader of patterns knows it.
    not: { pattern: ED25519_KEY.source },
    examples: ["a signing secret"],
  });

const enabled = z.boolean().meta({ description: "False: it is paused." });

export const externalId = z
  .string()
  .regex(/^[\x21-\x7e]{1,128}$/, "Must be 1 to 128 visible ASCII characters")
  .meta({ description: "The id of the subscription in your own system, unique in the tenant.", examples: ["ep_4711"] });

export const listQuery = z.object({
  externalId: externalId.optional(),
  setUpBy: id.optional().meta({
    description: "Only those that this user, or an API key of theirs, has created or last given another URL.",
  }),
});

export const eventTypes = z
  .array(subscribedType)
  .min(1)
  .max(MAX_EVENT_TYPES)
  .meta({ examples: [["OrderPaid"]] })
  .transform((types) => [...new Set(types)])
  .meta({
    description:
      "The event types that it receives, 1 to 100; `*` stands for all that the tenant publishes, `order.*` for " +
      "those that begin with `order.`, `postern.*` for all operational events.",
  });

const subscriptionFields = z.object({
  name,
  url,
  events: eventTypes,
  secret: signingSecret,
  enabled,
  delivery: deliveryChange
    .nullable()
    .optional()
    .meta({ description: "How its deliveries are sent. Null sets all options to their defaults." }),
});

export const newSubscription = subscriptionFields
  .extend({
    enabled: enabled.default(true).meta({ description: "False creates it paused." }),
    externalId: externalId.optional(),
  })
  .meta({ id: "SubscriptionInput", description: "A subscription to create." });

/** Any of the fields. A field that is left out keeps its value. */
export const subscriptionChange = subscriptionFields
  .extend({ externalId: externalId.nullable().meta({ description: "Null removes it." }) })
  .partial()
  .meta({ id: "SubscriptionChange", description: "The fields to change; the others stay as they are." });

export const resumption = z.object({
  held: z.enum(["send", "drop"]).default("send").meta({
    description: "Whether the deliveries that were held during the pause are sent, oldest first, or dropped.",
  }),
});

export const subscription = described(
  "Subscription",
  "A subscription: the receiver of a subscriber in the tenant.",
  () => ({
    _id: id,
    externalId: externalId.optional(),
    name: z.string().meta({ examples: ["Orders"] }),
    url: z.string().meta({ examples: [EXAMPLE_URL] }),
    events: z.array(z.string()).meta({ examples: [["OrderPaid"]] }),
    secret: z.string().meta({ description: "The signing secret, in plaintext.", examples: ["a signing secret"] }),
    enabled: z.boolean().meta({ description: "False while the subscription is paused." }),
    disabled: z
      .object({
        reason: z
          .enum(["failing", "gone"])
          .meta({ description: "`failing`: no delivery succeeded for too long. `gone`: its URL answered 410 twice." }),
        at: time,
        failingSince: time.meta({ description: "When the failures began." }),
      })
      .optional()
      .meta({ description: "Present if the service, not a user, has disabled the subscription." }),
    delivery: deliveryOptions
      .optional()
      .meta({ description: "The delivery options that are set; missing if all have their defaults." }),
    lastTriggeredAt: time
      .optional()
      .meta({ description: "When the last attempt started; missing before the first one." }),
    failureCount: z
      .int()
      .min(0)
      .meta({ description: "Failed attempts since the last success.", examples: [0] }),
    tenantId,
    isDeleted: z.boolean().meta({ examples: [false] }),
    version: z
      .int()
      .min(0)
      .meta({ description: "Increases by one with each change.", examples: [0] }),
    createdAt: time,
    updatedAt: time,
    warnings: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .optional()
      .meta({
        description:
          "In the answer to a creation or a change: the event types that nobody has declared, which may be mistyped. " +
          "They are refused where only declared types can be published.",
        examples: [[{ path: "events.0", message: "No event type has this name. Do you mean OrderPaid?" }]],
      }),
  }),
);

export type Subscription = z.infer<typeof subscription>;
