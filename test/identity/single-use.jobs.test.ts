/** A code or a password is used once, whatever happens at the same time. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import worker from "../../src";
import { createDeps } from "../../src/base/deps";
import { reencrypt } from "../../src/service/reencryption/reencrypt";
import { type Answer, call, PASSWORD, type Person, signUpVerified } from "../support/client";
import { codeOf, enrol } from "../support/two-factor";
import { maintain } from "../support/upkeep";

const MINUTE_MS = 60_000;
const NEW_KEY = "f1d2d2f924e986ac86fdf7b36c94bcdf32beec15f1d2d2f924e986ac86fdf7b3";
const sources = import.meta.glob("../../src/**/*.{ts,tsx}", { query: "?raw", import: "default", eager: true });

afterEach(() => void vi.useRealTimers());

/** A new minute, in which the limits per minute start anew. */
function nextMinute(): void {
  const now = Date.now();
  vi.useFakeTimers({ toFake: ["Date"], now: now + MINUTE_MS });
}

const count = (answers: Answer[], status: number) => answers.filter((answer) => answer.status === status).length;
const twoFactor = (person: Person, action: string, token: string) =>
  call("POST", `/auth/2fa/${action}`, { token: person.token, body: { token } });
const loginWith = (person: Person, fields: Record<string, unknown> = {}) =>
  call("POST", "/auth/login", { body: { email: person.email, password: PASSWORD, ...fields } });

describe("parallel uses of one proof", () => {
  test("of 10 parallel requests to turn two-factor authentication off with one code, one succeeds", async () => {
    const person = await signUpVerified();
    const secret = await enrol(person);
    nextMinute();
    const code = codeOf(secret);
    const answers = await Promise.all(Array.from({ length: 10 }, () => twoFactor(person, "disable", code)));
    expect(count(answers, 200)).toBe(1);
    expect(count(answers, 400) + count(answers, 401)).toBe(9);
    expect((await loginWith(person)).status).toBe(200);
  });

  test("a code that was used before turns nothing off, and says so", async () => {
    const person = await signUpVerified();
    const secret = await enrol(person);
    const code = codeOf(secret, 1);
    expect((await loginWith(person, { totp: code })).status).toBe(200);
    const refused = await twoFactor(person, "disable", code);
    expect([refused.status, refused.body.code]).toEqual([401, "INVALID_TOTP"]);
    expect((await loginWith(person)).body.code).toBe("TOTP_REQUIRED");
    // What was used up is never told by `changes()`. The audit log asks it about the statement right before; `CHANGES`
    // counts removed rows.
    const askers = Object.entries(sources).filter(([, text]) => text.includes("changes()"));
    expect(askers.map(([path]) => path)).toEqual([
      "../../src/base/db/client.ts",
      // The policy: nothing is used up there.
      "../../src/identity/policy/store.ts",
      // Apps: whether a client or what is said of it has changed, and whether a sign-in was stored. That a code was
      // used is told by its row in `used_states`.
      "../../src/oauth/apps/rules/store.ts",
      "../../src/oauth/clients/logout-store.ts",
      "../../src/oauth/clients/store.ts",
      "../../src/oauth/tokens/store.ts",
      // An operator's move of a domain: it is given only if it was taken from somebody.
      "../../src/service/domains/move-store.ts",
      // Moves: it tells whether the statement before it has changed the move.
      "../../src/service/moves/store.ts",
      // Sign-on: nothing is used up there. Whether a connection was made or activated, a domain was claimed, a role was
      // changed and recorded, and a test of this version was stored.
      "../../src/sign-on/connections/store.ts",
      "../../src/sign-on/domains/store.ts",
      "../../src/sign-on/people/membership-store.ts",
      "../../src/sign-on/traces/store.ts",
      "../../src/tenancy/audit/record-store.ts",
      // Records: whether a claim still holds all of the attempts; a second record of one finds it ended.
      "../../src/webhooks/delivery/record-plain-store.ts",
      // Event types: nothing is used up there.
      "../../src/webhooks/event-types/change-store.ts",
      // Events: how many deliveries the statement before has written. Whether a key was used is told by its row.
      "../../src/webhooks/events/written-deliveries-store.ts",
    ]);
    const counting = Object.entries(sources).filter(([, text]) =>
      /\bCHANGES\b[^}]*\} from "[^"]*db\/client"/.test(text),
    );
    // Removals page by page, the anonymising of an account's tenants, and moves.
    const pages = ["feeds/retention-", "audit/retention-", "webhooks/retention/", "pages-", "user-steps-", "ending-"];
    const allowed = new RegExp(`(${[...pages, "moves/(copy|clean)-"].join("|")})store|db/table-search`);
    for (const [path] of counting) expect(path).toMatch(allowed);
  });

  test("of 10 parallel requests for recovery codes with one code, one succeeds, and its codes are the ones that work", async () => {
    const person = await signUpVerified();
    const secret = await enrol(person);
    nextMinute();
    const code = codeOf(secret);
    const answers = await Promise.all(Array.from({ length: 10 }, () => twoFactor(person, "recovery-codes", code)));
    const sets = answers.filter(({ status }) => status === 200).map(({ body }) => body.data.recoveryCodes as string[]);
    expect(sets).toHaveLength(1);
    const stored = await env.DB.prepare("SELECT count(*) AS n FROM recovery_codes WHERE user_id = ?")
      .bind(person.userId)
      .first();
    expect(stored).toEqual({ n: 10 });
    for (const totp of sets[0]?.slice(0, 2) ?? []) expect((await loginWith(person, { totp })).status).toBe(200);
  });

  test("of 8 parallel changes of a password one succeeds, and its password is the one that works", async () => {
    const person = await signUpVerified();
    const passwordOf = (index: number) => `a much better password ${index}`;
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        call("POST", "/auth/change-password", {
          token: person.token,
          body: { currentPassword: PASSWORD, newPassword: passwordOf(index) },
        }),
      ),
    );
    const winner = answers.findIndex(({ status }) => status === 200);
    expect(count(answers, 200)).toBe(1);
    expect(answers.filter(({ body }) => body.code === "WRONG_PASSWORD")).toHaveLength(7);
    expect((await loginWith(person, { password: passwordOf(winner) })).status).toBe(200);
  });
});

describe("a TOTP code", () => {
  test("of a step before the last used one is refused, also while it would still be in time", async () => {
    const person = await signUpVerified();
    const secret = await enrol(person);
    const [earlier, later] = [codeOf(secret), codeOf(secret, 1)];
    expect((await loginWith(person, { totp: later })).status).toBe(200);
    expect((await loginWith(person, { totp: earlier })).body.code).toBe("INVALID_TOTP");
  });

  test("is right although SECRET_KEYS is rotated between reading the secret and using the code", async () => {
    const person = await signUpVerified();
    const secret = await enrol(person);
    const rotated = { SECRET_KEYS: `${NEW_KEY},${env.SECRET_KEYS}` };
    const ciphertext = () =>
      env.DB.prepare("SELECT totp_secret_encrypted AS text FROM users WHERE id = ?")
        .bind(person.userId)
        .first<string>("text");
    const before = await ciphertext();
    const database = {
      prepare: env.DB.prepare.bind(env.DB),
      batch: async (statements: D1PreparedStatement[]) => {
        await maintain(await createDeps({ ...env, ...rotated }, createExecutionContext()), reencrypt);
        return env.DB.batch(statements);
      },
    } as unknown as D1Database;
    const context = createExecutionContext();
    const request = new Request<unknown, IncomingRequestCfProperties>("http://postern.test/api/v1/auth/login", {
      method: "POST",
      headers: { "content-type": "application/json", "cf-connecting-ip": "198.51.100.14" },
      body: JSON.stringify({ email: person.email, password: PASSWORD, totp: codeOf(secret, 1) }),
    });
    const response = await worker.fetch(request, { ...env, ...rotated, DB: database }, context);
    await waitOnExecutionContext(context);
    expect(response.status).toBe(200);
    expect(await ciphertext()).not.toBe(before);
  });
});
