/** The exports of event types in the eyes of the tools that read them. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { openapiWriter } from "../../src/webhooks/event-types/export/openapi";
import { typescriptWriter } from "../../src/webhooks/event-types/export/typescript";
import { Meter } from "../../src/webhooks/work/meter";
import { declaredType } from "../support/event-types";

const folder = mkdtempSync(join(tmpdir(), "postern-types-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const integer = { type: "integer" };
/** Each schema, a value that fits it and one that does not; as TypeScript. */
const CASES: [schema: unknown, right: string, wrong: string | null][] = [
  [true, "1", null],
  [{}, "{ a: [1] }", null],
  [{ type: "string", pattern: "a" }, '"a"', "1"],
  [{ type: ["integer", "null"] }, "null", '"a"'],
  [{ const: { a: [1, null] } }, "{ a: [1, null] }", "{ a: [2, null] }"],
  [{ enum: ["a", 1, true] }, "true", '"b"'],
  [{ type: "array", items: integer }, "[1]", '["a"]'],
  [{ prefixItems: [integer, { type: "string" }], items: false }, '[1, "a"]', "[1, 2]"],
  [{ prefixItems: [integer], items: { type: "string" } }, '[1, "a", "b"]', "[1, 2]"],
  [{ type: "object", required: ["a"], properties: { a: integer, "b-c": integer } }, '{ a: 1, "b-c": 2 }', "{}"],
  [{ type: "object", properties: { a: integer }, additionalProperties: false }, "{}", '{ b: "x" }'],
  [{ type: "object", properties: { a: integer }, additionalProperties: true }, '{ b: "x" }', '{ a: "x" }'],
  [{ type: "object", additionalProperties: integer }, "{ a: 1 }", '{ a: "x" }'],
  [{ type: "object", additionalProperties: false }, "{}", "{ a: 1 }"],
  [{ required: ["a"] }, "{ a: 1 }", "{}"],
  [{ anyOf: [integer, { type: "string" }] }, '"a"', "true"],
  [{ oneOf: [{ properties: { a: integer } }, { type: "string" }] }, "{ a: 1 }", "{ a: true }"],
  [{ allOf: [{ required: ["a"], properties: { a: integer } }, { required: ["b"] }] }, "{ a: 1, b: 2 }", "{ a: 1 }"],
  [{ $defs: { n: integer }, items: { $ref: "#/$defs/n" } }, "[1]", '["a"]'],
  [{ type: "object", properties: { child: { $ref: "#" }, n: integer } }, "{ child: { n: 1 } }", '{ child: { n: "" } }'],
  [
    { $defs: { "1 a/b*": { type: "array", items: { $ref: "#/$defs/1%20a~1b*" } } }, $ref: "#/$defs/1%20a~1b*" },
    "[[]]",
    "[1]",
  ],
];

test("the TypeScript of schemas takes what fits them and refuses the rest, in strict mode", () => {
  const writer = typescriptWriter(new Meter());
  const entries = CASES.map(([schema], at) => writer.entry(declaredType(`case.${at}`, schema)));
  const hostile = declaredType("hostile", { description: "*/ } export const x = 1; /*", type: "string" });
  writeFileSync(join(folder, "types.ts"), [writer.head, ...entries, writer.entry(hostile), writer.tail()].join(""));
  const lines = CASES.flatMap(([, right, wrong], at) => [
    `export const right${at}: PosternEvents["case.${at}"] = ${right};`,
    ...(wrong === null
      ? []
      : ["// @ts-expect-error", `export const wrong${at}: PosternEvents["case.${at}"] = ${wrong};`]),
  ]);
  writeFileSync(join(folder, "use.ts"), ['import type { PosternEvents } from "./types";', ...lines].join("\n"));
  const options = "--noEmit --strict --exactOptionalPropertyTypes --target es2022 --module esnext";
  const bundler = ["--moduleResolution", "bundler", "--types", "", "use.ts"];
  const { status, stdout } = spawnSync("tsc", [...options.split(" "), ...bundler], { cwd: folder, encoding: "utf8" });
  expect([stdout, status]).toEqual(["", 0]);
});

test("many large types come in parts of one interface", () => {
  const writer = typescriptWriter(new Meter());
  const $defs = Object.fromEntries(Array.from({ length: 900 }, (_, at) => [`d${at}`, { const: "x".repeat(20) }]));
  const allOf = Object.keys($defs).map((name) => ({ $ref: `#/$defs/${name}` }));
  const entries = ["a", "b", "c", "d"].map((name) => writer.entry(declaredType(name, { $defs, allOf })));
  const text = [writer.head, ...entries, writer.tail()].join("");
  expect(text.split("export interface PosternEvents {").length).toBeGreaterThan(2);
  writeFileSync(join(folder, "large.ts"), text);
  const options = ["--noEmit", "--strict", "--types", "", "large.ts"];
  expect(spawnSync("tsc", options, { cwd: folder, encoding: "utf8" }).stdout).toBe("");
});

test("the OpenAPI document is valid, and its references lead to schemas", () => {
  const writer = openapiWriter(new Meter());
  // The linter takes no booleans for schemas, which OpenAPI 3.1 does.
  const schemas = CASES.map(([schema]) => schema).filter((schema) => schema !== true);
  const entries = schemas.map((schema, at) => writer.entry(declaredType(`case/${at}`, schema)));
  const file = join(folder, "openapi.json");
  writeFileSync(file, [writer.head, entries.join(writer.between), writer.tail()].join(""));
  // It holds names in `$defs` for those of components.
  const skipped = ["--skip-rule", "spec-components-invalid-map-name"];
  const lint = ["lint", "--extends", "spec", ...skipped, "--format", "json", file];
  const { stdout } = spawnSync("redocly", lint, {
    encoding: "utf8",
    env: { ...process.env, REDOCLY_TELEMETRY: "off" },
  });
  expect((JSON.parse(stdout) as { problems: object[] }).problems).toEqual([]);
});
