/** The options of a source: which calls it relays, how they are signed, and what names the events. */
import * as z from "zod";
import { OPERATIONAL_PREFIX } from "../../base/schemas/event-type";
import { isKeyKind } from "./public-keys";

/** The largest body that any source takes. */
export const MAX_INBOUND_BYTES = 256 * 1024;
/** Visible ASCII without `*`, as in an event type. */
const TYPE_CHARACTERS = /^[!-)+-~]*$/;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
const POINTER = /^(?:\/(?:[^~/]|~[01])*)+$/;
const BODY = "{body}";
const TIMESTAMP = "{timestamp}";
const ID = "{id}";

const headerName = z.string().regex(HEADER_NAME, "Must be the name of a header");
const pointer = z
  .string()
  .max(200)
  .regex(POINTER, "Must be a JSON pointer, such as /data/id")
  .meta({ description: "A JSON pointer into the body (RFC 6901).", examples: ["/data/id"] });

const PARTS = [BODY, TIMESTAMP, ID];

const occurrences = (text: string, part: string) => text.split(part).length - 1;

/** How the calls of the provider `hmac` are signed. */
const verification = z
  .strictObject({
    header: headerName.meta({
      description: "The header with the signature, or with a list of them that commas, semicolons or spaces separate.",
      examples: ["X-Signature"],
    }),
    algorithm: z
      .enum(["sha256", "sha512", "sha1", "ed25519", "ecdsa", "rsa", "token", "jwt"])
      .default("sha256")
      .meta({
        description:
          "An HMAC; for `ed25519`, `ecdsa` (P-256) and `rsa` (PKCS #1 v1.5), both with SHA-256, the secret is the " +
          "public key, as PEM, base64 or hexadecimal; for `token`, the header has the secret itself, and nothing " +
          "is signed; for `jwt`, it has a JSON Web Token, and the secret is that of its HMAC, or a public key as PEM.",
      }),
    encoding: z
      .enum(["hex", "base64"])
      .default("hex")
      .meta({ description: "How the signature is written; base64 in either alphabet, padded or not." }),
    prefix: z
      .string()
      .max(32)
      .default("")
      .meta({ description: "What stands before each signature in its header.", examples: ["sha256="] }),
    content: z
      .string()
      .max(200)
      .default(BODY)
      .meta({
        description: "What is signed: `{body}`, and `{timestamp}` and `{id}` if their headers are named.",
        examples: ["{timestamp}.{body}"],
      }),
    timestampHeader: headerName.optional().meta({
      description:
        "The header with the time, in seconds or milliseconds since 1970, or in ISO 8601. It may be `header` too.",
    }),
    timestampPrefix: z
      .string()
      .max(32)
      .optional()
      .meta({ description: "What stands before the time in its header.", examples: ["t="] }),
    idHeader: headerName.optional().meta({ description: "The header with the id of the call." }),
    bodyClaim: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .meta({
        description:
          "For `jwt`: the claim that has the SHA-256 of the body, in hexadecimal or base64; `request_body_sha256` " +
          "unless given.",
        examples: ["sha256"],
      }),
    toleranceSeconds: z.int().min(1).max(3600).default(300),
    secretEncoding: z
      .enum(["utf8", "hex", "base64"])
      .default("utf8")
      .meta({ description: "How the bytes of the key are written in the secret." }),
  })
  .superRefine((given, context) => {
    const refuse = (path: string, message: string) => context.addIssue({ code: "custom", path: [path], message });
    refuseContent(given, (message) => refuse("content", message));
    if (given.timestampHeader === undefined && given.timestampPrefix !== undefined) {
      refuse("timestampPrefix", "Needs timestampHeader");
    }
    if (isKeyKind(given.algorithm) && given.secretEncoding !== "utf8") {
      refuse("secretEncoding", "A public key is read in any encoding");
    }
    if (given.algorithm !== "jwt" && given.bodyClaim !== undefined) refuse("bodyClaim", "Is for jwt only");
    if (given.algorithm === "jwt" && given.content !== BODY) refuse("content", "A token says itself what it signs");
    if (given.algorithm !== "token") return;
    if (given.content !== BODY) refuse("content", "A token signs nothing");
    if (given.secretEncoding !== "utf8") refuse("secretEncoding", "A token is text");
  })
  .meta({ id: "SourceVerification", description: "How the calls of a source of the provider `hmac` are signed." });

interface Signing {
  content: string;
  timestampHeader?: string | undefined;
  idHeader?: string | undefined;
}

/** A misspelt part would be signed as it stands, and no call would ever be right. */
function refuseContent({ content, timestampHeader, idHeader }: Signing, refuse: (message: string) => void) {
  if (occurrences(content, BODY) !== 1) refuse("Must contain {body} once");
  if (/[{}]/.test(PARTS.reduce((text, part) => text.replaceAll(part, ""), content))) {
    refuse("May have no other braces than {body}, {timestamp} and {id}");
  }
  for (const [part, header] of [
    [TIMESTAMP, timestampHeader],
    [ID, idHeader],
  ] as const) {
    if (occurrences(content, part) !== (header === undefined ? 0 : 1)) {
      refuse(`Must contain ${part} once if its header is named, and otherwise not`);
    }
  }
}

const typeRule = z
  .union([
    z.strictObject({ pointer }),
    z.strictObject({ header: headerName }),
    z.strictObject({ fixed: z.string().min(1).max(128).regex(TYPE_CHARACTERS, "Must be an event type") }),
  ])
  .meta({
    id: "SourceType",
    unionOneOf: true,
    description: "What names the type: a text or whole number in the body, a header, or always the same.",
    examples: [{ pointer: "/event" }],
  });

const dedupeKey = z
  .union([
    z.strictObject({ header: headerName }),
    z.strictObject({ path: pointer }),
    z.strictObject({ pointer: pointer.meta({ description: "The former name of `path`." }) }),
  ])
  .meta({ id: "SourceDedupeKey", unionOneOf: true, description: "What names an event." });

const dedupe = z.union([dedupeKey, z.literal(false)]).meta({
  id: "SourceDedupe",
  description:
    "By which repeats are known, beside the type: a header, or a text or whole number in the body. False: no call " +
    "is a repeat. Unless given: the signed id if there is one, otherwise the type and the whole body.",
  examples: [{ header: "X-Event-Id" }],
});

export const SOURCE_OPTIONS = {
  typePrefix: z
    .string()
    .max(64)
    .regex(TYPE_CHARACTERS, "Must be visible ASCII without *")
    .refine((prefix) => !prefix.startsWith(OPERATIONAL_PREFIX), "Must not start with postern.")
    .meta({
      description: "Stands before each type. By default the provider and a dot; empty for `hmac` and `standard`.",
      examples: ["stripe."],
    }),
  allow: z
    .array(
      z
        .string()
        .max(128)
        .regex(/^[!-)+-~]*\*?$/, "Must be a type, or end in *")
        .min(1),
    )
    .min(1)
    .max(100)
    .meta({
      description: "The types of the provider that are relayed, exact or ending in `*`; all unless given.",
      examples: [["invoice.*"]],
    }),
  requestsPerMinute: z
    .int()
    .min(1)
    .max(6000)
    .meta({ description: "How many rightly signed calls it takes in 60 seconds; 30 unless given.", examples: [120] }),
  maxBytes: z
    .int()
    .min(1)
    .max(MAX_INBOUND_BYTES)
    .meta({ description: "The largest body; 262,144 unless given.", examples: [65_536] }),
  verification,
  type: typeRule,
  dedupe,
};

const sourceOptions = z.object(SOURCE_OPTIONS).partial();

export type SourceOptions = z.infer<typeof sourceOptions>;
export type Verification = z.infer<typeof verification>;
export type TypeRule = z.infer<typeof typeRule>;
