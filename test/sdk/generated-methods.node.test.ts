/** The methods of postern/client are made from the OpenAPI document; `npm run check` compares the file with it. */
import { expect, test } from "vitest";
import { clientMethods, clientRequests } from "../../.scripts/client/methods.ts";
import type { Noun } from "../../.scripts/client/noun.ts";
import { NOUNS } from "../../.scripts/client/nouns.ts";
import type { Operation, Parameter, Schema } from "../../.scripts/client/openapi.ts";
import { nameOf } from "../../.scripts/client/operations.ts";
import { documentOf, operation } from "../support/openapi.ts";

const SOURCE = { $ref: "#/components/schemas/Source" };
const schemas: Record<string, Schema> = {
  SourceInput: {
    type: "object",
    required: ["name"],
    properties: { name: { type: "string" }, note: { type: "string" } },
  },
  SourceSecretInput: { type: "object", required: ["secret"], properties: { secret: { type: "string" } } },
  Source: { type: "object", properties: {} },
  SourceNote: { type: "object", properties: { note: { type: "string" } } },
};

const json = (schema: Schema) => ({ content: { "application/json": { schema } } });
const answers = (properties: Record<string, Schema>, required: string[] = []) => ({
  200: json({ type: "object", properties, required }),
});
const body = (id: string) => json({ $ref: `#/components/schemas/${id}` });

/** What the operation of a source becomes: its line in the interface, and its line in the code. */
function methodOf(method: string, path: string, fields: Partial<Operation>): string[] {
  const made = operation("makeSource", { responses: answers({ data: SOURCE }), ...fields });
  const document = documentOf({ [`/api/v1/sources${path}`]: { [method]: made } }, schemas);
  const [signature = ""] = clientMethods(document, { makeSource: [] }).match(/(?<=^ {2})make\(.*/m) ?? [];
  const [code = ""] = clientRequests(document).match(/(?<=^ {2})make: .*/m) ?? [];
  return [signature, code];
}

test("a request with a body answers with its data", () => {
  expect(methodOf("post", "", { requestBody: body("SourceInput") })).toEqual([
    "make(body: SourceInput, options?: CallOptions): Promise<Source>;",
    'make: (body, options) => call.data("POST /sources", { ...options, body }),',
  ]);
});

test("a body of which nothing is required may be left out, but not that of a change", () => {
  const optional = methodOf("post", "/{id}", { requestBody: body("SourceNote") });
  expect(optional[0]).toBe("make(id: string, body?: SourceNote, options?: CallOptions): Promise<Source>;");
  expect(optional[1]).toContain("make: (id, body = {}, options) =>");
  const change = methodOf("patch", "/{id}", { requestBody: body("SourceNote") });
  expect(change[0]).toBe("make(id: string, body: SourceNote, options?: CallOptions): Promise<Source>;");
});

test("parameters of the path, and the fields of a small body, are arguments", () => {
  const [signature, code] = methodOf("post", "/{id}/secrets", { requestBody: body("SourceSecretInput") });
  expect(signature).toBe("make(id: string, secret: string, options?: CallOptions): Promise<Source>;");
  expect(code).toContain("make: (id, secret, options) => call.data(`POST /sources/${" + "segment(id)}/secrets`, ");
  expect(code).toContain("{ ...options, body: { secret } }");
});

test("the answer decides what a method returns: a sentence, a list, a list in pages, or all of it", () => {
  const list = { type: "array", items: SOURCE };
  const returned = (responses: Operation["responses"], method = "get") => methodOf(method, "", { responses })[0];
  expect(returned(answers({ message: { type: "string" } }))).toMatch(/: Promise<string>;$/);
  expect(returned(answers({ data: list }))).toMatch(/: Listed<Source>;$/);
  expect(returned(answers({ data: list }), "post")).toMatch(/: Promise<\(Source\)\[\]>;$/);
  expect(returned(answers({ data: list, nextCursor: {} }, ["data", "nextCursor"]))).toMatch(/: Paged<Source>;$/);
  expect(returned({ 200: json({ $ref: "#/components/schemas/Source" }) })).toMatch(/: Promise<Source>;$/);
  expect(returned({ 200: { content: { "text/plain": { schema: {} } } } })).toMatch(/: Promise<string>;$/);
});

test("a request without a credential sends none", () => {
  expect(methodOf("post", "", { security: [] })[1]).toContain('{ ...options, as: "nobody" }');
});

test("the docstring is the summary, the description and what the operation throws, with the permission", () => {
  const made = operation("makeSource", {
    responses: answers({ data: SOURCE }),
    description: "It is made.\n\nPermission: `source.manage`.\n\nLimit: 10 requests.",
    "x-permission": "source.manage",
  });
  const document = documentOf({ "/api/v1/sources/{id}": { post: made } }, schemas);
  const errors = { makeSource: ["NOT_FOUND", "UNAUTHENTICATED", "FORBIDDEN", "VALIDATION_FAILED"] };
  expect(clientMethods(document, errors)).toContain(
    "  /**\n   * Does something.\n   *\n   * It is made.\n   *\n" +
      "   * Throws FORBIDDEN without `source.manage`, NOT_FOUND.\n   */\n  make(",
  );
});

test("what cannot be generated is refused with the place to say it", () => {
  const limit: Parameter = { in: "query", name: "limit", schema: { type: "integer" } };
  expect(() => methodOf("get", "", { parameters: [limit] })).toThrow("makeSource: name the type of its query string");
  const two = { 200: json(SOURCE), 202: json({ type: "object" }) };
  expect(() => methodOf("post", "", { responses: two })).toThrow("makeSource: write its method by hand");
  const stray = documentOf({ "/api/v1/strays": { get: operation("listStrays") } }, schemas);
  expect(() => clientMethods(stray, {})).toThrow("/api/v1/strays belongs to no noun");
});

test.each([
  ["createSource", "sources", "create"],
  ["addSourceSecret", "sources", "addSecret"],
  ["listSourceErrors", "sources", "errors"],
  ["listSources", "sources", "list"],
  ["listIdentities", "identities", "list"],
  ["operatorGetTenant", "operator", "tenant"],
  ["updateMembership", "members", "setAlerts"],
])("%s is %s.%s", (operationId, file, method) => {
  expect(nameOf(operationId, NOUNS[file] as Noun)).toBe(method);
});
