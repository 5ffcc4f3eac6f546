/**
 * The official JSON-Schema-Test-Suite of draft 2020-12: all of its required tests, and the optional ones of the formats
 * that are supported. `json-schema-suite.json` has the files of its folder `tests/draft2020-12` under their names,
 * with its licence.
 */
import { describe, expect, test } from "vitest";
import { type CompiledSchema, compileSchema, SchemaRefused } from "../../src/webhooks/event-types/json-schema/check";
import { validate } from "../../src/webhooks/event-types/json-schema/validate";

interface Group {
  description: string;
  schema: unknown;
  tests: { description: string; data: unknown; valid: boolean }[];
}

const [suite] = Object.values(
  import.meta.glob("./json-schema-suite.json", { query: "?raw", import: "default", eager: true }),
);

const FILES = Object.entries((JSON.parse(String(suite)) as { files: Record<string, Group[]> }).files);

/** How many groups have a schema that cannot be registered, by what they need. */
const OUT_OF_SCOPE = {
  // A schema stands by itself: it refers to nothing but its own parts, by their places.
  "references to other documents and to names": 64,
  // A mistyped format would not be checked, so those that are not supported are refused.
  "other formats": 9,
  // The language's own engine could be made to take long.
  "patterns of names that are no prefixes": 9,
  "own dialects": 1,
};

/** What is decided otherwise, and why. */
const DECIDED_OTHERWISE = [
  // Formats are checked: they are in a schema to be obeyed.
  /^format: .* is only an annotation by default$/,
  // Addresses that nobody can be mailed at.
  /^optional\/format\/email: .*: a quoted string with /,
  /^optional\/format\/email: .*: an IPv[46]-address-literal after the @ is valid$/,
];

/** The schema, or what it needs that is not supported. */
function compiled(schema: unknown): CompiledSchema | keyof typeof OUT_OF_SCOPE {
  try {
    return compileSchema(schema);
  } catch (error) {
    if (!(error instanceof SchemaRefused)) throw error;
    const [{ path, message } = { path: "", message: "" }] = error.details;
    if (/patternProperties\./.test(path)) return "patterns of names that are no prefixes";
    if (/(^|\.)format$/.test(path)) return "other formats";
    if (/(^|\.)\$schema$/.test(path)) return "own dialects";
    if (/\$(id|ref|dynamicRef|anchor|dynamicAnchor)$/.test(path)) return "references to other documents and to names";
    throw new Error(`refused at ${path}: ${message}`);
  }
}

describe("the official suite", () => {
  test.each(FILES)("is obeyed in %s", (file, groups) => {
    const wrong = groups.flatMap(({ description, schema, tests }) => {
      const usable = compiled(schema);
      if (typeof usable === "string") return [];
      return tests
        .filter(({ data, valid }) => (validate(usable, data, "").length === 0) !== valid)
        .map((one) => `${file}: ${description}: ${one.description}`);
    });
    expect(wrong.filter((name) => !DECIDED_OTHERWISE.some((decided) => decided.test(name)))).toEqual([]);
  });

  test("is out of scope in few groups, each for a reason", () => {
    const needs = FILES.flatMap(([, groups]) => groups.map(({ schema }) => compiled(schema)));
    const counted = Object.entries(OUT_OF_SCOPE).map(([need]) => [need, needs.filter((one) => one === need).length]);
    expect(Object.fromEntries(counted)).toEqual(OUT_OF_SCOPE);
    expect(needs.length).toBeGreaterThan(300);
  });
});
