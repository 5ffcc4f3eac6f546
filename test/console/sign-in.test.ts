/** The console's pages for API keys, two-factor authentication and sessions. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { Secret, TOTP } from "otpauth";
import { describe, expect, test, vi } from "vitest";
import { decrypt } from "../../src/base/crypto/encryption";
import { createDeps } from "../../src/base/deps";
import { call, PASSWORD, signUp, verify } from "../support/client";
import { holding, signedIn, visit } from "../support/console";
import { endedAttempts, newInbox, publish, subscribe } from "../support/receiver";

describe("API keys", () => {
  test("are shown once and work until they are revoked", async () => {
    const browser = await holding(await signUp());
    const made = await browser.post("/api-keys", {
      name: "CI",
      scopes: ["webhook.read", "event.publish"],
      expiresAt: "30",
    });
    const key = made.html.match(/ak_[0-9A-Za-z]{40}/)?.[0] ?? "";
    expect([made.status, key.length]).toEqual([201, 43]);
    expect((await call("GET", "/webhooks", { token: key })).status).toBe(200);
    const listed = await browser.get("/api-keys");
    expect(listed.html).not.toContain(key);
    const revoke = listed.html.match(/\/api-keys\/[\w-]+\/revoke/)?.[0] ?? "";
    expect((await browser.follow(await browser.post(revoke))).html).toContain("API key revoked.");
    expect((await call("GET", "/webhooks", { token: key })).status).toBe(401);
  });
});

test("forged values and paths are refused without a 500", async () => {
  const browser = await holding(await signUp());
  for (const expiresAt of ["999999999", "1e999", "-1e999", "soon"]) {
    const answer = await browser.post("/api-keys", { name: "CI", scopes: ["webhook.read"], expiresAt });
    expect([expiresAt, answer.status]).toEqual([expiresAt, 400]);
  }
  for (const path of ["/%0Ax/", "/a%00b/", "/%0D%0Ax/"]) {
    expect((await browser.follow(await browser.get(path))).status).toBe(404);
  }
});

test("a deeply nested payload is shown on one line, because indentation would multiply its size", async () => {
  const person = await signUp();
  const browser = await holding(person);
  const id = await subscribe(person, newInbox("200").url);
  const deep = 400;
  const payload = JSON.parse(`${"[".repeat(deep)}${"1,".repeat(2_000)}1${"]".repeat(deep)}`);
  await publish(person, payload);
  const [attempt] = await endedAttempts(person, id, 1);
  const { status, html } = await browser.get(`/webhooks/${id}/attempts/${attempt._id}`);
  expect([status, html.includes("1,1,1,1")]).toEqual([200, true]);
  expect(html.length).toBeLessThan(100_000);
});

const codeOf = (secret: string, stepsAhead = 0) =>
  new TOTP({ issuer: "Postern", secret: Secret.fromBase32(secret) }).generate({
    timestamp: Date.now() + stepsAhead * 30_000,
  });

async function enrolled() {
  const person = await signUp();
  const browser = await holding(person);
  const { html } = await browser.post("/security/two-factor");
  const secret = html.match(/name="secret" value="([A-Z2-7]+)"/)?.[1] ?? "";
  const wrong = await browser.post("/security/two-factor/confirm", { secret, token: "000000" });
  expect([wrong.status, wrong.html.includes('class="qr"'), wrong.html.includes('id="token-error"')]).toEqual([
    401,
    true,
    true,
  ]);
  const on = await browser.post("/security/two-factor/confirm", { secret, token: codeOf(secret) });
  expect(on.html).toContain("Two-factor authentication is on");
  return { person, browser, secret, codes: on.html };
}

describe("two-factor authentication", () => {
  test("is turned on, gives recovery codes, asks for a code at sign-in, and is turned off", async () => {
    const { person, browser, secret, codes } = await enrolled();
    const [code = ""] = codes.match(/[A-Z2-7]{4}(-[A-Z2-7]{4}){3}/) ?? [];
    expect(code).not.toBe("");
    expect((await browser.get("")).html).not.toContain("You have no recovery codes");
    await verify(person.email);
    const other = visit();
    const asked = await other.post("/sign-in", { email: person.email, password: PASSWORD, to: "/console/webhooks" });
    expect([asked.status, asked.location]).toEqual([303, "/console/sign-in/code"]);
    expect(other.jar.has("__Host-postern-session")).toBe(false);
    expect(asked.cookies.join()).toMatch(
      /^__Host-postern-sign-in=[^;]+; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Lax$/,
    );
    const form = await other.get("/sign-in/code");
    expect(form.html + asked.cookies.join() + asked.html).not.toContain(PASSWORD);
    expect((await other.post("/sign-in/code", { totp: "000000" })).status).toBe(401);
    expect((await other.post("/sign-in/code", { totp: code })).location).toBe("/console/webhooks");
    expect(other.jar.has("__Host-postern-sign-in")).toBe(false);
    const off = await browser.post("/security/two-factor/disable", { token: codeOf(secret, 1) });
    expect((await browser.follow(off)).html).toContain("Two-factor authentication is off.");
  });

  test("a sign-in waits five minutes for its code, and a forged cookie is refused", async () => {
    const { person } = await enrolled();
    await verify(person.email);
    const browser = visit();
    await browser.post("/sign-in", { email: person.email, password: PASSWORD });
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 5 * 60_000 + 1 });
    const late = await browser.post("/sign-in/code", { totp: "000000" });
    vi.useRealTimers();
    expect(late.location).toBe("/console/sign-in");
    browser.jar.set("__Host-postern-sign-in", "a.b.c");
    expect((await browser.post("/sign-in/code", { totp: "000000" })).location).toBe("/console/sign-in");
  });
});

describe("between password and code", () => {
  async function waiting() {
    const { person, secret } = await enrolled();
    await verify(person.email);
    const browser = visit();
    const asked = await browser.post("/sign-in", { email: person.email, password: PASSWORD });
    return { person, secret, browser, asked };
  }

  test("the cookie expires after five minutes and holds no password", async () => {
    const { browser, asked } = await waiting();
    const expires = Date.parse(asked.cookies[0]?.match(/Expires=([^;]+)/)?.[1] ?? "");
    expect(expires - Date.now()).toBeLessThanOrEqual(5 * 60_000);
    expect(expires - Date.now()).toBeGreaterThan(4 * 60_000);
    const { keys } = await createDeps(env, createExecutionContext());
    const cookie = decodeURIComponent(browser.jar.get("__Host-postern-sign-in") ?? "");
    const held = await decrypt(keys, "console:sign-in", cookie);
    expect(Object.keys(JSON.parse(held)).sort()).toEqual(["expiresAt", "passwordDigest", "to", "userId"]);
    expect(held).not.toContain(PASSWORD);
  });

  test("a change of the password ends the sign-in", async () => {
    const { person, secret, browser } = await waiting();
    const body = { currentPassword: PASSWORD, newPassword: "a much better password" };
    expect((await call("POST", "/auth/change-password", { token: person.token, body })).status).toBe(200);
    expect((await browser.post("/sign-in/code", { totp: codeOf(secret, 1) })).status).toBe(401);
    expect(browser.jar.has("__Host-postern-session")).toBe(false);
  });
});

describe("sessions", () => {
  test("are listed with their device and can be revoked", async () => {
    const person = await signUp({
      headers: { "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0" },
    });
    const browser = await signedIn(person);
    const { html } = await browser.get("/security");
    expect(html).toContain("Firefox 150.0 on Linux");
    const revoke = html.match(/\/security\/sessions\/[\w-]+\/revoke/)?.[0] ?? "";
    await browser.post(revoke);
    expect((await call("GET", "/auth/me", { token: person.token })).status).toBe(401);
    const out = await browser.follow(await browser.post("/security/sign-out-everywhere"));
    expect(out.html).toContain("You are signed out everywhere.");
  });
});
