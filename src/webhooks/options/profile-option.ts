/** `delivery.signatureProfile` as an option: its docs, its stored form and its inputs in the console's form. */
import { type DeliveryOption, type Input, type OptionField, type Texts, withDocs } from "../../base/option";
import { PROFILE_MEMBERS, signatureProfile } from "./signature-profile";

const CHOICES = [
  ["none", "No further signature"],
  ["svix", "As Svix signs"],
  ["stripe", "As Stripe signs"],
  ["github", "As GitHub signs"],
  ["custom", "Your own form"],
] as const;

const ENCODINGS = [
  ["hex", "hex"],
  ["base64", "base64"],
] as const;
const ALGORITHMS = [
  ["sha256", "HMAC-SHA256"],
  ["sha512", "HMAC-SHA512"],
] as const;
const KEYS = [
  ["utf8", "The secret as text"],
  ["base64", "The secret decoded from base64"],
] as const;

type Choice = readonly (readonly [text: string, label: string])[];

const text = (member: string, label: string, more: Partial<Input> = {}): Input => ({
  kind: "text",
  name: inputName(member),
  label,
  ...more,
});
const choice = (member: string, label: string, choices: Choice, hint?: string): Input => ({
  kind: "choice",
  name: inputName(member),
  label,
  choices: () => choices,
  ...(hint ? { hint } : {}),
});

const inputs: readonly Input[] = [
  choice(
    "kind",
    "Signature for the library of another provider",
    CHOICES,
    "For receivers that verify the signatures of another provider. The standard signatures are sent as well.",
  ),
  text("header", "Header of that signature", {
    placeholder: "the provider's",
    hint: "For Stripe, GitHub and your own form.",
  }),
  text("content", "What your own form signs", {
    placeholder: "{timestamp}.{body}",
    hint: "{body} once, with {id} and {timestamp} as needed. This and the rest is for your own form only.",
  }),
  choice("algorithm", "Algorithm", ALGORITHMS),
  choice("encoding", "Encoding", ENCODINGS),
  text("prefix", "Before the signature", { placeholder: "sha256=" }),
  choice("key", "The key", KEYS),
  text("idHeader", "Header for the delivery id"),
  text("timestampHeader", "Header for the timestamp"),
];

/** `signatureProfile` for the kind, `signatureProfileHeader` for the header, and so on. */
function inputName(member: string): string {
  return member === "kind" ? "signatureProfile" : `signatureProfile${member[0]?.toUpperCase()}${member.slice(1)}`;
}

/** The members that each kind takes, as the form sets them. */
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  stripe: ["header"],
  github: ["header"],
  custom: PROFILE_MEMBERS.filter((member) => member !== "kind"),
};

const field: OptionField = {
  inputs,
  errorInput: inputName("kind"),
  show: (value) => {
    const set = (value ?? { kind: "none" }) as Record<string, string>;
    const shown = (member: string) => set[member] ?? firstChoice(member);
    return Object.fromEntries(PROFILE_MEMBERS.map((member) => [inputName(member), shown(member)]));
  },
  read: (texts) => {
    const kind = texts[inputName("kind")];
    if (kind === undefined) return undefined;
    return kind === "none" ? null : { kind, ...membersOf(kind, texts) };
  },
};

/** What an input shows for a member that is not set. */
function firstChoice(member: string): string {
  const input = inputs.find(({ name }) => name === inputName(member));
  return input?.choices?.({ autoDisableHours: null })[0]?.[0] ?? "";
}

const membersOf = (kind: string, texts: Texts) =>
  Object.fromEntries(
    (MEMBERS[kind] ?? []).flatMap((member) => {
      const given = texts[inputName(member)]?.trim() ?? "";
      return given === "" || (member === "key" && given === "utf8") ? [] : [[member, given]];
    }),
  );

const docs = {
  description:
    "Further signature headers in the form of another provider, beside the standard ones: `svix`, `stripe`, " +
    "`github`, or `custom` with your own header and content. While a rotation overlaps, `svix` and `stripe` " +
    "carry a signature of each secret, the others that of the new one. A change replaces the whole object.",
  values: "`{ kind }` with the members of that kind",
  byDefault: "none",
  examples: [
    { kind: "svix" },
    { kind: "stripe" },
    { kind: "github", header: "X-Acme-Signature-256" },
    {
      kind: "custom",
      header: "X-Acme-Signature",
      encoding: "hex",
      algorithm: "sha256",
      content: "{timestamp}.{body}",
      timestampHeader: "X-Acme-Timestamp",
    },
  ],
};

const schema = withDocs(signatureProfile, { id: "SignatureProfile", ...docs });

export const profileOption = {
  change: schema,
  shown: schema,
  docs,
  field,
} satisfies DeliveryOption;
