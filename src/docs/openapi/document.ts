/** The OpenAPI document, generated from the router: it contains every route that is mounted with `describeRoute`. */
import type { Hono } from "hono";
import { createDocument, type ZodOpenApiPathsObject } from "zod-openapi";
import type { AppEnv } from "../../base/http/env";
import { docsOf } from "../../base/http/route-docs";
import { failure } from "../../base/schemas/schemas";
import { DELIVERY } from "./delivery";
import { HEADERS } from "./headers";
import { type DocumentedRoute, operationIdOf, operationOf } from "./operation";

const VERSION = "1.0.0";

/**
 * Path prefix, name and description, in display order. An operation gets the tag with the longest prefix of its path. A
 * second prefix of a tag has no description.
 */
const TAGS = [
  ["/api/v1/auth", "Authentication", "Accounts, sessions and passwords."],
  ["/api/v1/auth/2fa", "Two-factor authentication", "Enrolment, TOTP codes and recovery codes."],
  [
    "/api/v1/api-keys",
    "API keys",
    "Credentials for programs. They work for webhooks, events, the audit log and portals.",
  ],
  ["/api/v1/platform", "Platform API", "What the product itself does with its platform keys."],
  ["/api/v1/members", "Members", "The users in a tenant and their roles."],
  ["/api/v1/tenant", "Tenants", "The tenants of a person, their settings, their export and their end."],
  ["/api/v1/tenants", "Tenants", ""],
  ["/api/v1/audit", "Audit log", "Who has done what in a tenant."],
  ["/api/v1/invitations", "Invitations", "Inviting people to a tenant."],
  [
    "/api/v1/webhooks",
    "Webhooks",
    "Subscriptions (the API calls them webhooks), their delivery logs, retries and tests.",
  ],
  ["/api/v1/events", "Events", "Publishing events."],
  ["/api/v1/event-types", "Event types", "What a tenant declares about its events: schemas, examples, catalogues."],
  ["/api/v1/tenant/event-types", "Event types", ""],
  ["/api/v1/sources", "Sources", "Where the webhooks of others come in."],
  ["/api/v1/in", "Sources", ""],
  ["/api/v1/feeds", "Feeds", "Events to fetch, for programs that no request can reach."],
  ["/api/v1/listen", "Listeners", "Events on a developer's machine."],
  ["/api/v1/portal", "Portals", "Links and tokens for the customers of a tenant."],
  ["/api/v1/stats", "Statistics", "Delivery counts and latency for the whole tenant."],
  ["/api/v1/operator", "Operators", "What the operators of the service see and do."],
  ["webhooks", "Deliveries", "The requests that subscribers receive."],
  ["/", "Service", "Health, public keys and this document."],
] as const;

const SECURITY_SCHEMES = {
  accessToken: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description: "The `accessToken` of register, login or refresh.",
  },
  apiKeyBearer: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "ak_...",
    description: "An API key with the required scope.",
  },
  apiKeyHeader: { type: "apiKey", in: "header", name: "X-API-Key", description: "The same key in its own header." },
  platformKeyBearer: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "psk_...",
    description: "A platform key with the required scope. It names the tenant in which it acts in `Postern-Tenant`.",
  },
  metricsToken: { type: "http", scheme: "bearer", description: "The secret `METRICS_TOKEN` of the service." },
} as const;

/** Markdown. */
const DESCRIPTION = [
  "A successful response is `{ data }` or `{ message }`. An error is `{ code, message, requestId, details? }`: " +
    "switch on `code`. " +
    "Unknown fields in a request body are ignored.",
  "[Error codes](/docs/errors) and [rate limits](/docs/limits) have their own pages.",
].join("\n\n");

/** The document for the routes of `app`, with marks for the figures of limits. */
export function openApiDocument(app: Hono<AppEnv>): ReturnType<typeof createDocument> {
  const routes = describedRoutes(app);
  const paths: ZodOpenApiPathsObject = {};
  for (const route of routes) {
    const operation = { ...operationOf(route, routes), tags: [tagOf(route.path)] };
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation };
  }
  return createDocument(
    {
      openapi: "3.1.0",
      info: {
        title: "Postern",
        version: VERSION,
        summary: "Sign-in and webhooks for multi-tenant products.",
        description: DESCRIPTION,
        license: { name: "MIT", identifier: "MIT" },
      },
      servers: [{ url: "/", description: "This service." }],
      tags: TAGS.flatMap(([, name, description]) => (description ? [{ name, description }] : [])),
      paths,
      webhooks: DELIVERY,
      components: { schemas: { Failure: failure }, headers: HEADERS, securitySchemes: SECURITY_SCHEMES },
    },
    { override: ({ jsonSchema }) => complete(jsonSchema) },
  );
}

/** What generators of clients need: an integer without a format has 32 bits to several of them. */
function complete(schema: { type?: unknown; format?: string; pattern?: string; maximum?: number }): void {
  // The format says the same as the pattern, which is very long.
  if (DROPPED_PATTERNS.has(schema.format ?? "")) delete schema.pattern;
  if (schema.type === "integer") schema.format ??= (schema.maximum ?? Infinity) > MAX_INT32 ? "int64" : "int32";
}

const MAX_INT32 = 2 ** 31 - 1;

const DROPPED_PATTERNS = new Set(["date-time", "uuid"]);

/** Every mounted route that has a `describeRoute`. */
export function describedRoutes(app: Hono<AppEnv>): DocumentedRoute[] {
  const seen = new Map<string, DocumentedRoute>();
  for (const { method, path } of app.routes) {
    if (method === "ALL") continue;
    const route = { method, path: path.replaceAll(/:(\w+)/g, "{$1}"), docs: routeDocs(app, method, path) };
    if (operationIdOf(route)) seen.set(`${method} ${path}`, route);
  }
  return [...seen.values()];
}

/** What a route's middleware and handler document, in the order the router runs them. */
function routeDocs(app: Hono<AppEnv>, method: string, path: string) {
  const [matched] = app.router.match(method, path);
  const last = matched.findLastIndex(([[, route]]) => route.method === method && route.path === path);
  return matched.slice(0, last + 1).flatMap(([[handler]]) => {
    const docs = docsOf(handler);
    return docs ? [docs, docs.rest?.() ?? {}] : [];
  });
}

const byPrefixLength = TAGS.toSorted(([a], [b]) => b.length - a.length);
const tagOf = (path: string) => byPrefixLength.find(([prefix]) => path.startsWith(prefix))?.[1] ?? "";
