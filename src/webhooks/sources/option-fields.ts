/** How forms show and set the options of a source. Their schemas are in option-schemas.ts. */
import { choiceField, numberField, type OptionField, type PlacedField, textField, wordsField } from "../../base/option";
import { placeOf } from "./content";
import type { SourceOptions, TypeRule } from "./option-schemas";
import type { SourceProvider } from "./schemas";

const LIMITS: readonly PlacedField[] = [
  {
    path: "typePrefix",
    field: textField({
      name: "typePrefix",
      label: "Prefix of the event types",
      maxlength: 64,
      hint: "Stands before each type. Empty: the provider and a dot, or nothing for Standard Webhooks and others.",
    }),
  },
  {
    path: "allow",
    field: wordsField({
      name: "allow",
      label: "Only these types",
      hint: "The provider's names, one a line. An asterisk at the end stands for anything: invoice.* Empty: all types.",
    }),
  },
  {
    path: "requestsPerMinute",
    field: numberField({
      name: "requestsPerMinute",
      label: "Calls in 60 seconds",
      placeholder: "30",
      hint: "More get 429. Most providers send those again, but GitHub does not.",
    }),
  },
  {
    path: "maxBytes",
    field: numberField({ name: "maxBytes", label: "Largest body in bytes", placeholder: "262144" }),
  },
];

/** At its path, which is also the name of its input. */
const signed = (member: string, fieldOf: (name: string) => OptionField): PlacedField => {
  const path = `verification.${member}`;
  return { path, field: fieldOf(path) };
};

/** Always sent: the provider `hmac` cannot be without it. */
const requiredText = (field: OptionField): OptionField => ({ ...field, read: (texts) => field.read(texts) ?? "" });

const SIGNATURE: readonly PlacedField[] = [
  signed("header", (name) =>
    requiredText(textField({ name, label: "Header with the signature", hint: "For example X-Signature." })),
  ),
  signed("algorithm", (name) =>
    choiceField(name, {
      label: "Algorithm",
      choices: [
        ["sha256", "HMAC-SHA-256", null],
        ["sha512", "HMAC-SHA-512", "sha512"],
        ["sha1", "HMAC-SHA-1", "sha1"],
        ["ed25519", "Ed25519: the secret is the public key", "ed25519"],
        ["ecdsa", "ECDSA, P-256: the secret is the public key", "ecdsa"],
        ["rsa", "RSA: the secret is the public key", "rsa"],
        ["token", "none: the secret itself", "token"],
        ["jwt", "JSON Web Token, with the hash of the body", "jwt"],
      ],
    }),
  ),
  signed("encoding", (name) =>
    choiceField(name, {
      label: "Signature in",
      choices: [
        ["hex", "hexadecimal", null],
        ["base64", "base64", "base64"],
      ],
    }),
  ),
  signed("secretEncoding", (name) =>
    choiceField(name, {
      label: "Secret in",
      choices: [
        ["utf8", "text", null],
        ["hex", "hexadecimal", "hex"],
        ["base64", "base64", "base64"],
      ],
    }),
  ),
  signed("prefix", (name) =>
    textField({
      name,
      label: "What stands before a signature in the header",
      hint: "For example sha256= . Often nothing.",
    }),
  ),
  signed("content", (name) =>
    textField({
      name,
      label: "What is signed",
      byDefault: "{body}",
      hint: "{body}, and {timestamp} and {id} if the headers below are named: {timestamp}.{body}",
    }),
  ),
  signed("timestampHeader", (name) =>
    textField({
      name,
      label: "Header with the time",
      hint: "It may be the one with the signature. Without a signed time, a call can be repeated after a day.",
    }),
  ),
  signed("timestampPrefix", (name) =>
    textField({ name, label: "What stands before the time in the header", hint: "For example t= . Often nothing." }),
  ),
  signed("idHeader", (name) => textField({ name, label: "Header with the ID of the call" })),
  signed("bodyClaim", (name) =>
    textField({
      name,
      label: "Claim with the hash of the body",
      hint: "Of a JSON Web Token; request_body_sha256 unless you say otherwise.",
    }),
  ),
  signed("toleranceSeconds", (name) =>
    numberField({ name, label: "How far the time may be off, in seconds", byDefault: "300" }),
  ),
];

const TYPE_PLACES = [
  ["pointer", "a text in the body"],
  ["header", "a header"],
  ["fixed", "always the same"],
] as const;
const STANDARD_PLACE = ["", "type in the body, or else the header X-Webhook-Event"] as const;

const typeField = (isStandard: boolean): PlacedField => ({
  path: "type",
  field: {
    inputs: [
      {
        kind: "choice",
        name: "typeFrom",
        label: "The type is in",
        choices: () => (isStandard ? [STANDARD_PLACE, ...TYPE_PLACES] : TYPE_PLACES),
      },
      {
        kind: "text",
        name: "type",
        label: "Which one",
        hint: "A JSON pointer such as /event, the name of the header, or the type itself.",
      },
    ],
    errorInput: "type",
    show: (rule) => {
      const [typeFrom = "", type = ""] = Object.entries((rule ?? {}) as TypeRule)[0] ?? [];
      return { typeFrom, type };
    },
    read: ({ typeFrom, type = "" }) => (typeFrom ? { [typeFrom]: type.trim() } : null),
  },
});

const DEDUPE_PLACES = [
  ["", "the signed ID, or the type and the whole body"],
  ["pointer", "a text or whole number in the body"],
  ["header", "a header"],
  ["none", "nothing: each call is an event"],
] as const;

const dedupeField: OptionField = {
  inputs: [
    { kind: "choice", name: "dedupeFrom", label: "Repeats are known by", choices: () => DEDUPE_PLACES },
    {
      kind: "text",
      name: "dedupe",
      label: "Which one",
      hint: "A JSON pointer such as /id, or the name of the header.",
    },
  ],
  errorInput: "dedupe",
  show: (rule) => shownDedupe(rule as SourceOptions["dedupe"]),
  read: ({ dedupeFrom, dedupe = "" }) => {
    const place = dedupe.trim();
    if (dedupeFrom === "none") return false;
    return dedupeFrom || place ? { [dedupeFrom || "pointer"]: place } : null;
  },
};

function shownDedupe(rule: SourceOptions["dedupe"]) {
  if (!rule) return { dedupeFrom: rule === false ? "none" : "", dedupe: "" };
  if ("header" in rule) return { dedupeFrom: "header", dedupe: rule.header };
  return { dedupeFrom: "pointer", dedupe: placeOf(rule) };
}

/** The options of the sources of a provider, in the sections of the form. */
export const fieldsOf = (provider: SourceProvider) => ({
  signature: provider === "hmac" ? SIGNATURE : [],
  type: [
    ...(provider === "hmac" || provider === "standard" ? [typeField(provider === "standard")] : []),
    ...(provider === "hmac" ? [{ path: "dedupe", field: dedupeField }] : []),
  ],
  limits: LIMITS,
});
