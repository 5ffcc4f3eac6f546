/** What a delivery option is. Everything else about it, from its schemas to its row in the docs, derives from this. */
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
  kind: "choice" | "number" | "text" | "json" | "hidden";
  placeholder?: string;
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
export const numberField = (input: Omit<Input, "kind" | "choices">): OptionField => ({
  inputs: [{ kind: "number", ...input }],
  errorInput: input.name,
  show: (value) => ({ [input.name]: String(value ?? "") }),
  read: ({ [input.name]: text }) => {
    if (text === undefined) return undefined;
    return text.trim() === "" ? null : Number(text);
  },
});
