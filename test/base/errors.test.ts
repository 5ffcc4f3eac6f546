/** Every error has the same shape, whatever is wrong with the request. */
import { env, exports } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import worker from "../../src";
import { call, newEmail, PASSWORD, signUp } from "../support/client";
import { forgetSweeps } from "../support/databases";

const SHAPE = { code: expect.any(String), message: expect.any(String), requestId: expect.any(String) };
const json = { "content-type": "application/json" };

describe("the error shape", () => {
  const register = (raw: BodyInit, headers: Record<string, string> = json) =>
    call("POST", "/auth/register", { raw, headers });
  const cases: [string, () => ReturnType<typeof call>, number, string][] = [
    ["an unknown route", () => call("GET", "/nothing"), 404, "NOT_FOUND"],
    ["an unknown route outside the prefix", () => call("GET", "//nothing"), 404, "NOT_FOUND"],
    ["a wrong method", () => call("GET", "/auth/login"), 405, "METHOD_NOT_ALLOWED"],
    ["a wrong method for people only", () => call("PUT", "/api-keys"), 405, "METHOD_NOT_ALLOWED"],
    ["an unknown route for people only", () => call("GET", "/members/a/b"), 404, "NOT_FOUND"],
    ["a doubled slash", () => call("POST", "//api/v1//auth//login", { body: {} }), 404, "NOT_FOUND"],
    ["a trailing slash", () => call("POST", "/auth/login/", { body: {} }), 404, "NOT_FOUND"],
    ["another case", () => call("POST", "/AUTH/login", { body: {} }), 404, "NOT_FOUND"],
    ["an encoded slash", () => call("POST", "/auth%2flogin", { body: {} }), 404, "NOT_FOUND"],
    ["malformed JSON", () => register('{"email":'), 400, "INVALID_JSON"],
    ["an empty body", () => register("", json), 400, "INVALID_JSON"],
    ["JSON null", () => register("null"), 400, "VALIDATION_FAILED"],
    ["a JSON array", () => register("[]"), 400, "VALIDATION_FAILED"],
    ["deep JSON", () => register("[".repeat(20_000)), 400, "INVALID_JSON"],
    [
      "__proto__",
      () => register('{"__proto__":{"email":"a@b.example","password":"12345678"}}'),
      400,
      "VALIDATION_FAILED",
    ],
    [
      "a NUL in a name",
      () => register(JSON.stringify({ email: newEmail(), password: PASSWORD, name: "a\0b" })),
      400,
      "VALIDATION_FAILED",
    ],
    [
      "a form",
      () => register("email=a", { "content-type": "application/x-www-form-urlencoded" }),
      415,
      "UNSUPPORTED_MEDIA_TYPE",
    ],
    ["no content type", () => register(new Uint8Array([123, 125]), {}), 415, "UNSUPPORTED_MEDIA_TYPE"],
    ["a body over 64 KiB", () => register(JSON.stringify({ email: "x".repeat(1_000_000) })), 413, "PAYLOAD_TOO_LARGE"],
  ];

  test.each(cases)("%s", async (_name, send, status, code) => {
    const { status: answered, body, headers } = await send();
    expect([answered, body.code]).toEqual([status, code]);
    expect(body).toMatchObject(SHAPE);
    expect(headers.get("x-request-id")).toBe(body.requestId);
  });

  test("a streamed body over the limit is refused before it ends", async () => {
    let pulled = 0;
    const endless = new ReadableStream({
      pull(controller) {
        pulled += 1;
        controller.enqueue(new Uint8Array(16_384).fill(32));
        if (pulled > 1_000) controller.close();
      },
    });
    const { status, body } = await call("POST", "/auth/register", { raw: endless, headers: json });
    expect([status, body.code]).toEqual([413, "PAYLOAD_TOO_LARGE"]);
    expect(pulled).toBeLessThan(100);
  });

  test("validation names each field", async () => {
    const { status, body } = await call("POST", "/auth/register", { body: { email: "no", password: "short" } });
    expect([status, body.code]).toEqual([400, "VALIDATION_FAILED"]);
    expect(body.details.map((detail: { path: string }) => detail.path).sort()).toEqual(["email", "password"]);
  });

  test("an email with more than 64 characters before the @ is refused, with one detail", async () => {
    const email = `${"x".repeat(65)}@example.com`;
    const { status, body } = await call("POST", "/auth/register", { body: { email, password: PASSWORD } });
    expect([status, body.details.map((detail: { path: string }) => detail.path)]).toEqual([400, ["email"]]);
  });

  test.each([
    ["GET", "/auth/login", "POST"],
    ["PUT", "/webhooks", "GET, HEAD, POST"],
    ["PUT", "/webhooks/0190a0a0-0000-7000-8000-000000000000", "DELETE, GET, HEAD, PATCH"],
    ["DELETE", "//docs/limits", "GET, HEAD"],
    ["POST", "//health", "GET, HEAD"],
  ])("405 to %s %s names the methods that are served, with a token or without", async (method, path, allowed) => {
    const { token } = await signUp();
    for (const credentials of [{}, { token }]) {
      const { status, body, headers } = await call(method, path, credentials);
      expect([status, body.code, headers.get("allow")]).toEqual([405, "METHOD_NOT_ALLOWED", allowed]);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
    }
  });

  test("a missing resource is 404, not 405", async () => {
    const { token } = await signUp();
    const { status, headers } = await call("GET", `/webhooks/${crypto.randomUUID()}`, { token });
    expect([status, headers.get("allow")]).toEqual([404, null]);
  });

  test("a well-formed request id is kept, any other is replaced", async () => {
    const kept = await call("GET", "//health", { headers: { "x-request-id": "trace-12345678" } });
    expect(kept.headers.get("x-request-id")).toBe("trace-12345678");
    const failed = await call("GET", "/auth/me", { headers: { "x-request-id": "trace-12345678" } });
    expect(failed.body.requestId).toBe("trace-12345678");
    const replaced = await call("GET", "//health", { headers: { "x-request-id": "a b" } });
    expect(replaced.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe("answers in general", () => {
  test("carry security headers, and API answers are not stored", async () => {
    const { headers } = await call("GET", "/auth/me");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
  });

  test("CORS is by allow-list: an unlisted origin gets no permission", async () => {
    const { headers } = await call("GET", "//health", { headers: { origin: "https://evil.example" } });
    expect(headers.get("access-control-allow-origin")).toBeNull();
  });

  test("the key set is public, cacheable and holds no private part", async () => {
    const { status, body, headers } = await call("GET", "//.well-known/jwks.json");
    expect(status).toBe(200);
    expect(headers.get("cache-control")).toContain("max-age");
    // The one of the settings first, and those that apps may ask for.
    const keys = body.keys as Record<string, unknown>[];
    expect(keys[0]).toMatchObject({ kty: "EC", crv: "P-256", alg: "ES256" });
    expect(keys.map(({ alg }) => alg).sort()).toEqual(["ES256", "EdDSA", "RS256"]);
    // RFC 7518, sections 6.2.2, 6.3.2 and 6.4.1.
    const secret = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];
    expect(keys.flatMap((key) => secret.filter((name) => name in key))).toEqual([]);
  });

  test("health answers, and checks D1 when asked to", async () => {
    expect((await call("GET", "//health")).status).toBe(200);
    // Otherwise one that another file has started, and that nobody starts again here, could be overdue.
    await forgetSweeps();
    expect((await call("GET", "//health?deep=1")).status).toBe(200);
  });
});

describe("settings", () => {
  const ask = async (settings: Partial<Record<keyof Env, string>>) => {
    const ctx = {
      waitUntil: () => undefined,
      passThroughOnException: () => undefined,
      props: {},
    } as unknown as ExecutionContext;
    const request = new Request<unknown, IncomingRequestCfProperties>("http://postern.test/health");
    return worker.fetch(request, { ...env, ...settings } as Env, ctx);
  };

  test.each([
    ["SECRET_KEYS", "too-short-secret"],
    ["SECRET_KEYS", ""],
    ["SECRET_KEYS", "every bit of this key is a word of english"],
    ["SECRET_KEYS", "0123456789abcdef0123456789abcdef"],
    ["MAX_API_KEYS_PER_USER", "0"],
    ["MAX_SUBSCRIPTIONS_PER_TENANT", "many"],
    ["TENANT_DELIVERIES_PER_MINUTE", "1.5"],
    ["TENANT_PAYLOAD_MIB_PER_MINUTE", "-1"],
    ["APP_URL", "javascript:alert(1)"],
    ["RATE_LIMITS", '{"nope":{"limit":1,"windowSeconds":1}}'],
    ["RATE_LIMITS", "not json"],
    ["WEBHOOK_EGRESS", "everything"],
    ["EMAIL_VERIFICATION", "maybe"],
    ["RETENTION_DAYS", "-1"],
    ["AUDIT_RETENTION_DAYS", "29"],
    ["AUDIT_RETENTION_DAYS", "3651"],
    ["AUDIT_MAX_ROWS", "9999"],
    ["MAIL_FROM", "nobody"],
    ["TOKEN_ISSUER", "x".repeat(201)],
    ["TOKEN_ALGORITHM", "HS256"],
    ["TOKEN_KEY_DELAY_SECONDS", "86401"],
  ] as const)(
    "a bad %s (%j) answers every request with 500 and logs its name once, never its value",
    async (name, value) => {
      const lines = vi.spyOn(console, "error").mockImplementation(() => undefined);
      const response = await ask({ [name]: value });
      const logged = lines.mock.calls.flat().map(String);
      lines.mockRestore();
      expect(response.status).toBe(500);
      expect(await response.json()).toMatchObject({ code: "INTERNAL_ERROR", requestId: expect.any(String) });
      const told = logged.filter((line) => line.includes("configuration refused"));
      expect(told).toHaveLength(1);
      expect(told[0]).toContain(`${name} must `);
      if (value.length > 3) expect(told[0]).not.toContain(value);
    },
  );

  test("a new first key in SECRET_KEYS keeps old access tokens valid", async () => {
    const { token } = await signUp();
    const request = () =>
      new Request<unknown, IncomingRequestCfProperties>("http://postern.test/api/v1/auth/me", {
        headers: { authorization: `Bearer ${token}` },
      });
    const ctx = {
      waitUntil: () => undefined,
      passThroughOnException: () => undefined,
      props: {},
    } as unknown as ExecutionContext;
    const newKey = "b29320cd44b22a6bee6b55c31e4acf3065213e8227e755e2a1eb62798ed83c59";
    const rotated = await worker.fetch(request(), { ...env, SECRET_KEYS: `${newKey},${env.SECRET_KEYS}` } as Env, ctx);
    expect(rotated.status).toBe(200);
    const removed = await worker.fetch(request(), { ...env, SECRET_KEYS: newKey } as Env, ctx);
    expect(removed.status).toBe(401);
  });
});

test("the default export is the Worker under test", async () => {
  expect((await exports.default.fetch("http://postern.test/")).status).toBe(200);
});
