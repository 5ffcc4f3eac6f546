/** Documents in the shapes in which services of sign-ins publish their webhooks. No text is theirs. */
import type { PublicDocument } from "./public-documents";

const json = (schema: unknown, more: object = {}) => ({ content: { "application/json": { schema, ...more } } });
const info = { title: "Webhooks", version: "2026-01-01" };

/** Like those of a directory of people: version 3.0, whose writer prints what is absent as null. */
export const directory: PublicDocument = {
  document: {
    openapi: "3.0.3",
    info,
    paths: {},
    "x-webhooks": {
      "user.lifecycle.create": {
        post: { operationId: "hook", requestBody: { $ref: "#/components/requestBodies/hook" } },
      },
    },
    components: {
      requestBodies: { hook: json({ $ref: "#/components/schemas/Hook", nullable: true, description: "Beside it." }) },
      schemas: {
        Hook: {
          type: "object",
          required: ["data", "data"],
          properties: {
            data: { type: "object", additionalProperties: { $ref: "#/components/schemas/Link" }, nullable: true },
            eventType: { type: "string", format: null, enum: ["a", null], default: null, example: null, pattern: null },
          },
          discriminator: { propertyName: "eventType", mapping: { a: "#/components/schemas/Hook" } },
        },
        Link: { type: "object", readOnly: true, minProperties: 0, xml: { name: "link" } },
      },
    },
  },
  types: ["user.lifecycle.create"],
  ignored: ["nullable", "format", "example", "pattern", "discriminator", "xml"].map(
    (keyword) => `user.lifecycle.create ${keyword}`,
  ),
  failed: [],
};

/** Like those of a service of sign-ins: CloudEvents whose `data` is one of several, told apart by their `const`. */
export const signIns: PublicDocument = {
  document: {
    openapi: "3.1.0",
    info,
    webhooks: {
      "user.created": { $ref: "#/components/pathItems/user" },
      "organization.member.added": { post: { tags: ["organization"], requestBody: json(true) } },
    },
    components: {
      pathItems: {
        user: {
          parameters: [{ name: "Authorization", in: "header" }],
          post: {
            requestBody: json({
              type: "object",
              required: ["specversion", "type", "data"],
              properties: {
                specversion: { const: "1.0" },
                type: { const: "user.created" },
                time: { type: "string", format: "date-time" },
                data: {
                  oneOf: [{ $ref: "#/components/schemas/Base" }, { $ref: "#/components/schemas/Social" }],
                  discriminator: { propertyName: "object.type" },
                },
              },
              unevaluatedProperties: true,
              "x-internal": null,
            }),
          },
        },
      },
      schemas: {
        Base: { type: "object", properties: { object: { type: "object" } } },
        Social: {
          allOf: [{ type: ["object", "null"] }, { properties: { phone: { type: "string", format: "phone" } } }],
        },
      },
    },
  },
  types: ["user.created", "organization.member.added"],
  ignored: ["user.created discriminator", "user.created format"],
  failed: [],
};
