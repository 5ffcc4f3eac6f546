import type { Client } from "postern/client";

const ORDER = { type: "object", required: ["total"], properties: { total: { type: "integer" } } };

/** Declares a type, and refuses what does not fit its schema. */
export async function declareOrders(postern: Client): Promise<void> {
  await postern.eventTypes.create({ name: "order.paid", schema: ORDER, examples: [{ total: 42 }], enforce: "reject" });
}

/** Adds a version of the schema, and returns where it can break the code of others. */
export async function extend(postern: Client, schema: object): Promise<string[]> {
  const { breaks } = await postern.eventTypes.addVersion("order.paid", { schema });
  return breaks ? [...breaks.publishers, ...breaks.subscribers] : [];
}

/** Imports the types of an OpenAPI document, and returns the names of those that are new. */
export async function importTypes(postern: Client, openapi: object): Promise<string[]> {
  return (await postern.eventTypes.import({ openapi })).created;
}
