/**
 * What an option is: of deliveries, of sources, of the look of a portal. Its schemas, its row in the docs, and what
 * forms show, read and send all derive from this.
 */
import * as z from "zod";

/** The texts of a form's inputs, by name. An input that the form does not have is missing. */
export type Texts = Readonly<Record<string, string>>;

/** What the console's form shows depends on the deployment. */
export interface Deployment {
  /** After how many hours of failures a subscription is disabled by default; null for never. */
  autoDisableHours: number | null;
}

/** The texts that a select offers, each with its label. */
type Choices = readonly (readonly [text: string, label: string])[];

/** An input of the console's form. */
export interface Input {
  name: string;
  label: string;
  hint?: string;
  /** "hidden": lines of text that are shown again only after an error, to the person who has just typed them. */
  kind: "choice" | "number" | "text" | "lines" | "url" | "json" | "hidden";
  placeholder?: string;
  maxlength?: number;
  /** For a choice. */
  choices?: (deployment: Deployment) => Choices;
}

/** How the console's form shows and sets an option. */
export interface OptionField {
  inputs: readonly Input[];
  /** The name of the input that shows what is wrong with the option. */
  errorInput: string;
  /** The texts for a value that is set; undefined for the default. */
  show(value: unknown): Texts;
  /** What the texts set, for the API's schema to validate; null for the default, undefined if the input is missing. */
  read(texts: Texts): unknown;
}

export interface DeliveryOption<Change extends z.ZodType = z.ZodType, Shown extends z.ZodType = z.ZodType> {
  /** What a request may set it to, besides null for the default. */
  change: Change;
  /** What is stored and returned. */
  shown: Shown;
  /** The value to store; null for the default. Without it, the value is stored as it was set. */
  toStored?(value: z.output<Change>): unknown;
  /** Returns why a deployment that keeps deliveries for `retentionDays` refuses the value. */
  refuse?(value: z.output<Change>, retentionDays: number): string | undefined;
  /** Its row in the docs. */
  docs: OptionDocs;
  field: OptionField;
}

interface OptionDocs {
  description: string;
  /** The values that it takes, as Markdown. */
  values: string;
  /** What applies while it is not set, as Markdown. */
  byDefault: string;
}

interface Described extends OptionDocs {
  /** Names the schema in the OpenAPI document. */
  id?: string;
  examples: unknown[];
}

/** Returns the schema with the description of the option, which names the default. */
export const withDocs = <S extends z.ZodType>(schema: S, { id, description, byDefault, examples }: Described): S =>
  schema.meta({ ...(id ? { id } : {}), description: `${description} By default: ${byDefault}.`, examples });

/** An option that takes the same value in requests and answers. */
export function plainOption<S extends z.ZodType>(schema: S, docs: Described, field: OptionField) {
  const full = withDocs(schema, docs);
  return { change: full, shown: full, docs, field } satisfies DeliveryOption;
}

interface Choice<V extends string> {
  description: string;
  /** The label of the console's select. */
  label: string;
  hint: string;
  /** The values, each with its label. The first one is the default, and is not stored. */
  choices: Readonly<Record<V, string>>;
}

/** An option that is one of a few words; `name` is its name in the API and in the form. */
export function choiceOption<const V extends string>(name: string, { description, choices, ...shown }: Choice<V>) {
  const values = Object.keys(choices) as [V, ...V[]];
  const [byDefault, ...others] = values;
  const docs = { description, values: codes(values), byDefault: codes([byDefault]), examples: others.slice(0, 1) };
  const labelled = values.map((value) => [value, choices[value], value === byDefault ? null : value] as const);
  return {
    ...plainOption(z.enum(values), docs, choiceField(name, { ...shown, choices: labelled })),
    toStored: (value: V): V | null => (value === byDefault ? null : value),
  } satisfies DeliveryOption;
}

/** JSON strings as Markdown. */
export const codes = (values: readonly string[]): string => values.map((value) => `\`"${value}"\``).join(" or ");

interface ChoiceField {
  label: string;
  hint?: string;
  /** Texts and labels, each with the value that it sets. One of them sets the default, null. */
  choices: readonly (readonly [text: string, label: string, value: unknown])[];
}

/** A select. A text that it does not offer is left to the schema to refuse. */
export function choiceField(name: string, { choices, ...shown }: ChoiceField): OptionField {
  const textOf = (value: unknown) => choices.find(([, , set]) => set === value)?.[0];
  const offered = choices.map(([text, label]) => [text, label] as const);
  return {
    inputs: [{ kind: "choice", name, ...shown, choices: () => offered }],
    errorInput: name,
    show: (value) => ({ [name]: textOf(value) ?? textOf(null) ?? "" }),
    read: ({ [name]: text }) => {
      const chosen = choices.find(([offeredText]) => offeredText === text);
      return chosen ? chosen[2] : text;
    },
  };
}

/** A number, or no text for the default. */
export const numberField = ({
  byDefault = "",
  ...input
}: Omit<Input, "kind" | "choices"> & { byDefault?: string }): OptionField => ({
  inputs: [{ kind: "number", ...input }],
  errorInput: input.name,
  show: (value) => ({ [input.name]: String(value ?? byDefault) }),
  read: ({ [input.name]: text }) => {
    if (text === undefined) return undefined;
    return text.trim() === "" ? null : Number(text);
  },
});

interface TextInput extends Omit<Input, "kind" | "choices"> {
  kind?: "text" | "url";
  /** Shown while nothing is set. */
  byDefault?: string;
}

/** A text, or an empty one for the default. */
export const textField = ({ byDefault = "", kind = "text", ...input }: TextInput): OptionField => ({
  inputs: [{ kind, ...input }],
  errorInput: input.name,
  show: (value) => ({ [input.name]: String(value ?? byDefault) }),
  read: ({ [input.name]: text }) => (text === undefined ? undefined : text.trim() || null),
});

/** A list of words, one a line; none for the default. */
export const wordsField = (input: Omit<Input, "kind" | "choices">): OptionField => ({
  inputs: [{ kind: "lines", ...input }],
  errorInput: input.name,
  show: (value) => ({ [input.name]: (Array.isArray(value) ? value : []).join("\n") }),
  read: ({ [input.name]: text }) => {
    if (text === undefined) return undefined;
    const words = text.split(/[\s,]+/).filter((word) => word !== "");
    return words.length === 0 ? null : words;
  },
});

/** A field with the place of its value in what the API takes, such as `retry.schedule`. */
export interface PlacedField {
  path: string;
  field: OptionField;
}

/** The names of the inputs of the form. */
export const inputNames = (options: readonly PlacedField[]): string[] =>
  options.flatMap(({ field }) => field.inputs.map(({ name }) => name));

/** The value at a path; undefined if it is not set. */
export const valueAt = (values: object | null | undefined, path: string): unknown =>
  path
    .split(".")
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | null | undefined)?.[name], values);

/** What the form shows for the values that are set. */
export const textsFor = (options: readonly PlacedField[], values: object | null): Texts =>
  Object.assign({}, ...options.map(({ path, field }) => field.show(valueAt(values, path))));

/** What the form sets, for the API's schema to validate; null for a default. */
export function valuesIn(options: readonly PlacedField[], texts: Texts): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const { path, field } of options) {
    const value = field.read(texts);
    if (value === undefined) continue;
    const groups = path.split(".");
    const name = groups.pop() ?? path;
    const group = groups.reduce<Record<string, unknown>>((outer, key) => {
      outer[key] ??= {};
      return outer[key] as Record<string, unknown>;
    }, values);
    group[name] = value;
  }
  return values;
}

/** The values that are no defaults. A group of defaults is left out too. */
export function withoutDefaults(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const isGroup = (value: unknown): value is Record<string, unknown> =>
    typeof value === "object" && value !== null && !Array.isArray(value);
  const set = Object.entries(values).map(
    ([name, value]) => [name, isGroup(value) ? withoutDefaults(value) : value] as const,
  );
  return Object.fromEntries(
    set.filter(([, value]) => value !== null && !(isGroup(value) && Object.keys(value).length === 0)),
  );
}
