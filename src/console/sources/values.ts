/** The form of a source as text, and the body of the API that it stands for. */
import { inputNames, type PlacedField, type Texts, textsFor, valuesIn, withoutDefaults } from "../../base/option";
import { placeOf } from "../../webhooks/sources/content";
import { fieldsOf } from "../../webhooks/sources/option-fields";
import type { SourceOptions, TypeRule } from "../../webhooks/sources/option-schemas";
import type { SourceProvider } from "../../webhooks/sources/schemas";
import type { Form } from "../http/form";

export interface SourceValues {
  name: string;
  secret: string;
  options: Texts;
}

const optionsOf = (provider: SourceProvider): PlacedField[] => Object.values(fieldsOf(provider)).flat();

/** What the form shows of a source; for a new one, without options. */
export const valuesOf = (provider: SourceProvider, options: SourceOptions, name = "", secret = ""): SourceValues => ({
  name,
  secret,
  options: textsFor(optionsOf(provider), options),
});

export const readValues = (form: Form, provider: SourceProvider): SourceValues => ({
  name: form.text("name"),
  secret: form.text("secrets"),
  options: form.given(inputNames(optionsOf(provider))),
});

/** The options that a form sets. */
export const optionsIn = ({ options }: SourceValues, provider: SourceProvider): Record<string, unknown> =>
  withoutDefaults(valuesIn(optionsOf(provider), options));

/** The change that leaves what a form sets: the other options of the provider get their defaults. */
export const changeIn = (values: SourceValues, provider: SourceProvider): Record<string, unknown> => ({
  ...Object.fromEntries(optionsOf(provider).map(({ path }) => [path.split(".")[0], null])),
  ...optionsIn(values, provider),
});

/** Where the type is, in words. */
export function typeRuleText(rule: TypeRule): string {
  if ("fixed" in rule) return `always ${rule.fixed}`;
  return "header" in rule ? `the header ${rule.header}` : `${rule.pointer} in the body`;
}

/** By what repeats are known, in words. */
export function dedupeText(dedupe: NonNullable<SourceOptions["dedupe"]>): string {
  if (dedupe === false) return "nothing: each call is an event";
  return "header" in dedupe ? `the header ${dedupe.header}` : `${placeOf(dedupe)} in the body`;
}
