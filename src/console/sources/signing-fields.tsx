/** The fields that say how calls are signed and what names their events, for providers that we do not know. */
import type { SourceProvider } from "../../webhooks/sources/schemas";
import { Select, TextField } from "../components/fields";
import { inputNameOf, type SourceValues, type VerificationField } from "./values";

interface FieldsProps {
  values: SourceValues;
}

const ALGORITHMS = [
  ["sha256", "HMAC-SHA-256"],
  ["sha512", "HMAC-SHA-512"],
] as const;
const ENCODINGS = [
  ["hex", "hexadecimal"],
  ["base64", "base64"],
] as const;
const SECRET_ENCODINGS = [["utf8", "text"], ...ENCODINGS] as const;

type Text = readonly [field: VerificationField, label: string, hint?: string];

const SIGNATURE_TEXTS: readonly Text[] = [
  ["header", "Header with the signature", "For example X-Signature."],
  ["prefix", "What stands before the signature in the header", "For example sha256= . Often nothing."],
  ["content", "What is signed", "{body}, and {timestamp} and {id} if the headers below are named: {timestamp}.{body}"],
  [
    "timestampHeader",
    "Header with the time",
    "Unix seconds. Without a signed time, a call can be repeated after a day.",
  ],
  ["idHeader", "Header with the ID of the call"],
  ["toleranceSeconds", "How far the time may be off, in seconds"],
];

export function SigningFields({ values }: FieldsProps) {
  const inputOf = ([field, label, hint]: Text) => (
    <TextField name={inputNameOf(field)} label={label} value={values.verification[field]} {...(hint ? { hint } : {})} />
  );
  const [header, ...others] = SIGNATURE_TEXTS;
  return (
    <fieldset class="field">
      <legend>How calls are signed</legend>
      {header && inputOf(header)}
      <div class="pairs">
        <Choice field="algorithm" label="Algorithm" options={ALGORITHMS} values={values} />
        <Choice field="encoding" label="Signature in" options={ENCODINGS} values={values} />
        <Choice field="secretEncoding" label="Secret in" options={SECRET_ENCODINGS} values={values} />
        {others.map(inputOf)}
      </div>
    </fieldset>
  );
}

interface ChoiceProps extends FieldsProps {
  field: VerificationField;
  label: string;
  options: readonly (readonly [value: string, label: string])[];
}

const Choice = ({ field, label, options, values }: ChoiceProps) => (
  <Select name={inputNameOf(field)} label={label} value={values.verification[field]} options={options} />
);

const TYPE_PLACES = [
  ["pointer", "a text in the body"],
  ["header", "a header"],
  ["fixed", "always the same"],
] as const;
const STANDARD_PLACE = ["", "type in the body, or else the header X-Webhook-Event"] as const;

export const TypeFields = ({ provider, values }: FieldsProps & { provider: SourceProvider }) => (
  <fieldset class="field">
    <legend>What names the event</legend>
    <Select
      name="typeFrom"
      label="The type is in"
      value={values.typeFrom}
      options={provider === "standard" ? [STANDARD_PLACE, ...TYPE_PLACES] : TYPE_PLACES}
    />
    <TextField
      name="type"
      label="Which one"
      value={values.type}
      hint="A JSON pointer such as /event, the name of the header, or the type itself."
    />
    {provider === "hmac" && (
      <TextField
        name="dedupe"
        label="ID in the body by which repeats are known"
        value={values.dedupe}
        placeholder="/id"
        hint="A JSON pointer. Empty: the signed ID, or the whole body."
      />
    )}
  </fieldset>
);
