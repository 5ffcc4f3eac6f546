/** Which actions revoke tokens, and that no file forgets it. */
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { call, logIn, PASSWORD, type Person, signUp, signUpVerified } from "../support/client";
import { mailTo, tokenIn } from "../support/mailbox";
import { operate, operator } from "../support/operators";
import { callUnder } from "../support/overrides";
import { joinTenant } from "../support/people";
import {
  alone,
  claimsOf,
  memberKey,
  own,
  refresh,
  revokedOf,
  sessionKey,
  tenantKey,
  userKey,
} from "../support/revocations";
import { enrol } from "../support/two-factor";

afterEach(() => {
  vi.useRealTimers();
});

interface Way {
  /** Who is there, the one that acts first. */
  people?: () => Promise<Person[]>;
  act: (first: Person, second: Person) => Promise<{ status: number }>;
  writes: (first: Person, second: Person) => string[];
}

/** A person with two sessions. */
const twice = async () => {
  const person = await signUpVerified();
  return [person, await logIn(person)];
};
const withMember = async () => {
  const owner = await signUpVerified();
  return [owner, await joinTenant(owner, "developer")];
};
const withOperator = async () => [await operator(), await signUpVerified()];
const suspend = { reason: "a test" };

const WAYS: Record<string, Way> = {
  "a logout": {
    act: (person) => call("POST", "/auth/logout", { body: { refreshToken: person.refreshToken } }),
    writes: (person) => [sessionKey(person)],
  },
  "a revoked session": {
    people: twice,
    act: (person, other) => own(person, "DELETE", `/auth/sessions/${claimsOf(other).sid}`),
    writes: (_person, other) => [sessionKey(other)],
  },
  "a logout from all devices": {
    people: twice,
    act: (person) => own(person, "POST", "/auth/logout-all"),
    writes: (person, other) => [sessionKey(person), sessionKey(other)],
  },
  "a refresh token that is used again": {
    act: async (person) => {
      const second = await refresh(person.refreshToken);
      await refresh(second.body.data.refreshToken);
      const { status } = await refresh(person.refreshToken);
      return { status: status === 401 ? 200 : status };
    },
    writes: (person) => [sessionKey(person)],
  },
  "the cap of sessions": {
    act: ({ email }) =>
      callUnder({ MAX_SESSIONS_PER_USER: "1" }, { path: "/api/v1/auth/login", body: { email, password: PASSWORD } }),
    writes: (person) => [sessionKey(person)],
  },
  "a new password": {
    people: twice,
    act: (person) =>
      own(person, "POST", "/auth/change-password", { currentPassword: PASSWORD, newPassword: "another pass phrase" }),
    writes: (_person, other) => [sessionKey(other)],
  },
  "a password reset": {
    people: twice,
    act: (person) => reset(person),
    writes: (person, other) => [sessionKey(person), sessionKey(other)],
  },
  "a take-over by a password reset": {
    people: async () => [await signUp()],
    act: (person) => reset(person),
    writes: (person) => [sessionKey(person)],
  },
  "two-factor authentication that is turned on": {
    people: twice,
    act: async (person) => {
      await enrol(person);
      return { status: 200 };
    },
    writes: (_person, other) => [sessionKey(other)],
  },
  '"this was not me"': {
    act: async (person) => {
      const change = { currentPassword: PASSWORD, newPassword: "another pass phrase" };
      await own(person, "POST", "/auth/change-password", change);
      const token = tokenIn(await mailTo(person.email, /password was changed/i));
      return call("POST", "/auth/not-me", { body: { token } });
    },
    writes: (person) => [sessionKey(person)],
  },
  "a switch to another tenant": {
    act: async (person) => {
      const host = await signUp();
      await env.DB.prepare("INSERT INTO memberships (tenant_id, user_id, role, created_at) VALUES (?, ?, 'viewer', 0)")
        .bind(host.tenantId, person.userId)
        .run();
      return own(person, "POST", "/auth/switch-tenant", { tenantId: host.tenantId });
    },
    writes: (person) => [sessionKey(person)],
  },
  "a policy that requires a second factor at once": {
    people: async () => {
      const owner = await signUpVerified();
      await enrol(owner);
      return [owner, await joinTenant(owner, "developer")];
    },
    act: (owner) => own(owner, "PATCH", "/tenant/security", { requireSecondFactor: "all", graceDays: 0 }),
    writes: (_owner, member) => [memberKey(member)],
  },
  "another role": {
    people: withMember,
    act: (owner, member) => own(owner, "PATCH", `/members/${member.userId}`, { role: "viewer" }),
    writes: (_owner, member) => [memberKey(member)],
  },
  "a removed member": {
    people: withMember,
    act: (owner, member) => own(owner, "DELETE", `/members/${member.userId}`),
    writes: (_owner, member) => [memberKey(member)],
  },
  "a member who leaves": {
    people: withMember,
    act: (_owner, member) => own(member, "DELETE", "/members/me"),
    writes: (_owner, member) => [memberKey(member)],
  },
  "a suspended person": {
    people: withOperator,
    act: (by, { userId }) => operate(by, "POST", `/people/${userId}/suspend`, suspend),
    writes: (_by, person) => [userKey(person)],
  },
  "sessions that an operator ends": {
    people: withOperator,
    act: (by, { userId }) => operate(by, "POST", `/people/${userId}/sessions/revoke`),
    writes: (_by, person) => [sessionKey(person)],
  },
  "a suspended tenant": {
    people: withOperator,
    act: (by, { tenantId }) => operate(by, "POST", `/tenants/${tenantId}/suspend`, suspend),
    writes: (_by, person) => [tenantKey(person)],
  },
  "a deleted account": {
    people: withMember,
    act: (_owner, member) => own(member, "DELETE", "/auth/me", { password: PASSWORD }),
    writes: (_owner, member) => [userKey(member)],
  },
  "a deleted tenant": {
    people: withMember,
    act: (owner) => own(owner, "DELETE", "/tenant", { password: PASSWORD }),
    writes: (owner) => [tenantKey(owner)],
  },
};

async function reset({ email }: Person) {
  await call("POST", "/auth/forgot-password", { body: { email } });
  const token = tokenIn(await mailTo(email, /reset/i));
  return call("POST", "/auth/reset-password", { body: { token, newPassword: "another pass phrase" } });
}

describe("what is written down", () => {
  test.each(Object.entries(WAYS))("%s", async (_name, { people = alone, act, writes }) => {
    const [first, second = first] = (await people()) as [Person, Person?];
    const before = await revokedOf(first, second);
    const { status } = await act(first, second);
    expect(status).toBe(200);
    const written = (await revokedOf(first, second)).filter((key) => !before.includes(key));
    expect(written).toEqual(writes(first, second).sort());
  });

  test.each(["a suspended person", "a deleted account"])("of %s the tenants too, which stand for them", async (way) => {
    const { people = alone, act } = WAYS[way] as (typeof WAYS)[string];
    const all = (await people()) as [Person, Person];
    const person = all[1] as Person;
    await act(...all);
    const row = env.DB.prepare("SELECT tenants FROM revocations WHERE key = ?").bind(userKey(person));
    expect(JSON.parse((await row.first<string>("tenants")) ?? "[]")).toContain(person.tenantId);
  });

  test("nothing, when nothing changes", async () => {
    const [owner, member] = (await withMember()) as [Person, Person];
    expect((await own(owner, "PATCH", `/members/${owner.userId}`, { role: "viewer" })).status).toBe(409);
    expect((await own(owner, "PATCH", `/members/${member.userId}`, { role: "developer" })).status).toBe(200);
    expect((await own(member, "DELETE", `/members/${owner.userId}`)).status).toBe(403);
    expect((await own(owner, "DELETE", "/members/me")).status).toBe(409);
    const wrong = { currentPassword: "wrong", newPassword: "another pass phrase" };
    expect((await own(owner, "POST", "/auth/change-password", wrong)).status).toBe(401);
    expect((await own(owner, "POST", "/auth/switch-tenant", { tenantId: owner.tenantId })).status).toBe(200);
    expect(await revokedOf(owner, member)).toEqual([]);
  });

  test("nothing, when somebody is suspended again", async () => {
    const [by, person] = (await withOperator()) as [Person, Person];
    for (const path of [`/people/${person.userId}`, `/tenants/${person.tenantId}`]) {
      expect((await operate(by, "POST", `${path}/suspend`, suspend)).status).toBe(200);
      await env.DB.prepare("DELETE FROM revocations").run();
      expect((await operate(by, "POST", `${path}/suspend`, suspend)).status).toBe(200);
      expect(await revokedOf(person)).toEqual([]);
    }
  });

  test("nothing about a session whose last token has expired", async () => {
    const [person] = (await alone()) as [Person];
    await env.DB.prepare("UPDATE sessions SET rotated_at = rotated_at - 960001 WHERE user_id = ?")
      .bind(person.userId)
      .run();
    await call("POST", "/auth/logout", { body: { refreshToken: person.refreshToken } });
    expect(await revokedOf(person)).toEqual([]);
  });

  test("only one file deletes sessions, and it writes what it revokes", () => {
    const sources = import.meta.glob("/src/**/*.ts", { query: "?raw", import: "default", eager: true });
    const isDeleting = (text: unknown) => /DELETE FROM sessions|delete\(sessions\)/.test(String(text));
    const deleting = Object.entries(sources).filter(([, text]) => isDeleting(text));
    expect(deleting.map(([path]) => path)).toEqual(["/src/identity/tokens/revocations-store.ts"]);
  });

  test("every file that takes a membership or changes a role revokes tokens", () => {
    const sources = import.meta.glob("/src/**/*-store.ts", { query: "?raw", import: "default", eager: true });
    const changes =
      /DELETE FROM (memberships|tenants|users) WHERE|UPDATE memberships SET[^`]*\brole = |SET suspended_at = \$/;
    const silent = Object.entries(sources)
      .filter(([, text]) => changes.test(String(text)))
      .filter(([, text]) => !/revocations-store"/.test(String(text)));
    expect(silent.map(([path]) => path)).toEqual([]);
  });
});
