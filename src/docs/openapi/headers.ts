/** Response headers, as components and as references to them. */
import type { ZodOpenApiComponentsObject } from "zod-openapi";

const integer = { type: "integer", minimum: 0 } as const;

export const HEADERS = {
  "X-Request-Id": {
    required: true,
    description: "Identifies the request. A well-formed id that the client sends is kept.",
    schema: { type: "string" },
  },
  "Retry-After": { required: true, description: "Seconds to wait before trying again.", schema: integer },
  Location: { required: true, description: "Where the browser goes.", schema: { type: "string" } },
  Allow: { required: true, description: "The methods that the path supports.", schema: { type: "string" } },
  "RateLimit-Limit": { description: "Requests allowed in the window.", schema: integer },
  "RateLimit-Remaining": { description: "Requests left in the window.", schema: integer },
  "RateLimit-Reset": { description: "Seconds until the window has room again.", schema: integer },
} as const satisfies NonNullable<ZodOpenApiComponentsObject["headers"]>;

type HeaderName = keyof typeof HEADERS;
const refs = (...names: HeaderName[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

export const REQUEST_ID_HEADER = refs("X-Request-Id");
export const RETRY_HEADER = refs("Retry-After");
export const LOCATION_HEADER = refs("Location");
export const ALLOW_HEADER = refs("Allow");
export const LIMIT_HEADERS = refs("RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset");
