/** Each form of the console has the limit of the API route that does the same, and both count together. */
import { findTargetHandler } from "hono/utils/handler";
import { describe, expect, test } from "vitest";
import { app } from "../src/app";
import { docsOf } from "../src/http/route-docs";
import { call } from "./support/client";
import { visit } from "./support/console";

/** Every write of the console and the route of the API that does the same. */
const API_ROUTE: Record<string, string> = {
  "/sign-in": "POST /auth/login",
  "/sign-in/code": "POST /auth/login",
  "/sign-out": "POST /auth/logout",
  "/register": "POST /auth/register",
  "/verify-email": "POST /auth/verify-email",
  "/forgot-password": "POST /auth/forgot-password",
  "/reset-password": "POST /auth/reset-password",
  "/accept-invitation": "POST /invitations/accept",
  "/resend-verification": "POST /auth/resend-verification",
  "/webhooks": "POST /webhooks",
  "/webhooks/:id": "PATCH /webhooks/:id",
  "/webhooks/:id/delete": "DELETE /webhooks/:id",
  "/webhooks/:id/secret/rotate": "POST /webhooks/:id/secret/rotate",
  "/webhooks/:id/secret/previous/delete": "DELETE /webhooks/:id/secret/previous",
  "/webhooks/:id/pause": "POST /webhooks/:id/pause",
  "/webhooks/:id/resume": "POST /webhooks/:id/resume",
  "/webhooks/:id/test": "POST /webhooks/:id/test",
  "/webhooks/:id/replays": "POST /webhooks/:id/replay",
  "/webhooks/:id/replays/:replayId/stop": "DELETE /webhooks/:id/replays/:replayId",
  "/webhooks/:id/attempts/:attemptId/retry": "POST /webhooks/:id/deliveries/:deliveryId/retry",
  // The API has no route for it: it sends what is owed anyway.
  "/webhooks/:id/attempts/:attemptId/now": "POST /webhooks/:id/deliveries/:deliveryId/retry",
  "/events": "POST /events",
  "/not-me": "POST /auth/not-me",
  "/api-keys": "POST /api-keys",
  "/api-keys/:id/revoke": "DELETE /api-keys/:id",
  "/people/invitations": "POST /invitations",
  "/people/invitations/:id/revoke": "DELETE /invitations/:id",
  "/people/:userId/role": "PATCH /members/:userId",
  "/people/:userId/remove": "DELETE /members/:userId",
  "/tenants/switch": "POST /auth/switch-tenant",
  "/alerts": "PATCH /members/me",
  "/tenants/leave": "DELETE /members/me",
  "/security/sessions/:id/revoke": "DELETE /auth/sessions/:id",
  "/security/sign-out-everywhere": "POST /auth/logout-all",
  "/security/password": "POST /auth/change-password",
  "/security/two-factor": "POST /auth/2fa/enable",
  "/security/two-factor/confirm": "POST /auth/2fa/verify",
  "/security/two-factor/disable": "POST /auth/2fa/disable",
  "/security/recovery-codes": "POST /auth/2fa/recovery-codes",
  "/security/delete": "DELETE /auth/me",
  "/tenants/delete": "DELETE /tenant",
  "/tenants/export": "GET /tenant/export",
};

const limitsOf = (method: string, path: string) =>
  app.routes
    .filter((route) => route.method === method && route.path === path)
    .flatMap(({ handler }) => docsOf(findTargetHandler(handler))?.limit ?? []);
const exists = (method: string, path: string) =>
  app.routes.some((route) => route.method === method && route.path === path);

const writes = [
  ...new Set(
    app.routes
      .filter(({ method, path }) => !["ALL", "GET"].includes(method) && /^\/console(\/|$)/.test(path))
      .map(({ method, path }) => `${method} ${path.slice("/console".length)}`),
  ),
];

describe("every write of the console", () => {
  test("has a route of the API that does the same", () => {
    expect(writes.toSorted()).toEqual(
      Object.keys(API_ROUTE)
        .map((path) => `POST ${path}`)
        .toSorted(),
    );
  });

  test.each(Object.entries(API_ROUTE))("%s has the limit of %s", (form, route) => {
    const [method = "", path = ""] = route.split(" ");
    expect(exists(method, `/api/v1${path}`)).toBe(true);
    expect(limitsOf("POST", `/console${form}`)).toEqual(limitsOf(method, `/api/v1${path}`));
  });

  test("shows its limits to this test", () => {
    expect(limitsOf("POST", "/console/sign-in")).toEqual([{ rule: "login", per: "IP address" }]);
  });
});

test("the form and the API count together, and beyond the limit the form answers with a page", async () => {
  const browser = visit();
  const fields = { email: "a@example.com" };
  expect((await browser.post("/forgot-password", fields)).status).toBe(200);
  const headers = { "cf-connecting-ip": browser.address };
  expect((await call("POST", "/auth/forgot-password", { body: fields, headers })).status).toBe(200);
  const answers = await Promise.all(Array.from({ length: 10 }, () => browser.post("/forgot-password", fields)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(429)]);
  const refused = answers.find(({ status }) => status === 429);
  expect(refused?.headers.get("ratelimit-remaining")).toBe("0");
  expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(refused?.html).toMatch(/<h1>Too many requests<\/h1>.*Try again in \d+ seconds\./s);
});
