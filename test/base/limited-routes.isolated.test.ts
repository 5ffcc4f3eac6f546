/** Which routes are limited, by what, and what counts. */
import { findTargetHandler } from "hono/utils/handler";
import { describe, expect, test, vi } from "vitest";
import { app } from "../../src/app";
import { docsOf, type RouteDocs } from "../../src/base/http/route-docs";
import { type MailRuleName, RULES, type RuleName } from "../../src/base/limits/rules";
import { rememberKnown } from "../../src/base/limits/unknown";
import { describedRoutes } from "../../src/docs/openapi/document";
import { makeKey } from "../../src/identity/api-keys/key";
import { newEmail, type Person, setRole, signUp, signUpVerified } from "../support/client";
import { callUnder, type OAuthRule, type OverriddenCall, signOnCalls } from "../support/overrides";

const LIMIT = 5;
let addresses = 0;
const newIp = () => `203.0.113.${++addresses}`;

/** Calls the Worker with some limits overridden. */
function callWith(limits: Partial<Record<RuleName, number>>, call: OverriddenCall) {
  const overrides = Object.entries(limits).map(([name, limit]) => [name, { ...RULES[name as RuleName], limit }]);
  return callUnder({ RATE_LIMITS: JSON.stringify(Object.fromEntries(overrides)) }, call);
}

const security = "/api/v1/tenant/security";
const webhook = "/api/v1/webhooks/0190a0a0-0000-7000-8000-000000000000";

/** Those of tenants without a verified owner, and of apps; see test/webhooks/publish-limits.test.ts and test/oauth. */
type TrialRule = Extract<RuleName, `unverified${string}`> | OAuthRule;

/** Requests that count towards each rule; their bodies are refused, which counts too. */
const COUNTED: Record<
  Exclude<
    RuleName,
    | ("inviteAddress" | "inbound" | "openPortal" | "openSetup")
    | `catalog${string}`
    | `unknown${"Source" | "Portal"}`
    | TrialRule
    | "rotateSecret"
    | ("operator" | "scim")
    | "refused"
    | `platform${string}`
    | MailRuleName
  >,
  (person: Person) => OverriddenCall
> = {
  register: () => ({ path: "/api/v1/auth/register", ip: newIp() }),
  login: () => ({ path: "/api/v1/auth/login", ip: newIp() }),
  refresh: () => ({ path: "/api/v1/auth/refresh", ip: newIp() }),
  verifyEmail: () => ({ path: "/api/v1/auth/verify-email", ip: newIp() }),
  requestCode: () => ({ path: "/api/v1/auth/code", ip: newIp() }),
  verifyCode: () => ({ path: "/api/v1/auth/code/verify", ip: newIp() }),
  forgotPassword: () => ({ path: "/api/v1/auth/forgot-password", ip: newIp() }),
  resetPassword: () => ({ path: "/api/v1/auth/reset-password", ip: newIp() }),
  resendVerification: ({ token }) => ({ path: "/api/v1/auth/resend-verification", token }),
  changePassword: ({ token }) => ({ path: "/api/v1/auth/change-password", token }),
  changeProfile: ({ token }) => ({ method: "PATCH", path: "/api/v1/auth/me", token }),
  changeEmail: ({ token }) => ({ path: "/api/v1/auth/change-email", token }),
  twoFactor: ({ token }) => ({ path: "/api/v1/auth/2fa/verify", token }),
  stepUp: ({ token }) => ({ path: "/api/v1/auth/step-up", token }),
  oauth: () => ({ method: "GET", path: `/api/v1/auth/oauth/google?to=${"x".repeat(1001)}`, ip: newIp() }),
  oauthExchange: () => ({ path: "/api/v1/auth/oauth/exchange", ip: newIp() }),
  identities: ({ token }) => ({ path: "/api/v1/auth/identities/google", token }),
  passkeys: ({ token }) => ({ path: "/api/v1/auth/passkeys", token }),
  deleteAccount: ({ token }) => ({ method: "DELETE", path: "/api/v1/auth/me", token }),
  deleteTenant: ({ token }) => ({ method: "DELETE", path: "/api/v1/tenant", body: { password: "" }, token }),
  exportAccount: ({ token }) => ({ method: "GET", path: "/api/v1/auth/me/export", token }),
  exportTenant: ({ token }) => ({ method: "GET", path: "/api/v1/tenant/export", token }),
  setupLinks: ({ token }) => ({ path: "/api/v1/tenant/setup-links", token }),
  portalLinks: ({ token }) => ({ path: "/api/v1/portal-links", token }),
  createApiKey: ({ token }) => ({ path: "/api/v1/api-keys", token }),
  unknownApiKey: () => ({ path: "/api/v1/events", token: makeKey("ak_"), ip: newIp() }),
  changeRole: ({ token, userId }) => ({ method: "PATCH", path: `/api/v1/members/${userId}`, token }),
  changeSecurity: ({ token }) => ({ method: "PATCH", path: security, body: { graceDays: "x" }, token }),
  checkDomain: ({ token }) => ({ path: "/api/v1/tenant/domains/acme.example/check", token }),
  invite: ({ token }) => ({ path: "/api/v1/invitations", token }),
  importWebhooks: ({ token }) => ({ path: "/api/v1/webhooks/import", token }),
  writeWebhook: ({ token }) => ({ path: "/api/v1/webhooks", token }),
  redeliver: ({ token }) => ({ path: `${webhook}/test`, token }),
  readDeliveries: ({ token }) => ({ method: "GET", path: `${webhook}/logs`, token }),
  readAudit: ({ token }) => ({ method: "GET", path: "/api/v1/audit", token }),
  exportAudit: ({ token }) => ({ method: "GET", path: "/api/v1/audit/export?format=x", token }),
  writeEventTypes: ({ token }) => ({ path: "/api/v1/event-types", token }),
  testRules: ({ token }) => ({ path: "/api/v1/event-types/x/validate", token }),
  writeConnections: ({ token }) => ({ path: "/api/v1/tenant/connections", token }),
  testSignOn: ({ token }) => ({ path: "/api/v1/tenant/connections/x/test", token }),
  ...signOnCalls(newIp),
  writeSource: ({ token }) => ({ path: "/api/v1/sources", token }),
  readFeed: ({ token }) => ({
    method: "GET",
    path: "/api/v1/feeds/0190a0a0-0000-7000-8000-000000000000/events?limit=0",
    token,
  }),
  listen: ({ token }) => ({ path: "/api/v1/listen", token }),
  writeFeed: ({ token }) => ({ path: "/api/v1/feeds", token }),
  publish: ({ token }) => ({ path: "/api/v1/events", token }),
  webhookKeys: () => ({ method: "GET", path: "/.well-known/webhook-keys/x", ip: newIp() }),
  metrics: () => ({ method: "GET", path: "/metrics", ip: newIp() }),
  deepHealth: () => ({ method: "GET", path: "/health?deep=1", ip: newIp() }),
};

describe("of parallel requests exactly the limit is answered", () => {
  test.each(Object.entries(COUNTED))("%s", async (rule, callOf) => {
    const request = callOf(await signUp());
    // What counts is the same for all.
    const length = rule === "login" ? 50 : 12;
    const answers = await Promise.all(Array.from({ length }, () => callWith({ [rule]: LIMIT }, request)));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(length - LIMIT);
    for (const { body, headers } of refused) {
      expect(body.code).toBe("RATE_LIMITED");
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    }
  });

  test("inviteAddress: one of the invitations to an address at once", async () => {
    const { token } = await signUpVerified();
    const request = { path: "/api/v1/invitations", token, body: { email: newEmail(), role: "viewer" } };
    const answers = await Promise.all(Array.from({ length: 12 }, () => callWith({ invite: 1000 }, request)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(11).fill(429)]);
  });
});

describe("one limit covers", () => {
  const id = webhook.slice("/api/v1".length);
  test.each<[RuleName, [string, string][]]>([
    [
      "writeWebhook",
      [
        ["POST", "/webhooks"],
        ["PATCH", id],
        ["DELETE", id],
        ["POST", `${id}/pause`],
        ["POST", `${id}/resume`],
        ["POST", `${id}/secret/rotate`],
        ["DELETE", `${id}/secret/previous`],
      ],
    ],
    [
      "redeliver",
      [
        ["POST", `${id}/test`],
        ["POST", `${id}/retry`],
        ["POST", `${id}/retry-failed`],
        ["POST", `${id}/deliveries/0190a0a0-0000-7000-8000-000000000000/retry`],
      ],
    ],
    [
      "readDeliveries",
      [
        ["GET", `${id}/logs`],
        ["GET", `${id}/attempts/0190a0a0-0000-7000-8000-000000000000`],
        ["GET", `${id}/stats`],
        ["GET", `${id}/metrics`],
        ["GET", "/stats"],
      ],
    ],
  ])("every route of %s", async (rule, routes) => {
    const { token } = await signUp();
    const remaining: (string | null)[] = [];
    for (const [method, path] of routes) {
      const { headers } = await callWith({ [rule]: 100 }, { method, path: `/api/v1${path}`, token });
      remaining.push(headers.get("ratelimit-remaining"));
    }
    expect(remaining).toEqual(routes.map((_, index) => String(99 - index)));
  });
});

/** Every route of the API that needs a permission, with its own limit if it has one. */
const PERMITTED = describedRoutes(app).flatMap(({ method, path, docs }) => {
  const { permission, limit } = Object.assign({}, ...docs) as RouteDocs;
  return permission === undefined
    ? []
    : [{ name: `${method} ${path}`, method, path: path.replace(/{\w+}/g, "x"), limit }];
});

describe("a request without the permission", () => {
  test("there are such routes", () => {
    expect(PERMITTED.length).toBeGreaterThan(30);
    expect(PERMITTED.filter(({ limit }) => limit?.per === "tenant").length).toBeGreaterThan(20);
  });

  test.each(PERMITTED)("counts for its caller alone: $name", async ({ method, path, limit }) => {
    const person = await signUp();
    const { token } = person;
    await setRole(person, "member");
    const limits = { refused: 2, ...(limit ? { [limit.rule]: 100 } : {}) };
    // A query that every route with a query refuses, so that no answer is a file.
    const request = { method, path: method === "GET" ? `${path}?since=x` : path };
    const answers = await Promise.all([1, 2, 3].map(() => callWith(limits, { ...request, token })));
    expect(answers.map(({ status }) => status).sort()).toEqual([403, 403, 429]);
    if (limit?.per !== "tenant") return;
    await setRole(person, "owner");
    const { headers } = await callWith(limits, { ...request, token });
    expect(headers.get("ratelimit-remaining")).toBe(path.endsWith("/event-types/import") ? "90" : "99");
  });

  test("100 of them leave the tenant's limit untouched, and 60 are answered", async () => {
    const owner = await signUp();
    const body = { name: "ci", scopes: ["webhook.read"] };
    const { key } = (await callWith({}, { path: "/api/v1/api-keys", token: owner.token, body })).body.data;
    const publish = (token: string) => callWith({ publish: 100 }, { path: "/api/v1/events", token });
    const answers = await Promise.all(Array.from({ length: 100 }, () => publish(key)));
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(60);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(40);
    const { status, headers } = await publish(owner.token);
    expect([status, headers.get("ratelimit-remaining")]).toEqual([400, "99"]);
  });
});

test("every limit by tenant comes after a permission", () => {
  const first = app.routes.flatMap(({ method, path, handler }) => {
    const { limit, permission, access } = docsOf(findTargetHandler(handler)) ?? {};
    const isChecked = permission !== undefined || access?.permission !== undefined;
    return limit?.per === "tenant" && !isChecked ? [`${method} ${path}`] : [];
  });
  expect([...new Set(first)]).toEqual(["GET /console"]);
});

describe("towards a limit", () => {
  const invite = (token: string, email: string) => ({
    path: "/api/v1/invitations",
    token,
    body: { email, role: "viewer" },
  });

  test("a request without permission counts for its caller, and its answer has the headers", async () => {
    const person = await signUp();
    await setRole(person, "viewer");
    const request = { path: "/api/v1/events", token: person.token, body: { type: "OrderPaid", payload: 1 } };
    const { status, headers } = await callWith({ refused: 1 }, request);
    expect([status, headers.get("ratelimit-remaining")]).toEqual([403, "0"]);
    expect((await callWith({ refused: 1 }, request)).status).toBe(429);
  });

  test("a request that another limit refuses does not count", async () => {
    const { token } = await signUpVerified();
    const email = newEmail();
    expect((await callWith({ invite: 2 }, invite(token, email))).status).toBe(201);
    for (let again = 0; again < 3; again += 1) {
      expect((await callWith({ invite: 2 }, invite(token, email))).status).toBe(429);
    }
    expect((await callWith({ invite: 2 }, invite(token, newEmail()))).status).toBe(201);
    expect((await callWith({ invite: 2 }, invite(token, newEmail()))).status).toBe(429);
  });

  test("a request refused with 401, 413 or 415 does not count", async () => {
    const { token } = await signUp();
    const path = "/api/v1/events";
    await callWith({ publish: 1 }, { path });
    await callWith({ publish: 1 }, { path, token, body: "x".repeat(300 * 1024) });
    expect((await callWith({ publish: 1 }, { path, token })).headers.get("ratelimit-remaining")).toBe("0");
  });
});

describe("what anybody can ask without a credential", () => {
  test("beyond the limit, unknown API keys are refused without a trip to D1; one that works is not", async () => {
    const { token } = await signUp();
    const issued = await callWith(
      {},
      { path: "/api/v1/api-keys", token, body: { name: "ci", scopes: ["webhook.read"] } },
    );
    const { key } = issued.body.data;
    const ip = newIp();
    const list = (credential: string) =>
      callWith({ unknownApiKey: 1 }, { method: "GET", path: "/api/v1/webhooks", token: credential, ip });
    expect((await list(key)).status).toBe(200);
    expect((await list(makeKey("ak_"))).status).toBe(401);
    expect((await list(makeKey("ak_"))).status).toBe(429);
    const lines = vi.spyOn(console, "log");
    expect((await list(makeKey("ak_"))).status).toBe(429);
    const logged = lines.mock.calls.flat().map((line) => JSON.parse(String(line)));
    lines.mockRestore();
    expect(logged.find(({ message }) => message === "request")).toMatchObject({ status: 429, d1Trips: 0 });
    expect((await list(key)).status).toBe(200);
  });

  test("a key in use works from a refused address, however many other keys are in use", async () => {
    const { token } = await signUp();
    const body = { name: "ci", scopes: ["webhook.read"] };
    const { key } = (await callWith({}, { path: "/api/v1/api-keys", token, body })).body.data;
    const ip = newIp();
    const list = (credential: string) =>
      callWith({ unknownApiKey: 1 }, { method: "GET", path: "/api/v1/webhooks", token: credential, ip });
    const useOthers = () => {
      for (let other = 0; other < 600; other += 1) rememberKnown(crypto.randomUUID());
    };
    expect((await list(key)).status).toBe(200);
    for (const status of [401, 429]) expect((await list(makeKey("ak_"))).status).toBe(status);
    for (let again = 0; again < 3; again += 1) {
      useOthers();
      expect((await list(key)).status).toBe(200);
    }
  });

  test("a shallow health check is not limited", async () => {
    const request = { method: "GET", path: "/health", ip: newIp() };
    const answers = await Promise.all(Array.from({ length: 5 }, () => callWith({ deepHealth: 1 }, request)));
    expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(200));
  });
});
