/** The OpenAPI document of the service. */
import { createTestHarness } from "wrangler";
import { newSecretKey } from "./secret-key.ts";

/** What the generator of the client's types reads of a schema: JSON Schema 2020-12, as zod writes it. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  format?: string;
  const?: unknown;
  default?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
}

interface Operation {
  parameters?: { in: string; name: string; description?: string; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
}

export interface OpenApi {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

/** Returns the document as the service serves it when it is built and started. */
export async function servedDocument(): Promise<OpenApi> {
  const vars = { SECRET_KEYS: newSecretKey() };
  const service = createTestHarness({ workers: [{ configPath: "wrangler.toml", vars }] });
  await service.listen();
  const document = await (await service.fetch("/api/v1/openapi.json")).json();
  await service.close();
  return document as OpenApi;
}
