/** Refresh, logout and sessions: rotation, reuse, replay, and the attacks on them. */
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { call, logIn, ownAddress, PASSWORD, type Person, signUp } from "../support/client";

const SECOND_MS = 1000;
const DAY_MS = 24 * 3600 * SECOND_MS;

afterEach(() => {
  vi.useRealTimers();
});

/** Turns the clock, which stands still from then on. */
function later(ms: number): void {
  const now = Date.now();
  vi.useFakeTimers({ toFake: ["Date"], now: now + ms });
}

const refresh = (refreshToken: string, key?: string) =>
  call("POST", "/auth/refresh", { body: { refreshToken }, headers: key ? { "idempotency-key": key } : {} });

const me = (person: Person) => call("GET", "/auth/me", { token: person.token });

describe("refresh", () => {
  test("returns a new pair whose tokens both work", async () => {
    const person = await signUp();
    const answer = await refresh(person.refreshToken);
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.body.data).sort()).toEqual(["accessToken", "refreshToken"]);
    expect(answer.body.data.refreshToken).not.toBe(person.refreshToken);
    expect((await call("GET", "/auth/me", { token: answer.body.data.accessToken })).status).toBe(200);
    expect((await refresh(answer.body.data.refreshToken)).status).toBe(200);
  });

  test("of 20 parallel uses of one token, exactly one succeeds, and the session stays", async () => {
    const person = await signUp();
    const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(person.refreshToken)));
    const won = answers.filter((answer) => answer.status === 200);
    expect(won.length).toBe(1);
    expect(answers.filter((answer) => answer.body.code === "REFRESH_TOKEN_REUSED").length).toBe(19);
    expect((await refresh(won[0]?.body.data.refreshToken)).status).toBe(200);
  });

  test("20 parallel uses with one Idempotency-Key all get the same token", async () => {
    const person = await signUp();
    const key = crypto.randomUUID();
    const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(person.refreshToken, key)));
    expect(answers.map((answer) => answer.status)).toEqual(Array(20).fill(200));
    expect(new Set(answers.map((answer) => answer.body.data.refreshToken)).size).toBe(1);
  });

  test("the previous token is only refused within 10 s, and ends the session after that", async () => {
    const person = await signUp();
    later(0);
    const second = (await refresh(person.refreshToken)).body.data;
    later(9 * SECOND_MS);
    expect((await refresh(person.refreshToken)).body.code).toBe("REFRESH_TOKEN_REUSED");
    expect((await me(person)).status).toBe(200);
    later(2 * SECOND_MS);
    expect((await refresh(person.refreshToken)).body.code).toBe("REFRESH_TOKEN_REUSED");
    expect((await me(person)).status).toBe(401);
    const dead = await refresh(second.refreshToken);
    expect([dead.status, dead.body.code]).toEqual([401, "REFRESH_TOKEN_INVALID"]);
  });

  test("a token two generations old ends the session at once", async () => {
    const person = await signUp();
    const second = (await refresh(person.refreshToken)).body.data;
    await refresh(second.refreshToken);
    expect((await refresh(person.refreshToken)).body.code).toBe("REFRESH_TOKEN_REUSED");
    expect((await me(person)).status).toBe(401);
  });

  test("after a lost answer, the same key returns the same token for 60 s, and another key does not", async () => {
    const person = await signUp();
    const key = crypto.randomUUID();
    later(0);
    const first = await refresh(person.refreshToken, key);
    later(50 * SECOND_MS);
    const replay = await refresh(person.refreshToken, key.toUpperCase());
    expect([replay.status, replay.body.data.refreshToken]).toEqual([200, first.body.data.refreshToken]);
    later(11 * SECOND_MS);
    expect((await refresh(person.refreshToken, key)).body.code).toBe("REFRESH_TOKEN_REUSED");
    expect((await me(person)).status).toBe(401);
  });

  test("a key that is not a UUID is refused", async () => {
    const person = await signUp();
    const answer = await refresh(person.refreshToken, "not-a-uuid");
    expect([answer.status, answer.body.details[0].path]).toEqual([400, "Idempotency-Key"]);
  });

  test("extends the session by 30 days, up to 90 days after login", async () => {
    const person = await signUp();
    let token = person.refreshToken;
    for (let round = 0; round < 3; round++) {
      later(29 * DAY_MS);
      token = (await refresh(token)).body.data.refreshToken;
    }
    later(4 * DAY_MS);
    const expired = await refresh(token);
    expect([expired.status, expired.body.code]).toEqual([401, "REFRESH_TOKEN_EXPIRED"]);
  });

  test("expires after 30 idle days", async () => {
    const person = await signUp();
    later(30 * DAY_MS);
    expect((await refresh(person.refreshToken)).body.code).toBe("REFRESH_TOKEN_EXPIRED");
  });

  test("forged and malformed tokens answer 401, and a missing one 400", async () => {
    const person = await signUp();
    const [id, , mac] = person.refreshToken.split(".");
    for (const forged of [`${id}.2.${mac}`, `${crypto.randomUUID()}.1.${mac}`, "x", "a.b.c"]) {
      const answer = await refresh(forged);
      expect([answer.status, answer.body.code]).toEqual([401, "REFRESH_TOKEN_INVALID"]);
    }
    expect((await call("POST", "/auth/refresh", { body: {} })).body.code).toBe("VALIDATION_FAILED");
  });

  test("D1 stores no refresh token", async () => {
    const person = await signUp();
    const { results } = await env.DB.prepare("SELECT * FROM sessions WHERE user_id = ?").bind(person.userId).all();
    expect(JSON.stringify(results)).not.toContain(person.refreshToken.split(".")[2]);
  });
});

describe("logout and sessions", () => {
  test("logout ends one session; an unknown token answers 200, an empty one 400", async () => {
    const person = await signUp();
    const other = await logIn(person);
    const done = await call("POST", "/auth/logout", { body: { refreshToken: person.refreshToken } });
    expect([done.status, done.body]).toEqual([200, { message: "Logged out successfully." }]);
    expect((await me(person)).status).toBe(401);
    expect((await me(other)).status).toBe(200);
    for (const refreshToken of [person.refreshToken, "unknown"]) {
      const again = await call("POST", "/auth/logout", { body: { refreshToken } });
      expect([again.status, again.body]).toEqual([200, { message: "Logged out successfully." }]);
    }
    expect((await call("POST", "/auth/logout", { body: { refreshToken: "" } })).status).toBe(400);
  });

  test("logout-all ends every session", async () => {
    const person = await signUp();
    const other = await logIn(person);
    const done = await call("POST", "/auth/logout-all", { token: other.token });
    expect([done.status, done.body]).toEqual([200, { message: "Logged out from all devices." }]);
    expect((await me(person)).status).toBe(401);
    expect((await me(other)).status).toBe(401);
  });

  test("the list shows devices in order; one's own session can be revoked, and another user's answers 404", async () => {
    const userAgent =
      "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36";
    const person = await signUp({ headers: { "user-agent": userAgent } });
    const other = await logIn(person);
    const { body } = await call("GET", "/auth/sessions", { token: other.token });
    expect(body.data.map((row: { current: boolean }) => row.current)).toEqual([false, true]);
    expect(body.data[0]).toMatchObject({ platform: "desktop", ipAddress: ownAddress });
    expect(body.data[0].browser).toMatch(/^Chrome 126/);
    expect(body.data[0].operatingSystem).toMatch(/^Windows/);
    expect(Object.keys(body.data[0]).sort()).toEqual([
      "browser",
      "createdAt",
      "current",
      "deviceName",
      "expiresAt",
      "id",
      "ipAddress",
      "lastActivityAt",
      "location",
      "operatingSystem",
      "platform",
    ]);
    const stranger = await signUp();
    const path = `/auth/sessions/${body.data[0].id}`;
    expect((await call("DELETE", path, { token: stranger.token })).body.message).toBe("Session not found");
    const revoked = await call("DELETE", path, { token: other.token });
    expect([revoked.status, revoked.body]).toEqual([200, { message: "Session revoked." }]);
    expect((await me(person)).status).toBe(401);
    expect((await call("DELETE", path, { token: other.token })).status).toBe(404);
  });
});

describe("change-password", () => {
  const change = (person: Person, currentPassword: string, newPassword: string) =>
    call("POST", "/auth/change-password", { token: person.token, body: { currentPassword, newPassword } });

  test("sets the password and ends every other session", async () => {
    const person = await signUp();
    const other = await logIn(person);
    const wrong = await change(other, "not the password", "another good password");
    expect([wrong.status, wrong.body.code]).toEqual([401, "WRONG_PASSWORD"]);
    const done = await change(other, PASSWORD, "another good password");
    expect([done.status, done.body]).toEqual([200, { message: "Password changed successfully." }]);
    expect((await me(person)).status).toBe(401);
    expect((await me(other)).status).toBe(200);
    const old = await call("POST", "/auth/login", { body: { email: person.email, password: PASSWORD } });
    expect(old.status).toBe(401);
    await logIn(person, "another good password");
  });
});
