/** The form of a source as text, and the body of the API that it stands for. */
import type { SourceOptions, TypeRule } from "../../webhooks/sources/option-schemas";
import type { SourceProvider } from "../../webhooks/sources/schemas";
import { type Form, textsOf } from "../http/form";

export interface SourceValues {
  name: string;
  secret: string;
  typePrefix: string;
  /** One type a line. */
  allow: string;
  requestsPerMinute: string;
  maxBytes: string;
  /** Where the type is: "pointer", "header", "fixed", or empty for the provider's own place. */
  typeFrom: string;
  type: string;
  dedupe: string;
  verification: VerificationTexts;
}

const VERIFICATION_FIELDS = [
  "header",
  "algorithm",
  "encoding",
  "prefix",
  "content",
  "timestampHeader",
  "idHeader",
  "toleranceSeconds",
  "secretEncoding",
] as const;

export type VerificationField = (typeof VERIFICATION_FIELDS)[number];
type VerificationTexts = Readonly<Record<VerificationField, string>>;

/** The name of the input of a field of `verification`, which is also the path of its errors. */
export const inputNameOf = (field: VerificationField): string => `verification.${field}`;

const DEFAULTS: Partial<VerificationTexts> = { content: "{body}", toleranceSeconds: "300" };

const verificationTexts = (textOf: (field: VerificationField) => string): VerificationTexts =>
  textsOf(VERIFICATION_FIELDS, textOf);

/** What the form of a new source shows. */
export const newValues = (secret: string): SourceValues => ({
  name: "",
  secret,
  typePrefix: "",
  allow: "",
  requestsPerMinute: "",
  maxBytes: "",
  typeFrom: "",
  type: "",
  dedupe: "",
  verification: verificationTexts((field) => DEFAULTS[field] ?? ""),
});

/** What the form shows of a source. */
export function valuesOf(name: string, options: SourceOptions): SourceValues {
  const { typePrefix, allow = [], requestsPerMinute, maxBytes, type, dedupe, verification } = options;
  const [typeFrom = "", typeText = ""] = type ? (Object.entries(type)[0] ?? []) : [];
  return {
    name,
    secret: "",
    typePrefix: typePrefix ?? "",
    allow: allow.join("\n"),
    requestsPerMinute: String(requestsPerMinute ?? ""),
    maxBytes: String(maxBytes ?? ""),
    typeFrom,
    type: typeText,
    dedupe: dedupe?.pointer ?? "",
    verification: verificationTexts((field) => String(verification?.[field] ?? DEFAULTS[field] ?? "")),
  };
}

export const readValues = (form: Form): SourceValues => ({
  ...form.texts("name", "typePrefix", "allow", "requestsPerMinute", "maxBytes", "typeFrom", "type", "dedupe"),
  secret: form.text("secrets"),
  verification: verificationTexts((field) => form.text(inputNameOf(field))),
});

/** Undefined for an empty text; NaN, which no schema accepts, for a text that is no number. */
const numberIn = (text: string): number | undefined => (text.trim() === "" ? undefined : Number(text));

/** The options that a form sets, without those that the provider does not have. */
export function optionsIn(values: SourceValues, provider: SourceProvider): Record<string, unknown> {
  const allow = values.allow.split(/[\s,]+/).filter((type) => type !== "");
  return {
    typePrefix: values.typePrefix.trim() || undefined,
    allow: allow.length === 0 ? undefined : allow,
    requestsPerMinute: numberIn(values.requestsPerMinute),
    maxBytes: numberIn(values.maxBytes),
    ...(provider === "hmac" || provider === "standard" ? { type: typeRuleIn(values) } : {}),
    ...(provider === "hmac"
      ? {
          dedupe: values.dedupe.trim() === "" ? undefined : { pointer: values.dedupe.trim() },
          verification: verificationIn(values.verification),
        }
      : {}),
  };
}

const typeRuleIn = ({ typeFrom, type }: SourceValues): Partial<Record<string, string>> | undefined =>
  typeFrom === "" ? undefined : { [typeFrom]: type.trim() };

const verificationIn = ({ toleranceSeconds, ...texts }: VerificationTexts) => ({
  ...Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== "")),
  header: texts.header,
  toleranceSeconds: numberIn(toleranceSeconds),
});

/** Where the type is, in words. */
export function typeRuleText(rule: TypeRule): string {
  if ("fixed" in rule) return `always ${rule.fixed}`;
  return "header" in rule ? `the header ${rule.header}` : `${rule.pointer} in the body`;
}
