/** Caps: the write that adds one decides, so of 50 parallel requests exactly the cap gets through. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { SETTINGS } from "../../src/base/config/config";
import { sha256Hex } from "../../src/base/crypto/encoding";
import { newId } from "../../src/base/db/ids";
import { createDeps } from "../../src/base/deps";
import { CAPS } from "../../src/base/limits/caps";
import { BUDGETS, RULES } from "../../src/base/limits/rules";
import { signAccessToken } from "../../src/base/signers/jwt";
import { call, newEmail, PASSWORD, type Person, signUp, signUpVerified, verify } from "../support/client";
import { holding } from "../support/console";
import { callUnder } from "../support/overrides";

const PARALLEL = 50;
const CAP = 3;
/** Fifty password hashes, beside other test files. */
const HASHES_TIMEOUT_MS = 90_000;
const times = <T>(make: (index: number) => T) => Array.from({ length: PARALLEL }, (_, index) => make(index));

/** No rate limit is in the way. */
const UNLIMITED = JSON.stringify(
  Object.fromEntries(Object.entries(RULES).map(([name, rule]) => [name, { ...rule, limit: 10_000 }])),
);
const under = (name: keyof typeof CAPS) => ({ RATE_LIMITS: UNLIMITED, [CAPS[name].variable]: String(CAP) });

const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status).sort();
const exactly = (success: number) => [...Array(CAP).fill(success), ...Array(PARALLEL - CAP).fill(409)];

async function refusal(answers: { status: number; body: { code: string; message: string } }[]) {
  const refused = answers.find(({ status }) => status === 409);
  return [refused?.body.code, refused?.body.message];
}

/** An open invitation, whose token nobody had to read from a mail. */
async function openInvitation(owner: Person, email: string): Promise<string> {
  const [id, token, now] = [newId(), crypto.randomUUID(), Date.now()];
  await env.DB.batch([
    env.DB.prepare(
      `INSERT INTO invitations (id, tenant_id, email, role, invited_by, created_at, expires_at)
        VALUES (?, ?, ?, 'viewer', ?, ?, ?)`,
    ).bind(id, owner.tenantId, email, owner.userId, now, now + 60_000),
    env.DB.prepare(
      "INSERT INTO email_tokens (hash, purpose, subject_id, created_at, expires_at) VALUES (?, 'invite', ?, ?, ?)",
    ).bind(await sha256Hex(token), id, now, now + 60_000),
  ]);
  return token;
}

/** A signed-in user with a tenant of their own, without the work of a password hash. */
async function cheapUser(): Promise<{ email: string; token: string }> {
  const deps = await createDeps(env, createExecutionContext());
  const claims = { userId: newId(), sessionId: newId(), tenantId: newId() };
  const { userId, sessionId, tenantId } = claims;
  const email = newEmail();
  await env.DB.batch([
    env.DB.prepare("INSERT INTO users (id, email, password_hash, created_at) VALUES (?, ?, '', 0)").bind(userId, email),
    env.DB.prepare("INSERT INTO tenants (id, name, created_by, created_at) VALUES (?, 'Own', ?, 0)").bind(
      tenantId,
      userId,
    ),
    env.DB.prepare("INSERT INTO memberships (tenant_id, user_id, role, created_at) VALUES (?, ?, 'owner', 0)").bind(
      tenantId,
      userId,
    ),
    env.DB.prepare(
      `INSERT INTO sessions (id, user_id, tenant_id, generation, refresh_token_hash, rotated_at, created_at, expires_at,
        last_activity_at)
        VALUES (?1, ?2, ?3, 1, ?1, ?4, ?4, ?4 + 3600000, ?4)`,
    ).bind(sessionId, userId, tenantId, deps.now()),
  ]);
  const token = await signAccessToken(
    deps,
    {
      ...claims,
      role: "owner",
      authenticatedAt: 0,
      methods: [],
      externalId: null,
      metadata: {},
      tenantExternalId: null,
      secondFactorDueAt: null,
      connectionId: null,
      idpAcr: null,
    },
    deps.now(),
  );
  return { email, token };
}

const countOf = (table: string, column: string, value: string) =>
  env.DB.prepare(`SELECT count(*) AS count FROM ${table} WHERE ${column} = ?`).bind(value).first<number>("count");

describe("of 50 parallel requests exactly the cap gets through", () => {
  const newKey = (token: string) => ({
    path: "/api/v1/api-keys",
    token,
    body: { name: "ci", scopes: ["webhook.read"] },
  });

  test("active API keys per user", async () => {
    const { token, userId } = await signUp();
    const answers = await Promise.all(times(() => callUnder(under("apiKeys"), newKey(token))));
    expect(statuses(answers)).toEqual(exactly(201));
    expect(await refusal(answers)).toEqual(["CONFLICT", "A user can have at most 3 active API keys."]);
    expect(await countOf("api_keys", "user_id", userId)).toBe(CAP);
  });

  const newSubscription = (token: string) => ({
    path: "/api/v1/webhooks",
    token,
    body: { name: "shop", url: "https://shop.example/hook", events: ["OrderPaid"], secret: "hush" },
  });

  test("subscriptions per tenant; a deleted one makes room", async () => {
    const { token } = await signUpVerified();
    const create = () => callUnder(under("subscriptions"), newSubscription(token));
    const answers = await Promise.all(times(create));
    expect(statuses(answers)).toEqual(exactly(201));
    expect(await refusal(answers)).toEqual(["CONFLICT", "A tenant can have at most 3 subscriptions."]);
    const [first] = (await call("GET", "/webhooks", { token })).body.data;
    expect((await call("DELETE", `/webhooks/${first._id}`, { token })).status).toBe(200);
    expect([(await create()).status, (await create()).status]).toEqual([201, 409]);
  });

  test("subscriptions of a tenant without a verified owner: five, until an owner verifies", async () => {
    const person = await signUp();
    const create = () => callUnder({ RATE_LIMITS: UNLIMITED }, newSubscription(person.token));
    const answers = await Promise.all(times(create));
    expect(statuses(answers)).toEqual([...Array(5).fill(201), ...Array(PARALLEL - 5).fill(403)]);
    const refused = answers.find(({ status }) => status === 403);
    expect(refused?.body).toMatchObject({ code: "EMAIL_NOT_VERIFIED", message: "Verify your email to go on." });
    const optional = await callUnder({ EMAIL_VERIFICATION: "optional" }, newSubscription(person.token));
    expect(optional.status).toBe(201);
    await verify(person.email);
    expect((await create()).status).toBe(201);
  });

  test("open invitations per tenant", async () => {
    const { token, tenantId } = await signUpVerified();
    const invite = () => ({ path: "/api/v1/invitations", token, body: { email: newEmail(), role: "viewer" } });
    const answers = await Promise.all(times(() => callUnder(under("invitations"), invite())));
    expect(statuses(answers)).toEqual(exactly(201));
    expect(await refusal(answers)).toEqual(["CONFLICT", "A tenant can have at most 3 open invitations."]);
    expect(await countOf("invitations", "tenant_id", tenantId)).toBe(CAP);
  });

  test(
    "members per tenant, by registration with an invitation; who is refused has no account",
    async () => {
      const owner = await signUp();
      const guests = await Promise.all(
        times(async () => {
          const email = newEmail();
          return { email, password: PASSWORD, invitationToken: await openInvitation(owner, email) };
        }),
      );
      const answers = await Promise.all(
        guests.map((body) => callUnder(under("members"), { path: "/api/v1/auth/register", body })),
      );
      expect(statuses(answers)).toEqual([...Array(CAP - 1).fill(201), ...Array(PARALLEL - CAP + 1).fill(409)]);
      expect(await refusal(answers)).toEqual(["CONFLICT", "A tenant can have at most 3 members."]);
      expect(await countOf("memberships", "tenant_id", owner.tenantId)).toBe(CAP);
      const emails = JSON.stringify(guests.map(({ email }) => email));
      const accounts = await env.DB.prepare(
        "SELECT count(*) AS count FROM users WHERE email IN (SELECT value FROM json_each(?))",
      )
        .bind(emails)
        .first<number>("count");
      expect(accounts).toBe(CAP - 1);
    },
    HASHES_TIMEOUT_MS,
  );

  test("members per tenant, by acceptance; the invitation stays open for when there is room", async () => {
    const owner = await signUp();
    const guests = await Promise.all(
      times(async () => {
        const guest = await cheapUser();
        return { guest, token: await openInvitation(owner, guest.email) };
      }),
    );
    const answers = await Promise.all(
      guests.map(({ guest, token }) =>
        callUnder(under("members"), { path: "/api/v1/invitations/accept", token: guest.token, body: { token } }),
      ),
    );
    expect(statuses(answers)).toEqual([...Array(CAP - 1).fill(200), ...Array(PARALLEL - CAP + 1).fill(409)]);
    expect(await countOf("memberships", "tenant_id", owner.tenantId)).toBe(CAP);
    const refused = guests[answers.findIndex(({ status }) => status === 409)];
    const again = { token: refused?.guest.token, body: { token: refused?.token } };
    expect((await call("POST", "/invitations/accept", again)).status).toBe(200);
  });

  test(
    "sessions per user: the oldest end",
    async () => {
      const person = await signUp();
      await verify(person.email);
      const login = { path: "/api/v1/auth/login", body: { email: person.email, password: PASSWORD } };
      expect(statuses(await Promise.all(times(() => callUnder(under("sessions"), login))))).toEqual(times(() => 200));
      expect(await countOf("sessions", "user_id", person.userId)).toBe(CAP);
      expect((await call("GET", "/auth/me", { token: person.token })).status).toBe(401);
      const newest = await callUnder(under("sessions"), login);
      expect((await call("GET", "/auth/me", { token: newest.body.data.accessToken })).status).toBe(200);
    },
    HASHES_TIMEOUT_MS,
  );
});

describe("a cap counts", () => {
  test("API keys that work, not revoked or expired ones", async () => {
    const { token, userId } = await signUp();
    await env.DB.batch(
      [
        ["revoked_at", 1],
        ["expires_at", 1],
      ].map(([column, value]) =>
        env.DB.prepare(
          `INSERT INTO api_keys (id, tenant_id, user_id, name, prefix, key_hash, scopes, created_at, ${column})
            VALUES (?1, 'any', ?2, 'old', 'ak_', ?1, '[]', 0, ?3)`,
        ).bind(newId(), userId, value),
      ),
    );
    const body = { name: "ci", scopes: ["webhook.read"] };
    const answers = [];
    for (let key = 0; key <= CAP; key += 1) {
      answers.push((await callUnder(under("apiKeys"), { path: "/api/v1/api-keys", token, body })).status);
    }
    expect(answers).toEqual([201, 201, 201, 409]);
  });

  test("the console's writes too, and its page says so", async () => {
    const person = await signUp();
    const now = Date.now();
    const key = (id: string) =>
      env.DB.prepare(
        `INSERT INTO api_keys (id, tenant_id, user_id, name, prefix, key_hash, scopes, created_at)
          VALUES (?1, ?2, ?3, 'ci', 'ak_', ?1, '[]', ?4)`,
      ).bind(id, person.tenantId, person.userId, now);
    await env.DB.batch(Array.from({ length: CAPS.apiKeys.limit }, () => key(newId())));
    const page = await (await holding(person)).post("/api-keys", { name: "one more", scopes: ["webhook.read"] });
    expect(page.status).toBe(409);
    expect(page.html).toContain("A user can have at most 50 active API keys.");
  });
});

test("wrangler.toml repeats the caps and budgets of the code", () => {
  const figures = [
    ...Object.values(CAPS).map(({ variable, limit }) => [variable, String(limit)]),
    ...Object.values(BUDGETS).map(({ variable, perMinute }) => [variable, String(perMinute)]),
  ];
  for (const [variable = "", figure] of figures) {
    expect([variable, (env as unknown as Record<string, string>)[variable]]).toEqual([variable, figure]);
    expect(SETTINGS.map(({ name }) => name)).toContain(variable);
  }
});
