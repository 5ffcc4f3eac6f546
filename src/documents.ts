/**
 * The documentation as files. This runs when the Worker is built, not in the Worker: `npm run docs` writes the files
 * into the folder that the Worker serves them from.
 */
import { app } from "./app";
import type { AssetAddress } from "./docs/markdown/catalogue";
import { pageFiles } from "./docs/markdown/files";
import type { Facts, LimitedEndpoint } from "./docs/markdown/tables";
import { describedRoutes, openApiDocument } from "./docs/openapi/document";

/** The text of each file, by its path. */
export function documents(methods: Facts["methods"], addressOf: AssetAddress): Record<string, string> {
  return {
    "openapi.json": JSON.stringify(openApiDocument(app)),
    ...pageFiles({ methods, limited: limitedEndpoints() }, addressOf),
  };
}

function limitedEndpoints(): LimitedEndpoint[] {
  return describedRoutes(app).flatMap(({ method, path, docs }) =>
    docs.flatMap(({ limit }) => (limit ? [{ endpoint: `${method} ${path.replace("/api/v1", "")}`, ...limit }] : [])),
  );
}
