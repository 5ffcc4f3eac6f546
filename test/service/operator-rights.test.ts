/** Who is an operator, and how often they may call. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { call, logIn, signUpVerified } from "../support/client";
import { named, operate, operator } from "../support/operators";
import { callUnder } from "../support/overrides";
import { addPasskey, loginWith, stepUpBody } from "../support/passkeys";
import { codeOf } from "../support/two-factor";

describe("who is an operator", () => {
  test("a person whose address is named, verified and protected by a second factor", async () => {
    const { token } = await operator();
    expect((await operate({ token }, "GET", "/status")).status).toBe(200);
  });

  test("nobody else: the routes do not exist for them", async () => {
    const unknown = await call("GET", "/nowhere");
    const { token } = await signUpVerified();
    const answer = await operate({ token }, "GET", "/status");
    expect([answer.status, answer.body.code, answer.body.message]).toEqual([404, "NOT_FOUND", unknown.body.message]);
    expect(answer.headers.get("ratelimit-limit")).toBeNull();
  });

  test("not without a second factor, and the answer says what to do", async () => {
    const { token } = await named("operator@example.com");
    const { status, body } = await operate({ token }, "GET", "/status");
    expect([status, body.code]).toEqual([403, "FORBIDDEN"]);
    expect(body.message).toMatch(/two-factor/);
  });

  test("with a passkey in the session, and not with the password alone", async () => {
    const person = await named("operator@example.com");
    const passkey = await addPasskey(person);
    const { accessToken: token } = (await loginWith(passkey)).body.data;
    expect((await operate({ token }, "GET", "/status")).status).toBe(200);
    const withPassword = await logIn(person);
    expect((await operate(withPassword, "GET", "/status")).status).toBe(403);
    const body = await stepUpBody({ ...person, ...withPassword }, passkey);
    expect((await call("POST", "/auth/step-up", { token: withPassword.token, body })).status).toBe(200);
    expect((await operate(withPassword, "GET", "/status")).status).toBe(200);
  });

  test("not any more once two-factor authentication is turned off, in a session that it has opened", async () => {
    const { token, secret } = await operator();
    const body = { token: codeOf(secret, 1) };
    expect((await call("POST", "/auth/2fa/disable", { token, body })).status).toBe(200);
    expect((await operate({ token }, "GET", "/status")).status).toBe(403);
  });

  test("not with an address for which only a sign-in provider vouches", async () => {
    const { token, userId } = await operator();
    await env.DB.prepare("UPDATE users SET email_verified_by = 'provider' WHERE id = ?").bind(userId).run();
    expect((await operate({ token }, "GET", "/status")).status).toBe(404);
  });

  test("not with an address that is not verified", async () => {
    const { token, userId } = await operator();
    await env.DB.prepare("UPDATE users SET email_verified_at = NULL WHERE id = ?").bind(userId).run();
    expect((await operate({ token }, "GET", "/status")).status).toBe(404);
  });

  test("nobody where the setting is empty, and an API key nowhere", async () => {
    const { token } = await operator();
    const request = { method: "GET", path: "/api/v1/operator/status" };
    expect((await callUnder({ OPERATORS: "" }, { ...request, token })).status).toBe(404);
    const body = { name: "key", scopes: ["webhook.read"] };
    const { key } = (await call("POST", "/api-keys", { token, body })).body.data;
    expect((await operate({ token: key }, "GET", "/status")).status).toBe(401);
  });
});

test("operators have one limit for all that they do", async () => {
  const { token } = await operator();
  const limits = { RATE_LIMITS: JSON.stringify({ operator: { limit: 2, windowSeconds: 60 } }) };
  const get = (path: string) => callUnder(limits, { method: "GET", path: `/api/v1/operator${path}`, token });
  const statuses = [];
  for (const path of ["/status", "/search?q=zz", "/status"]) statuses.push((await get(path)).status);
  expect(statuses).toEqual([200, 200, 429]);
});
