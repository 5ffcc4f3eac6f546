/**
 * Documents in the shapes in which services publish their webhooks. No text is theirs. Each has what made its kind hard
 * to import: formats of their own, keywords of older drafts, media types with parameters, examples that do not fit.
 */
import { directory, signIns } from "./public-documents-of-people";

/** A document, the names of its types, and what is left out or not taken, as `type keyword`. */
export interface PublicDocument {
  document: object;
  types: string[];
  ignored: string[];
  failed: string[];
}

const json = (schema: unknown, more: object = {}) => ({ content: { "application/json": { schema, ...more } } });
const ok = { responses: { "200": { description: "Received." } } };
const info = { title: "Webhooks", version: "2026-01-01" };

/** Like those of a code host: URI templates, `nullable`, a form beside the JSON, a shared user in each type. */
const codeHost: PublicDocument = {
  document: {
    openapi: "3.1.0",
    info,
    paths: { "/repos/{owner}/{repo}": { get: ok } },
    webhooks: {
      "star-created": {
        post: {
          summary: "Somebody starred a repository.",
          tags: ["repos"],
          externalDocs: { url: "https://docs.example.com/webhooks#star" },
          parameters: [{ name: "X-Delivery", in: "header", schema: { type: "string" } }],
          requestBody: {
            required: true,
            content: {
              "application/x-www-form-urlencoded": { schema: { type: "object" } },
              "application/json": { schema: { $ref: "#/components/schemas/webhook-star-created" } },
            },
          },
          ...ok,
          "x-host": { githubCloudOnly: false, subcategory: "star" },
        },
      },
      "branch-renamed": {
        post: { requestBody: json({ type: "object", properties: { ref: { type: "string", pattern: "^(?!refs/)" } } }) },
      },
    },
    components: {
      schemas: {
        "webhook-star-created": {
          title: "star created event",
          type: "object",
          required: ["action", "starred_at", "sender"],
          properties: {
            action: { type: "string", enum: ["created"] },
            starred_at: { type: "string", nullable: true, format: "date-time" },
            sender: { $ref: "#/components/schemas/simple-user" },
            repository: { type: "object", properties: { size: { type: "integer", format: "int64" } } },
          },
        },
        "simple-user": {
          type: "object",
          properties: {
            id: { type: "integer", format: "int64", example: 1, maximum: "MAX_INT64" },
            gists_url: { type: "string", format: "uri-template" },
            email: { type: ["string", "null"], format: "email" },
          },
        },
      },
    },
  },
  types: ["star-created"],
  ignored: ["format", "example", "maximum", "format", "format"].map((keyword) => `star-created ${keyword}`),
  failed: ["branch-renamed"],
};

/** Like those of a payment service for cards: times as numbers, expandable objects, `nullable` beside `anyOf`. */
const cards: PublicDocument = {
  document: {
    openapi: "3.1.0",
    info,
    jsonSchemaDialect: "https://spec.openapis.org/oas/3.1/dialect/base",
    webhooks: {
      "charge.succeeded": {
        post: {
          description: "x".repeat(2001),
          summary: "A charge succeeded.",
          requestBody: {
            content: { "application/json; charset=utf-8": { schema: { $ref: "#/components/schemas/event" } } },
          },
        },
      },
    },
    components: {
      schemas: {
        event: {
          type: "object",
          "x-resourceId": "event",
          required: ["id", "created"],
          properties: {
            id: { type: "string", maxLength: 5000 },
            created: { type: "integer", format: "unix-time" },
            customer: {
              anyOf: [{ type: "string", maxLength: 5000 }, { $ref: "#/components/schemas/customer" }],
              nullable: true,
              "x-expansionResources": { oneOf: [{ $ref: "#/components/schemas/customer" }] },
            },
          },
        },
        customer: { type: "object", properties: { balance: { type: "integer", exclusiveMinimum: true, minimum: 0 } } },
      },
    },
  },
  types: ["charge.succeeded"],
  ignored: ["charge.succeeded description", "charge.succeeded format"],
  failed: [],
};

/** Like those of a payment service for shops: shared examples, some of which are older than the schema. */
const payments: PublicDocument = {
  document: {
    openapi: "3.1.0",
    info,
    "x-groups": ["Payments"],
    webhooks: {
      AUTHORISATION: {
        post: {
          tags: ["A heading that is longer than the sixty-four characters that one can have here"],
          "x-sortIndex": 0,
          requestBody: json(
            { $ref: "#/components/schemas/Notification" },
            {
              examples: {
                good: { $ref: "#/components/examples/good" },
                old: { $ref: "#/components/examples/old" },
                gone: { $ref: "#/components/examples/gone" },
                elsewhere: { externalValue: "https://docs.example.com/example.json" },
              },
            },
          ),
        },
      },
    },
    components: {
      schemas: {
        Notification: {
          type: "object",
          required: ["live", "amount"],
          properties: {
            live: { type: "string", enum: ["true", "false"], "x-enum": [{ value: "true", description: "Live." }] },
            amount: { type: "object", properties: { value: { format: "int64", type: "integer" } } },
          },
          discriminator: { propertyName: "eventCode" },
        },
      },
      examples: {
        good: { summary: "A payment", value: { live: "false", amount: { value: 1000 } } },
        old: { summary: "As it was", value: { live: false } },
      },
    },
  },
  types: ["AUTHORISATION"],
  ignored: ["group", "discriminator", "format", "examples", "examples", "examples"].map((k) => `AUTHORISATION ${k}`),
  failed: [],
};

/** Like those of a shop: any media type, a webhook without `post`, and a body that is no JSON. */
const shop: PublicDocument = {
  document: {
    openapi: "3.1.1",
    info,
    webhooks: {
      "orders/create": {
        post: {
          requestBody: {
            content: {
              "*/*": { schema: { type: "object", properties: { note: { type: "string", nullable: true } } } },
            },
          },
        },
      },
      "orders/export": { post: { requestBody: { content: { "text/csv": { schema: { type: "string" } } } } } },
      "orders/legacy": { put: {} },
      "orders/read": { get: {} },
      "Order deleted": { post: {} },
      "Order\tdeleted": { post: {} },
    },
  },
  types: ["orders/create", "orders/export", "orders/legacy", "Order_deleted"],
  ignored: ["orders/export content", "Order_deleted name"],
  failed: ["orders/read", "Order\tdeleted"],
};

/** Like those of a webhook service: each schema is a document of draft-07 of its own. */
const drafts: PublicDocument = {
  document: {
    openapi: "3.1.0",
    info,
    webhooks: {
      "user.created": {
        post: {
          requestBody: {
            content: {
              "application/*+json": {
                schema: {
                  $schema: "http://json-schema.org/draft-07/schema#",
                  $id: "https://schemas.example.com/user.json",
                  type: "object",
                  properties: {
                    user: { $ref: "#/components/schemas/user", minProperties: 99 },
                    tags: { type: "array", items: [{ type: "string" }], additionalItems: false },
                  },
                  dependencies: { tags: ["user"], user: { required: ["tags"] } },
                },
              },
            },
          },
        },
      },
    },
    components: {
      schemas: {
        user: {
          type: "object",
          properties: { home: { $ref: "#/components/schemas/user/definitions/address" } },
          definitions: { address: { type: "object", required: ["city"] } },
        },
      },
    },
  },
  types: ["user.created"],
  ignored: ["user.created $id", "user.created minProperties"],
  failed: [],
};

const received = (schema: object) => ({ "{$request.body#/url}": { post: { requestBody: json(schema), ...ok } } });

/** Like those of a service of calls and messages: version 3.0 without webhooks, whose operations have callbacks. */
const telephony: PublicDocument = {
  document: {
    openapi: "3.0.0",
    info,
    paths: {
      "/messages": {
        summary: "Messages",
        post: {
          ...ok,
          callbacks: {
            messageStatus: received({ type: "object", properties: { state: { type: "string", nullable: true } } }),
            inbound: { $ref: "#/components/callbacks/inbound" },
          },
        },
      },
      "/calls": { parameters: [], post: { ...ok, callbacks: { inbound: { $ref: "#/components/callbacks/inbound" } } } },
    },
    components: { callbacks: { inbound: received({ type: "object", required: ["from"] }) } },
  },
  types: ["inbound", "messageStatus"],
  ignored: [],
  failed: [],
};

export const PUBLIC_DOCUMENTS = { codeHost, cards, payments, shop, drafts, directory, signIns, telephony };

/** The document as it is sent: with a number that JavaScript could not write. */
export const textOf = ({ document }: PublicDocument): string =>
  JSON.stringify(document).replaceAll('"MAX_INT64"', "9223372036854775807");
