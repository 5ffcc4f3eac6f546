/** A schema of a document with the other schemas in it that it refers to, so that it stands by itself. */
import { invalidField } from "../../../base/errors";
import { PRICES } from "../../work/meter";
import { isObject } from "../json-schema/canonical";
import { memberOf, nameOfPart, partsOf, pointerPart } from "../pointer";
import { type Conversion, converted } from "./conversion";
import { partsInDraft2020 } from "./drafts";

/** Where a schema is. */
export interface SchemaPlace {
  /** The names that lead to it in the document, as an export writes them. Empty: nothing leads to it. */
  root: readonly string[];
  path: string;
}

/**
 * Returns the schema; what it refers to elsewhere in the document becomes its `$defs`. Throws VALIDATION_FAILED and
 * OutOfSteps.
 */
export function wholeSchema(
  document: unknown,
  place: SchemaPlace,
  schema: unknown,
  conversion: Omit<Conversion, "reference">,
): unknown {
  if (schema === undefined) return undefined;
  const shared = new Shared(document, place, schema, conversion);
  const root = converted(schema, shared.conversion);
  const $defs = shared.definitions();
  if (!isObject(root) || Object.keys($defs).length === 0) return root;
  return { ...root, $defs: { ...(isObject(root["$defs"]) ? root["$defs"] : {}), ...$defs } };
}

/** Another schema in the document. */
interface Target {
  value: unknown;
  /** As it is written. */
  reference: string;
}

class Shared {
  readonly conversion: Conversion;
  /** By the names in `$defs`. */
  readonly #targets = new Map<string, Target>();
  /** The names in `$defs`, by what leads to them in the document. */
  readonly #names = new Map<string, string>();
  readonly #taken: Set<string>;

  constructor(
    readonly document: unknown,
    readonly place: SchemaPlace,
    schema: unknown,
    conversion: Omit<Conversion, "reference">,
  ) {
    this.conversion = { ...conversion, reference: (reference) => this.#reference(reference) };
    const own = ["$defs", "definitions"].flatMap((keyword) => {
      const definitions = memberOf(schema, keyword);
      return isObject(definitions) ? Object.keys(definitions) : [];
    });
    this.#taken = new Set(own);
  }

  /** The schemas by their names in `$defs`, with those to which they refer themselves. */
  definitions(): Record<string, unknown> {
    const $defs: Record<string, unknown> = {};
    // Goes on with what is added meanwhile.
    for (const [name, { value, reference }] of this.#targets) {
      if (value === undefined) throw invalidField(this.place.path, `${reference} does not exist`);
      $defs[name] = converted(value, this.conversion, { in: { in: null, key: "$defs" }, key: name });
    }
    return $defs;
  }

  #reference(reference: unknown): string {
    const { meter } = this.conversion;
    meter.pay(PRICES.value + String(reference).length * PRICES.character);
    const parts = partsOf(reference);
    if (!parts) throw invalidField(this.place.path, "A $ref must lead to a place in the document");
    const names = parts.map(nameOfPart);
    const { root } = this.place;
    if (root.length > 0 && root.every((part, at) => names[at] === part)) {
      return ["#", ...partsInDraft2020(parts.slice(root.length))].join("/");
    }
    // What a shared schema has inside is reached through it, so that it is there once.
    const length = names[0] === "components" && names[1] === "schemas" ? 3 : parts.length;
    const name = this.#nameOf(parts.slice(0, length), names.slice(0, length));
    return ["#", "$defs", pointerPart(name), ...partsInDraft2020(parts.slice(length))].join("/");
  }

  #nameOf(parts: readonly string[], names: readonly string[]): string {
    const reference = `#/${parts.join("/")}`;
    const key = JSON.stringify(names);
    const before = this.#names.get(key);
    if (before !== undefined) return before;
    const name = this.#freeName(names.at(-1) ?? "");
    const found = names.reduce<unknown>(memberOf, this.document);
    // In AsyncAPI, a shared schema can say its format beside itself.
    const isWrapped = memberOf(found, "schemaFormat") !== undefined;
    this.#targets.set(name, { value: isWrapped ? memberOf(found, "schema") : found, reference });
    this.#names.set(key, name);
    return name;
  }

  #freeName(wanted: string): string {
    let name = wanted;
    for (let count = 2; this.#taken.has(name); count += 1) {
      this.conversion.meter.pay(PRICES.keptItem);
      name = `${wanted}${count}`;
    }
    this.#taken.add(name);
    return name;
  }
}
