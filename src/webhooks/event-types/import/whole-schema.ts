/** A schema of an OpenAPI document with the shared schemas that it refers to, so that it stands by itself. */
import { invalidField } from "../../../base/errors";
import { type Meter, PRICES } from "../../work/meter";
import { isObject } from "../json-schema/canonical";
import { mapSchema } from "../json-schema/map";
import { memberOf, nameOfPart, partsOf, pointerPart } from "../pointer";

/** Keywords of OpenAPI that say nothing about which values are valid. */
const ANNOTATIONS = ["discriminator", "xml", "externalDocs", "example"];
/** Formats of OpenAPI that JSON Schema does not have. */
const FORMATS = ["int32", "int64", "float", "double", "password"];

/**
 * Returns the schema of a webhook; what it shares with others becomes its `$defs`. Throws VALIDATION_FAILED and
 * OutOfSteps.
 */
export function wholeSchema(document: unknown, webhook: string, schema: unknown, path: string, meter: Meter): unknown {
  if (schema === undefined) return undefined;
  const shared = new Shared(document, webhook, schema, path, meter);
  const root = mapSchema(schema, shared.rewrite, meter);
  const $defs = shared.definitions();
  if (!isObject(root) || Object.keys($defs).length === 0) return root;
  return { ...root, $defs: { ...(isObject(root["$defs"]) ? root["$defs"] : {}), ...$defs } };
}

class Shared {
  /** The names in `$defs`, by those in the document. */
  readonly #names = new Map<string, string>();
  readonly #taken: Set<string>;
  /** What leads to the schema itself, as an export writes it. */
  readonly #root: string[];

  constructor(
    readonly document: unknown,
    webhook: string,
    schema: unknown,
    readonly path: string,
    readonly meter: Meter,
  ) {
    this.#taken = new Set(Object.keys((memberOf(schema, "$defs") as object | undefined) ?? {}));
    this.#root = ["webhooks", webhook, "post", "requestBody", "content", "application/json", "schema"];
  }

  rewrite = (keyword: string, value: unknown): unknown => {
    if (ANNOTATIONS.includes(keyword)) return undefined;
    if (keyword === "format" && FORMATS.includes(String(value))) return undefined;
    return keyword === "$ref" ? this.#reference(value) : value;
  };

  /** The shared schemas by their names in `$defs`, with those to which they refer themselves. */
  definitions(): Record<string, unknown> {
    const $defs: Record<string, unknown> = {};
    // Goes on with what is added meanwhile.
    for (const [name, renamed] of this.#names) {
      const schema = memberOf(memberOf(memberOf(this.document, "components"), "schemas"), name);
      if (schema === undefined) throw invalidField(this.path, `#/components/schemas/${name} does not exist`);
      $defs[renamed] = mapSchema(schema, this.rewrite, this.meter);
    }
    return $defs;
  }

  #reference(reference: unknown): string {
    this.meter.pay(PRICES.value + String(reference).length * PRICES.character);
    const parts = partsOf(reference);
    const names = parts?.map(nameOfPart) ?? [];
    if (parts && this.#root.every((part, place) => names[place] === part)) {
      return ["#", ...parts.slice(this.#root.length)].join("/");
    }
    const [group, kind, name] = names;
    if (!parts || group !== "components" || kind !== "schemas" || name === undefined) {
      throw invalidField(this.path, "A $ref must lead to #/components/schemas");
    }
    return ["#", "$defs", pointerPart(this.#renamed(name)), ...parts.slice(3)].join("/");
  }

  #renamed(name: string): string {
    const before = this.#names.get(name);
    if (before !== undefined) return before;
    let renamed = name;
    for (let count = 2; this.#taken.has(renamed); count += 1) {
      this.meter.pay(PRICES.keptItem);
      renamed = `${name}${count}`;
    }
    this.#taken.add(renamed);
    this.#names.set(name, renamed);
    return renamed;
  }
}
