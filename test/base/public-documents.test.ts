/** Documents that say the same to everybody are read by pages of every origin, without credentials. */
import { createExecutionContext } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { expect, test } from "vitest";
import worker from "../../src";

const ORIGIN = "https://somewhere.example";

async function ask(path: string, init: { method?: string; headers?: Record<string, string> } = {}) {
  const { headers, status } = await exports.default.fetch(
    new Request(`http://postern.test${path}`, { ...init, headers: { origin: ORIGIN, ...init.headers } }),
  );
  return { headers, status, of: (name: string) => headers.get(`access-control-${name}`) };
}

test.each([
  "/.well-known/jwks.json",
  "/.well-known/openid-configuration",
  "/.well-known/oauth-authorization-server",
  "/.well-known/revoked",
  "/.well-known/webhook-keys/0190a0a0-1b2c-7d3e-8f40-5a6b7c8d9e0f",
  "/.well-known/connections/0190a0a0-1b2c-7d3e-8f40-5a6b7c8d9e0f/jwks.json",
  "/saml/0190a0a0-1b2c-7d3e-8f40-5a6b7c8d9e0f/metadata",
  "/api/v1/openapi.json",
  "/catalog/nobody/openapi.json",
])("%s", async (path) => {
  const answer = await ask(path);
  expect([answer.of("allow-origin"), answer.of("allow-credentials")]).toEqual(["*", null]);
  expect(answer.of("expose-headers")).toMatch(/\bETag\b/);
  const preflight = await ask(path, {
    method: "OPTIONS",
    headers: { "access-control-request-method": "GET", "access-control-request-headers": "if-none-match" },
  });
  expect([preflight.status, preflight.of("allow-origin")]).toEqual([204, "*"]);
  expect(preflight.of("allow-headers")).toMatch(/\bIf-None-Match\b/i);
});

test("nothing else is open to an origin that is not listed", async () => {
  for (const path of ["/api/v1/auth/me", "/api/v1/webhooks", "/health", "/catalog/nobody", "/metrics"]) {
    expect((await ask(path)).of("allow-origin")).toBeNull();
  }
});

test("a program, which sends no origin, is told that the answer depends on it, and nothing else", async () => {
  const { headers } = await exports.default.fetch(new Request("http://postern.test/api/v1/webhooks"));
  const ofPages = [...headers.keys()].filter((name) => name.startsWith("access-control-"));
  expect([headers.get("vary"), ofPages]).toEqual(["Origin", []]);
});

test("a listed origin may name the tenant, the trace and the version that it has", async () => {
  const CORS_ORIGINS = "https://app.example";
  const request = new Request<unknown, IncomingRequestCfProperties>("http://postern.test/api/v1/events", {
    method: "OPTIONS",
    headers: { origin: CORS_ORIGINS, "access-control-request-method": "POST", "cf-connecting-ip": "203.0.113.7" },
  });
  const { headers } = await worker.fetch(request, { ...env, CORS_ORIGINS } as Env, createExecutionContext());
  const allowed = headers.get("access-control-allow-headers")?.toLowerCase().split(/,\s*/) ?? [];
  expect(allowed).toEqual(
    expect.arrayContaining(["postern-tenant", "idempotency-key", "if-none-match", "traceparent", "authorization"]),
  );
});
