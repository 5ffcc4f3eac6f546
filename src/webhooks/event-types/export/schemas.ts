/** The request of an export of event types. */
import * as z from "zod";

export const typesExport = z.object({
  format: z
    .enum(["json", "openapi", "asyncapi", "typescript"])
    .default("json")
    .meta({
      description:
        "`json`: as `GET /event-types/:name` has them. `openapi`: the webhooks of an OpenAPI document. `asyncapi`: " +
        "channels of an AsyncAPI document. `typescript`: an interface with the payload of each type.",
      examples: ["openapi"],
    }),
});

export type TypesFormat = z.output<typeof typesExport>["format"];
