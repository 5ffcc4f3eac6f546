/** A schema of an OpenAPI document with the shared schemas that it refers to, so that it stands by itself. */
import { invalidField } from "../../../base/errors";
import { PRICES } from "../../work/meter";
import { isObject } from "../json-schema/canonical";
import { memberOf, nameOfPart, partsOf, pointerPart } from "../pointer";
import { type Conversion, converted } from "./conversion";
import { partsInDraft2020 } from "./drafts";

/** Where a webhook has its schema. */
export interface SchemaPlace {
  webhook: string;
  /** The key of `content`, such as `application/json`. */
  mediaType: string;
  path: string;
}

/**
 * Returns the schema of a webhook; what it shares with others becomes its `$defs`. Throws VALIDATION_FAILED and
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

class Shared {
  readonly conversion: Conversion;
  /** The names in `$defs`, by those in the document. */
  readonly #names = new Map<string, string>();
  readonly #taken: Set<string>;
  /** What leads to the schema itself, as an export writes it. */
  readonly #root: string[];

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
    this.#root = ["webhooks", place.webhook, "post", "requestBody", "content", place.mediaType, "schema"];
  }

  /** The shared schemas by their names in `$defs`, with those to which they refer themselves. */
  definitions(): Record<string, unknown> {
    const $defs: Record<string, unknown> = {};
    // Goes on with what is added meanwhile.
    for (const [name, renamed] of this.#names) {
      const schema = memberOf(memberOf(memberOf(this.document, "components"), "schemas"), name);
      if (schema === undefined) throw invalidField(this.place.path, `#/components/schemas/${name} does not exist`);
      $defs[renamed] = converted(schema, this.conversion, { in: { in: null, key: "$defs" }, key: renamed });
    }
    return $defs;
  }

  #reference(reference: unknown): string {
    const { meter } = this.conversion;
    meter.pay(PRICES.value + String(reference).length * PRICES.character);
    const parts = partsOf(reference);
    const names = parts?.map(nameOfPart) ?? [];
    if (parts && this.#root.every((part, place) => names[place] === part)) {
      return ["#", ...partsInDraft2020(parts.slice(this.#root.length))].join("/");
    }
    const [group, kind, name] = names;
    if (!parts || group !== "components" || kind !== "schemas" || name === undefined) {
      throw invalidField(this.place.path, "A $ref must lead to #/components/schemas");
    }
    return ["#", "$defs", pointerPart(this.#renamed(name)), ...partsInDraft2020(parts.slice(3))].join("/");
  }

  #renamed(name: string): string {
    const before = this.#names.get(name);
    if (before !== undefined) return before;
    let renamed = name;
    for (let count = 2; this.#taken.has(renamed); count += 1) {
      this.conversion.meter.pay(PRICES.keptItem);
      renamed = `${name}${count}`;
    }
    this.#taken.add(renamed);
    this.#names.set(name, renamed);
    return renamed;
  }
}
