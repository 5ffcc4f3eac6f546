/**
 * Closed by default: whatever is mounted refuses a caller without credentials, but for a written list. The console's
 * pages and those of portals have their own walks, in console/pages.test.ts and console/portal.test.ts, and
 * catalogues are for everybody. What apps call, and the pages for them, answer as OAuth says; see test/oauth.
 * Directories get the errors of SCIM; see test/directory.
 */
import { describe, expect, test } from "vitest";
import { app } from "../../src/app";
import { call, signUp } from "../support/client";

const PUBLIC = new Set([
  "GET /",
  "GET /health",
  "GET /api/v1/openapi.json",
  "GET /postern.tgz",
  "GET /postern-0.1.0.tgz",
  "GET /llms.txt",
  "GET /docs",
  "GET /docs/:page",
  "GET /docs/:folder/:page",
  "GET /docs/assets/:file",
  "GET /.well-known/jwks.json",
  "GET /.well-known/openid-configuration",
  "GET /.well-known/revoked",
  "GET /.well-known/oauth-authorization-server",
  "GET /.well-known/oauth-protected-resource/api/v1",
  "GET /.well-known/webhook-keys/:id",
  "GET /.well-known/connections/:id/jwks.json",
  "GET /saml/:id/metadata",
  "GET /api/v1/in/:sourceId",
  "POST /api/v1/auth/register",
  "POST /api/v1/auth/register/passkey/options",
  "POST /api/v1/auth/register/passkey",
  "POST /api/v1/auth/login",
  "POST /api/v1/auth/code",
  "POST /api/v1/auth/code/verify",
  "POST /api/v1/auth/passkeys/login/options",
  "POST /api/v1/auth/passkeys/login",
  "POST /api/v1/auth/refresh",
  "POST /api/v1/auth/logout",
  "GET /api/v1/auth/sign-on",
  "GET /api/v1/auth/sign-on/:connection/initiate",
  "POST /api/v1/auth/sign-on/:connection/initiate",
  "GET /api/v1/auth/sign-on/:connection/callback",
  "POST /api/v1/auth/sign-on/:connection/acs",
  "GET /api/v1/auth/sign-on/:connection/finish",
  "POST /api/v1/auth/sign-on/:connection/logout",
  "POST /api/v1/auth/sign-on/discover",
  "POST /api/v1/auth/sign-on/mail",
  "GET /api/v1/auth/oauth/:provider",
  "GET /api/v1/auth/oauth/:provider/callback",
  "POST /api/v1/auth/oauth/exchange",
  "POST /api/v1/auth/verify-email",
  "POST /api/v1/auth/invitations/look-up",
  "POST /api/v1/auth/not-me",
  "POST /api/v1/auth/2fa/remove",
  "POST /api/v1/auth/forgot-password",
  "POST /api/v1/auth/reset-password",
]);

const routes = [
  ...new Set(app.routes.filter((route) => route.method !== "ALL").map((route) => `${route.method} ${route.path}`)),
];
const closed = routes.filter(
  (route) => !PUBLIC.has(route) && !/ \/(console|portal|setup|catalog|account|oauth|scim)(\/|$)/.test(route),
);
const split = (route: string) => {
  const [method = "", path = ""] = route.split(" ");
  return { method, path: `/${path.replace(/:\w+/g, "0190a0a0-0000-7000-8000-000000000000")}` };
};
const send = (route: string, headers: Record<string, string> = {}) => {
  const { method, path } = split(route);
  return call(method, path, { headers, ...(method === "GET" ? {} : { body: {} }) });
};

const PROVES_NOTHING = [
  "Bearer",
  "Bearer ",
  "Bearer x",
  "Bearer a.b.c",
  "Basic dXNlcjpwYXNz",
  "Bearer ak_0000000000000000000000000000000000000000",
  "Bearer eyJhbGciOiJub25lIn0.e30.",
];

test("there are closed routes to test", () => {
  expect(closed.length).toBeGreaterThan(5);
});

/** Below each router. */
const nowhere = [...new Set(closed.map((route) => route.replace(/^\w+ (\/api\/v1)?(\/[^/]+).*$/, "$1$2")))].flatMap(
  (path) => ["", "/none", "/none/of/these/is/one"].map((rest) => path + rest),
);

test("a path without a route answers 404 without credentials, and 405 if it has other methods", async () => {
  expect(nowhere).toContain("/api/v1/listen/none");
  for (const path of nowhere) {
    const { status } = await call("PUT", `/${path}`, { body: {} });
    expect([path, status === 404 || status === 405]).toEqual([path, true]);
    const got = await call("GET", `/${path}`);
    expect([path, got.status < 500]).toEqual([path, true]);
  }
});

describe.each(closed)("%s", (route) => {
  test("answers 401 without credentials, in the one error shape", async () => {
    const { status, body, headers } = await send(route);
    expect([status, body.code]).toEqual([401, "UNAUTHENTICATED"]);
    expect(Object.keys(body).sort()).toEqual(["code", "message", "requestId"]);
    expect(headers.get("x-request-id")).toBe(body.requestId);
  });

  test("answers 401 to each Authorization header that proves nothing", async () => {
    for (const authorization of PROVES_NOTHING) {
      const { status, body } = await send(route, { authorization });
      expect([authorization, status, body.code]).toEqual([authorization, 401, "UNAUTHENTICATED"]);
    }
  });
});

test("a signed-in caller gets past the door", async () => {
  const { token } = await signUp();
  expect((await call("GET", "/auth/me", { token })).status).toBe(200);
});
