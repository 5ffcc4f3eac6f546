/** The types of postern/client are made from the OpenAPI document; `npm run check` compares the file with it. */
import { expect, test } from "vitest";
import type { Schema } from "../../.scripts/client/openapi.ts";
import { clientTypes } from "../../.scripts/client/types.ts";
import { documentOf, operation } from "../support/openapi.ts";

const typesOf = (schemas: Record<string, Schema>, sent?: string) => {
  const content = { json: { schema: { $ref: `#/components/schemas/${sent}` } } };
  const post = operation("send", sent ? { requestBody: { content } } : {});
  return clientTypes(documentOf({ "/sent": { post } }, schemas));
};

const time = { type: "string", format: "date-time" };

test("a schema becomes an interface with its descriptions, in which optional and nullable fields differ", () => {
  const types = typesOf({
    Thing: {
      type: "object",
      description: "A thing.",
      properties: { at: { anyOf: [time, { type: "null" }] }, kind: { description: "Its kind.", enum: ["a", "b"] } },
      required: ["at"],
    },
  });
  expect(types).toContain(
    "/** A thing. */\nexport interface Thing {\n  at: Timestamp | null;\n" +
      '  /** Its kind. */\n  kind?: "a" | "b" | undefined;\n}',
  );
});

test("a time that is sent is any string in ISO 8601", () => {
  const Thing = { type: "object", description: "A thing.", properties: { at: time }, required: ["at"] };
  expect(typesOf({ Thing }, "Thing")).toContain("  /** ISO 8601 with any offset. */\n  at: string;\n");
});

test("a default is in the docstring", () => {
  expect(typesOf({})).toContain("  /** By default `50`. */\n  limit?: number | undefined;\n");
});

test("a schema without a description is refused, because its type would have no docstring", () => {
  expect(() => typesOf({ Thing: { type: "string" } })).toThrow("schemas without a description: Thing");
});
