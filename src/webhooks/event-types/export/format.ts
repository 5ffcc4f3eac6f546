/** What the formats of an export have in common: a document is written type by type, because all may be large. */
import { type Meter, PRICES } from "../../work/meter";
import type { Declared } from "../declaration";
import { mapSchema } from "../json-schema/map";

/** What an export for everybody says instead of what one for the tenant does. */
export interface ForEverybody {
  title: string;
  /** Whether it shows the types of the platform too. */
  hasPlatformTypes: boolean;
}

/** Writes a document in parts. */
export interface Writer {
  /** What comes before the first type. */
  head: string;
  /** What is between two types. */
  between: string;
  entry(declared: Declared): string;
  /** What comes after the last type. */
  tail(): string;
}

/** A schema whose references lead to `root` and what follows it, in place of the schema's own root. */
export const withRoot = (schema: unknown, root: string, meter: Meter): unknown =>
  mapSchema(
    schema,
    {
      keyword: (keyword, value) => {
        if (keyword !== "$ref") return value;
        meter.pay((root.length + String(value).length) * PRICES.copiedCharacter);
        return `${root}${String(value).slice(1)}`;
      },
    },
    meter,
  );

/** The `info` of a document, as JSON. */
export const infoOf = (forEverybody?: ForEverybody): string =>
  JSON.stringify({ title: forEverybody?.title ?? "Event types", version: "1" });
