/** The forms of event types, as texts. */

import { iso } from "../../base/time";
import type { EventType } from "../../webhooks/event-types/schemas";
import type { Form } from "../http/form";
import { parseJson } from "../http/json";

export interface TypeValues {
  name: string;
  description: string;
  group: string;
  enforce: string;
  /** JSON; empty: none. */
  schema: string;
  /** A JSON list; empty: none. */
  examples: string;
  archived: string;
  deprecated: string;
  /** Since when it is deprecated, as the API has it; empty: it is not yet. */
  since: string;
  note: string;
  replacedBy: string;
}

export const EMPTY: TypeValues = {
  name: "",
  description: "",
  group: "",
  enforce: "off",
  schema: "",
  examples: "",
  archived: "no",
  deprecated: "no",
  since: "",
  note: "",
  replacedBy: "",
};

export const readValues = (form: Form): TypeValues => form.texts(...(Object.keys(EMPTY) as (keyof TypeValues)[]));

const jsonText = (value: unknown) => (value === undefined ? "" : JSON.stringify(value, null, 2));

export const valuesOf = (type: EventType): TypeValues => ({
  name: type.name,
  description: type.description ?? "",
  group: type.group ?? "",
  enforce: type.enforce,
  schema: jsonText(type.schema),
  examples: jsonText(type.examples),
  archived: type.archived ? "yes" : "no",
  deprecated: type.deprecated ? "yes" : "no",
  since: type.deprecated?.since ?? "",
  note: type.deprecated?.note ?? "",
  replacedBy: type.deprecated?.replacedBy ?? "",
});

const given = <T>(name: string, text: string, value: (text: string) => T) =>
  text.trim() === "" ? {} : { [name]: value(text.trim()) };
const same = (text: string) => text;

/** The body for a new type. */
export const creationOf = ({ name, description, group, enforce, schema, examples }: TypeValues) => ({
  name: name.trim(),
  enforce,
  ...given("description", description, same),
  ...given("group", group, same),
  ...given("schema", schema, (text) => parseJson("schema", text)),
  ...given("examples", examples, (text) => parseJson("examples", text)),
});

/** The body for a changed type. */
export const changeOf = (values: TypeValues, nowMs: number) => ({
  enforce: values.enforce,
  archived: values.archived === "yes",
  description: values.description.trim() || null,
  group: values.group.trim() || null,
  examples: values.examples.trim() === "" ? null : parseJson("examples", values.examples),
  deprecated:
    values.deprecated !== "yes"
      ? null
      : {
          since: values.since || iso(nowMs),
          ...given("note", values.note, same),
          ...given("replacedBy", values.replacedBy, same),
        },
});

/** The body for a further version. Without examples, those that fit stay. */
export const versionOf = ({ schema, examples }: TypeValues) => ({
  schema: parseJson("schema", schema),
  ...given("examples", examples, (text) => parseJson("examples", text)),
});
