/** A user may have any number of sessions, and every session begins in one statement. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { call, PASSWORD, type Person, signUpVerified } from "../support/client";
import { joinTenant } from "../support/people";

const sources = import.meta.glob("../../src/**/*.{ts,tsx}", { query: "?raw", import: "default", eager: true });

describe("a user with more than 100 sessions", () => {
  async function withSessions(person: Person): Promise<void> {
    await env.DB.prepare(
      `INSERT INTO sessions (id, user_id, tenant_id, generation, refresh_token_hash, rotated_at, created_at, expires_at,
        last_activity_at)
       SELECT 'extra-' || value || '-' || s.id, s.user_id, s.tenant_id, 1, 'x', 1, s.created_at, s.expires_at, 1
       FROM sessions s, json_each(?) WHERE s.user_id = ?`,
    )
      .bind(JSON.stringify(Array.from({ length: 150 }, (_, index) => index)), person.userId)
      .run();
  }
  const sessionsOf = async (person: Person) =>
    (
      await env.DB.prepare("SELECT count(*) AS n FROM sessions WHERE user_id = ?")
        .bind(person.userId)
        .first<{ n: number }>()
    )?.n;

  test("can end all of them, and all but one", async () => {
    const person = await signUpVerified();
    await withSessions(person);
    expect(await sessionsOf(person)).toBe(151);
    const body = { currentPassword: PASSWORD, newPassword: "a much better password" };
    expect((await call("POST", "/auth/change-password", { token: person.token, body })).status).toBe(200);
    expect(await sessionsOf(person)).toBe(1);
    await withSessions(person);
    expect((await call("POST", "/auth/logout-all", { token: person.token })).status).toBe(200);
    expect(await sessionsOf(person)).toBe(0);
  });

  test("can be removed from a tenant", async () => {
    const owner = await signUpVerified();
    const member = await joinTenant(owner, "viewer");
    await withSessions(member);
    expect((await call("DELETE", `/members/${member.userId}`, { token: owner.token })).status).toBe(200);
    expect(await sessionsOf(member)).toBe(0);
  });
});

test("one statement in the code inserts sessions, so that every login passes its conditions", () => {
  const inserts = Object.entries(sources).filter(([, text]) =>
    /insert\s+into\s+"?sessions|insert\(sessions\)/i.test(text),
  );
  expect(inserts.map(([path]) => path)).toEqual(["../../src/identity/sessions/store.ts"]);
  expect(inserts[0]?.[1].match(/insert\s+into\s+"?sessions/gi)).toHaveLength(1);
});

test("every batch that inserts a session remembers its device", () => {
  const callers = Object.entries(sources).filter(([, text]) => /: mintSession\(/.test(text));
  expect(callers.length).toBeGreaterThan(1);
  const count = (text: string, call: RegExp) => text.match(call)?.length ?? 0;
  for (const [path, text] of callers) {
    expect([path, count(text, /\.\.\.rememberDevice\(/g)]).toEqual([path, count(text, /: mintSession\(/g)]);
  }
});
