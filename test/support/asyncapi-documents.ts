/** AsyncAPI documents in the shapes in which services and generators publish them. No text is theirs. */
import type { PublicDocument } from "./public-documents";

const info = { title: "Events", version: "1.0.0" };

/** Like the best known example of version 2: parameters in channels, traits, what is sent and what is received. */
const lights: PublicDocument = {
  document: {
    asyncapi: "2.6.0",
    info,
    servers: { production: { url: "broker.example.com:{port}", protocol: "mqtt", security: [{ apiKey: [] }] } },
    defaultContentType: "application/json",
    channels: {
      "lights/1/0/event/{lightId}/measured": {
        parameters: { lightId: { $ref: "#/components/parameters/lightId" } },
        subscribe: {
          operationId: "lightMeasured",
          traits: [{ $ref: "#/components/operationTraits/kafka" }],
          message: { $ref: "#/components/messages/lightMeasured" },
        },
      },
      "lights/1/0/action/{lightId}/turn/on": {
        publish: { message: { $ref: "#/components/messages/turnOn" } },
      },
      "lights/1/0/event/faults": {
        subscribe: {
          message: {
            oneOf: [
              { $ref: "#/components/messages/lightMeasured" },
              { messageId: "lamp.broken", payload: { type: "object", properties: { at: { format: "unix" } } } },
              { name: "in binary", contentType: "application/octet-stream" },
              { name: "raw", contentType: "application/octet-stream", payload: { type: "string" } },
            ],
          },
        },
      },
    },
    components: {
      messages: {
        lightMeasured: {
          name: "lightMeasured",
          title: "Light measured",
          summary: "How much light there is.",
          tags: [{ name: "Lights" }],
          traits: [{ $ref: "#/components/messageTraits/commonHeaders" }],
          payload: { $ref: "#/components/schemas/lightMeasuredPayload" },
          examples: [
            { name: "fits", payload: { lumens: 3, sentAt: "2026-01-01T00:00:00Z" } },
            { headers: { "my-app-header": 1 } },
            { payload: { lumens: -1 } },
          ],
        },
        turnOn: { payload: { type: "object" } },
      },
      messageTraits: {
        commonHeaders: { headers: { type: "object", properties: { "my-app-header": { type: "integer" } } } },
      },
      operationTraits: { kafka: { bindings: { kafka: { clientId: "my-app" } } } },
      parameters: { lightId: { schema: { type: "string" } } },
      schemas: {
        lightMeasuredPayload: {
          type: "object",
          properties: {
            lumens: { type: "integer", minimum: 0, description: "Measured in lumens." },
            sentAt: { $ref: "#/components/schemas/sentAt", description: "Beside a reference." },
          },
        },
        sentAt: { type: "string", format: "date-time", $id: "sentAt" },
      },
    },
  },
  types: ["lightMeasured", "lamp.broken", "in_binary", "raw"],
  ignored: [
    "lightMeasured $id",
    "lightMeasured examples",
    "lightMeasured examples",
    "lamp.broken format",
    "raw contentType",
    "in_binary contentType",
    "in_binary name",
  ],
  failed: ["turnOn"],
};

/** Like those of version 3: operations apart from channels, formats beside schemas, messages in the components. */
const orders: PublicDocument = {
  document: {
    asyncapi: "3.0.0",
    info,
    defaultContentType: "application/json",
    channels: {
      orders: {
        address: "orders.{region}",
        tags: [{ name: "Orders" }],
        messages: {
          paid: { $ref: "#/components/messages/OrderPaid" },
          "order.packed": {
            payload: {
              schemaFormat: "application/vnd.apache.avro;version=1.9.0",
              schema: { type: "record", name: "Packed", fields: [] },
            },
          },
          "order.cancelled": {
            payload: {
              schemaFormat: "application/schema+json;version=draft-07",
              schema: {
                definitions: { reason: { enum: ["late", "lost"] } },
                properties: {
                  reason: { $ref: "#/channels/orders/messages/order.cancelled/payload/schema/definitions/reason" },
                  buyer: { $ref: "#/components/messages/OrderPaid/payload/properties/buyer" },
                },
                $id: "https://schemas.example.com/cancelled.json",
              },
            },
          },
          "order.split": { payload: { $ref: "https://schemas.example.com/split.json" } },
          "order.asked": { payload: { type: "object" } },
          gone: { $ref: "#/components/messages/Gone" },
        },
      },
      invoices: { messages: { paid: { $ref: "#/components/messages/OrderPaid" } } },
    },
    operations: {
      sendOrders: {
        action: "send",
        channel: { $ref: "#/channels/orders" },
        messages: ["paid", "order.packed", "order.cancelled", "order.split", "gone"].map((id) => ({
          $ref: `#/channels/orders/messages/${id}`,
        })),
      },
      sendInvoices: { action: "send", channel: { $ref: "#/channels/invoices" } },
      receiveQuestions: {
        action: "receive",
        channel: { $ref: "#/channels/orders" },
        messages: [{ $ref: "#/channels/orders/messages/order.asked" }],
        reply: { address: { location: "$message.header#/replyTo" } },
      },
    },
    components: {
      messages: {
        OrderPaid: {
          name: "order.paid",
          contentType: "application/cloudevents+json; charset=UTF-8",
          correlationId: { location: "$message.header#/correlationId" },
          payload: {
            type: "object",
            required: ["total"],
            properties: {
              total: { $ref: "#/components/schemas/Money" },
              buyer: { type: ["string", "null"], deprecated: true },
            },
            discriminator: "kind",
          },
        },
      },
      schemas: {
        Money: {
          schemaFormat: "application/schema+json;version=draft-2020-12",
          schema: { type: "object", properties: { cents: { type: "integer", format: "int64" } } },
        },
      },
    },
  },
  types: ["order.paid", "order.packed", "order.cancelled"],
  ignored: ["order.paid discriminator", "order.paid format", "order.packed schemaFormat", "order.cancelled $id"],
  failed: ["order.asked", "order.split", "gone"],
};

/** Like those that a framework generates from classes, without operations. */
const classes: PublicDocument = {
  document: {
    asyncapi: "3.0.0",
    info: { ...info, "x-generator": "framework" },
    channels: {
      "order-topic": {
        messages: {
          "com.shop.OrderPaid": { $ref: "#/components/messages/com.shop.OrderPaid" },
        },
        bindings: { kafka: { bindingVersion: "0.5.0" } },
      },
    },
    components: {
      messages: {
        "com.shop.OrderPaid": {
          headers: { $ref: "#/components/schemas/SpringDefaultHeaders" },
          name: "com.shop.OrderPaid",
          title: "OrderPaid",
          bindings: { kafka: { bindingVersion: "0.5.0" } },
          payload: {
            schemaFormat: "application/vnd.aai.asyncapi+json;version=3.0.0",
            schema: { $ref: "#/components/schemas/com.shop.OrderPaid" },
          },
        },
      },
      schemas: {
        "com.shop.OrderPaid": {
          title: "OrderPaid",
          type: "object",
          properties: { lines: { type: "array", items: { $ref: "#/components/schemas/com.shop.Line" } } },
          examples: [{ lines: [] }],
          "x-json-schema": { $schema: "https://json-schema.org/draft-04/schema#", name: "OrderPaid" },
        },
        "com.shop.Line": {
          type: "object",
          properties: { parent: { $ref: "#/components/schemas/com.shop.OrderPaid" } },
        },
        SpringDefaultHeaders: { type: "object" },
      },
    },
  },
  types: ["com.shop.OrderPaid"],
  ignored: [],
  failed: [],
};

export const ASYNCAPI_DOCUMENTS = { lights, orders, classes };
