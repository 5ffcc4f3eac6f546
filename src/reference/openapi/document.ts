/** The OpenAPI document, read off the router: a route is in it because it is mounted and described. */
import type { Hono } from "hono";
import { createDocument, type ZodOpenApiPathsObject } from "zod-openapi";
import type { AppEnv } from "../../http/env";
import { docsOf } from "../../http/route-docs";
import type { Rule, RuleName } from "../../ratelimit/rules";
import { failure } from "../../wire/schemas";
import { DELIVERY } from "./delivery";
import { HEADERS } from "./headers";
import { type DocumentedRoute, operationIdOf, operationOf } from "./operation";
import { overview } from "./overview";

const VERSION = "1.0.0";

/** In the order of reading; an operation has the tag of the longest prefix of its path. */
const TAGS = [
  ["/api/v1/auth", "Authentication", "Accounts, sessions and passwords."],
  ["/api/v1/auth/2fa", "Two-factor authentication", "Enrolment, codes and recovery codes."],
  ["/api/v1/api-keys", "API keys", "Credentials for machines, for webhooks and events only."],
  ["/api/v1/members", "Members", "The people of a tenant and their roles."],
  ["/api/v1/invitations", "Invitations", "Asking people into a tenant."],
  ["/api/v1/webhooks", "Webhooks", "Subscriptions, their logs, retries and tests."],
  ["/api/v1/events", "Events", "Publishing."],
  ["/api/v1/stats", "Statistics", "Counts and latency of the whole tenant."],
  ["webhooks", "Deliveries", "What subscribers get."],
  ["/", "Service", "Health, keys and this document."],
] as const;

const SECURITY_SCHEMES = {
  accessToken: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description: "The `accessToken` of register, login or refresh.",
  },
  apiKey: { type: "http", scheme: "bearer", bearerFormat: "ak_...", description: "An API key with the scope." },
  apiKeyHeader: { type: "apiKey", in: "header", name: "X-API-Key", description: "The same, in a header of its own." },
} as const;

/** The document of what `app` serves under the limits of `rules`. */
export function openApiDocument(app: Hono<AppEnv>, rules: Record<RuleName, Rule>): ReturnType<typeof createDocument> {
  const routes = describedRoutes(app);
  const paths: ZodOpenApiPathsObject = {};
  for (const route of routes) {
    const operation = { ...operationOf(route, routes, rules), tags: [tagOf(route.path)] };
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation };
  }
  return createDocument(
    {
      openapi: "3.1.0",
      info: {
        title: "Postern",
        version: VERSION,
        summary: "Sign-in and webhooks for many tenants.",
        description: overview(routes, rules),
        license: { name: "MIT", identifier: "MIT" },
      },
      servers: [{ url: "/", description: "This service." }],
      tags: TAGS.map(([, name, description]) => ({ name, description })),
      paths,
      webhooks: DELIVERY,
      components: { schemas: { Error: failure }, headers: HEADERS, securitySchemes: SECURITY_SCHEMES },
    },
    // A format says it all; the pattern beside it would be a page long.
    { override: ({ jsonSchema }) => void (DROPPED_PATTERNS.has(jsonSchema.format ?? "") && delete jsonSchema.pattern) },
  );
}

const DROPPED_PATTERNS = new Set(["date-time", "uuid"]);

/** Every mounted route that says its operation id. */
export function describedRoutes(app: Hono<AppEnv>): DocumentedRoute[] {
  const seen = new Map<string, DocumentedRoute>();
  for (const { method, path } of app.routes) {
    if (method === "ALL") continue;
    const route = { method, path: path.replaceAll(/:(\w+)/g, "{$1}"), docs: routeDocs(app, method, path) };
    if (operationIdOf(route)) seen.set(`${method} ${path}`, route);
  }
  return [...seen.values()];
}

/** What a request meets up to the route's handler, as the router itself would run it. */
function routeDocs(app: Hono<AppEnv>, method: string, path: string) {
  const [matched] = app.router.match(method, path);
  const last = matched.findLastIndex(([[, route]]) => route.method === method && route.path === path);
  return matched.slice(0, last).flatMap(([[handler]]) => docsOf(handler) ?? []);
}

const byPrefixLength = TAGS.toSorted(([a], [b]) => b.length - a.length);
const tagOf = (path: string) => byPrefixLength.find(([prefix]) => path.startsWith(prefix))?.[1] ?? "";
