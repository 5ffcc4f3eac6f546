/** The states of an account and of the service in which somebody tries to sign in, and the outcome of the attempt. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { sha256Hex } from "../../src/base/crypto/encoding";
import { newId } from "../../src/base/db/ids";
import { createDeps } from "../../src/base/deps";
import type { GuessPool } from "../../src/base/limits/lock";
import { deleteUser } from "../../src/lifecycle/deletion/account-store";
import { call, newEmail, type Person, signUp, signUpVerified } from "./client";
import { newBrowser } from "./oauth";
import { operate, operator } from "./operators";
import { addPasskey } from "./passkeys";
import { QUIET } from "./sign-in-methods";
import { knownWord } from "./signed-on";
import { codeOf, enrol } from "./two-factor";
import type { Comer, Given, Step, Way } from "./way-to-sign-in";

interface Attempt {
  way: Way;
  comer: Comer;
  given: Given;
  /** Presents the proof. */
  show: Step;
}

export interface State {
  /** Whether the address is unverified, here and at the provider. */
  isUnverified?: true;
  /** Settings and bindings of the service. */
  variables?: (way: Way) => Record<string, unknown>;
  /** What happens between the preparation and the attempt. */
  change?: (attempt: Attempt) => Promise<unknown>;
  /** What is sent besides the proof, if not the right second factor alone. */
  given?: (attempt: Attempt) => Promise<Given>;
}

const run = (query: string, ...values: unknown[]) =>
  env.DB.prepare(query)
    .bind(...values)
    .run();

const locked =
  (pool: GuessPool) =>
  async ({ comer }: Attempt) => {
    const { guesses } = await createDeps({ ...env, ...QUIET }, createExecutionContext());
    for (let guess = 0; guess < 10; guess += 1) await guesses.check(pool, comer.email, async () => null);
  };

let operating: Promise<Person> | undefined;

async function suspend(path: string): Promise<void> {
  operating ??= operator();
  const { status } = await operate(await operating, "POST", `${path}/suspend`, { reason: "a test" });
  if (status !== 200) throw new Error(`suspend answered ${status}`);
}

/** The comer's tenant; for somebody who has no account yet, the tenant that invites them. */
const tenantOf = async ({ userId, tenantId }: Comer) =>
  (await env.DB.prepare("SELECT tenant_id FROM memberships WHERE user_id = ?")
    .bind(userId)
    .first<string>("tenant_id")) ?? tenantId;

/** Has all tenants of the comer require sign-on, or the one that invites them. */
const requireSignOn =
  (role: "member" | "owner") =>
  async ({ comer: { userId, tenantId } }: Attempt) => {
    await run("UPDATE memberships SET role = ? WHERE user_id = ?", role, userId);
    await run(
      `UPDATE tenants SET sign_on = 'all', sign_on_from = 1, sign_on_begun_at = 1
       WHERE id = ? OR id IN (SELECT tenant_id FROM memberships WHERE user_id = ?)`,
      tenantId,
      userId,
    );
  };

async function deleteAccount({ comer: { userId } }: Attempt): Promise<void> {
  await run("UPDATE users SET totp_enabled_at = NULL WHERE id = ?", userId);
  const hash = env.DB.prepare("SELECT password_hash FROM users WHERE id = ?").bind(userId);
  const passwordHash = (await hash.first<string>("password_hash")) ?? "";
  const deletion = { userId, passwordHash, factor: null, deleteTenants: true, tellsUnverified: false, requestId: null };
  const { kind } = await deleteUser(
    await createDeps({ ...env, ...QUIET }, createExecutionContext()),
    deletion,
    Date.now(),
  );
  if (kind !== "deleted") throw new Error(`the deletion was ${kind}`);
}

async function leaveAll({ comer: { userId } }: Attempt): Promise<void> {
  await run("DELETE FROM memberships WHERE user_id = ?", userId);
  await run("DELETE FROM sessions WHERE user_id = ?", userId);
}

/** A binding whose objects fail. */
const broken = {
  idFromName: () => "id",
  get: () => new Proxy({}, { get: () => () => Promise.reject(new Error("the object is down")) }),
};

const turnOn = ({ comer }: Attempt) => run("UPDATE users SET totp_enabled_at = 1 WHERE id = ?", comer.userId);
const PROVIDERS_OFF = Object.fromEntries(
  ["GOOGLE_CLIENT", "GITHUB_CLIENT", "MICROSOFT_CLIENT", "OIDC_CLIENT"].flatMap((name) => [
    [`${name}_ID`, ""],
    [`${name}_SECRET`, ""],
  ]),
);

/** The order matters: what the last ones change cannot be changed back. */
export const STATES = {
  fine: {},
  wrong: { given: async ({ given }) => ({ ...given, wrong: true }) },
  used: {
    async change({ comer, show, given }) {
      const jar = [...comer.browser.jar];
      await show(given);
      for (const [name, value] of jar) comer.browser.jar.set(name, value);
    },
  },
  no2: { change: turnOn, given: async () => ({}) },
  bad2: { change: turnOn, given: async () => ({ totp: "000000" }) },
  old2: {
    change: async ({ comer }) => {
      await run("UPDATE users SET totp_last_step = 1e12 WHERE id = ?", comer.userId);
      await run("UPDATE recovery_codes SET used_at = 1 WHERE user_id = ?", comer.userId);
    },
  },
  lock1: { change: locked("password") },
  lock2: { change: locked("totp") },
  limit: {
    variables: ({ limit }) => ({ RATE_LIMITS: JSON.stringify({ [limit]: { limit: 1, windowSeconds: 60 } }) }),
    // A refused attempt counts too. It must not end a session that the way keeps.
    change: ({ way, show }) => show(way.keeps ? { tenantId: "none" } : { wrong: true }),
  },
  down: { variables: () => ({ RATE_LIMITER: broken }) },
  nolck: { variables: () => ({ ACCOUNT_LOCK: broken }) },
  susp: { change: ({ comer }) => suspend(`/people/${comer.userId}`) },
  tsusp: { change: async ({ comer }) => suspend(`/tenants/${await tenantOf(comer)}`) },
  must: { change: requireSignOn("member") },
  glass: { change: requireSignOn("owner") },
  other: { given: async ({ given }) => ({ ...given, tenantId: (await signUp()).tenantId }) },
  cap: { variables: () => ({ MAX_SESSIONS_PER_USER: "1" }) },
  invit: { variables: () => ({ REGISTRATION: "invite" }) },
  human: {
    variables: () => ({
      TURNSTILE_SITE_KEY: "1x00000000000000000000AA",
      TURNSTILE_SECRET: "1x0000000000000000000000000000000AA",
    }),
  },
  off: { variables: () => ({ MAIL_CODE: "off", OIDC_ISSUER: "", ...PROVIDERS_OFF }) },
  nopas: { variables: () => ({ PASSWORDS: "off" }) },
  nopt: { variables: () => ({ PERSONAL_TENANTS: "off" }), change: leaveAll },
  alone: { change: leaveAll },
  optnl: { isUnverified: true, variables: () => ({ EMAIL_VERIFICATION: "optional" }) },
  unver: { isUnverified: true },
  gone: { change: deleteAccount },
} satisfies Record<string, State>;

/** Somebody who signs in by one way, and whose account is used for one state after the other. */
export interface Traveller {
  person: Person & Partial<Pick<Comer, "passkey" | "sub" | "word">>;
  /** Returns a valid code of the second factor at each call. */
  code: () => string | undefined;
}

const NOBODY = { email: "", token: "", refreshToken: "", userId: "", tenantId: "" };

export async function newTraveller(way: Way): Promise<Traveller> {
  if (way.isNew) return { person: way.isNew === true ? NOBODY : await signUpVerified(), code: () => undefined };
  const person = await signUpVerified();
  const { userId, token } = person;
  const passkey = way.has === "passkey" ? { passkey: await addPasskey(person) } : {};
  const word = way.has === "subject" ? { word: await knownWord(person) } : {};
  const sub = way.has === "identity" ? { sub: `sub-${crypto.randomUUID()}` } : {};
  if (sub.sub) {
    await run(
      `INSERT INTO identities (issuer, sub, id, user_id, provider, email, created_at)
       VALUES ('https://id.issuer.example', ?, ?, ?, 'oidc', 'a@example.com', 1)`,
      sub.sub,
      crypto.randomUUID(),
      userId,
    );
  }
  const traveller = { person: { ...person, ...passkey, ...sub, ...word } };
  if (way.keeps) return { ...traveller, code: () => undefined };
  const secret = await enrol(person);
  if (way.factor !== "recovery") return { ...traveller, code: () => (way.factor ? codeOf(secret) : undefined) };
  const { body } = await call("POST", "/auth/2fa/recovery-codes", { token, body: { token: codeOf(secret) } });
  return { ...traveller, code: () => body.data.recoveryCodes[0] };
}

/** Gives the traveller a new address, and an account in its normal state. */
async function fresh({ person }: Traveller, way: Way, isVerified: boolean, variables: Record<string, unknown>) {
  const { userId, tenantId } = person;
  const comer: Comer = { ...person, email: newEmail(), isVerified, browser: newBrowser(variables) };
  if (way.isNew === "invited") {
    const [id, token] = [crypto.randomUUID(), crypto.randomUUID()];
    const soon = Date.now() + 60_000;
    await env.DB.batch([
      env.DB.prepare(
        `INSERT INTO invitations (id, tenant_id, email, role, invited_by, created_at, expires_at)
         VALUES (?, ?, ?, 'viewer', ?, 1, ?)`,
      ).bind(id, tenantId, comer.email, userId, soon),
      env.DB.prepare(
        "INSERT INTO email_tokens (hash, purpose, subject_id, created_at, expires_at) VALUES (?, 'invite', ?, 1, ?)",
      ).bind(await sha256Hex(token), id, soon),
      env.DB.prepare("UPDATE tenants SET sign_on = NULL, sign_on_from = NULL WHERE id = ?").bind(tenantId),
    ]);
    return { ...comer, userId: "", invitationToken: token };
  }
  if (way.isNew) return comer;
  await env.DB.batch([
    env.DB.prepare(
      `UPDATE users SET email = ?, email_verified_at = ?, suspended_at = NULL, totp_last_step = 0, totp_enabled_at = ?
       WHERE id = ?`,
    ).bind(comer.email, isVerified ? 1 : null, way.factor ? 1 : null, userId),
    env.DB.prepare("UPDATE recovery_codes SET used_at = NULL WHERE user_id = ?").bind(userId),
    env.DB.prepare(
      "UPDATE tenants SET suspended_at = NULL, sign_on = NULL, sign_on_from = NULL WHERE id IN (SELECT tenant_id" +
        " FROM memberships WHERE user_id = ?)",
    ).bind(userId),
    ...(way.has ? [] : [env.DB.prepare("DELETE FROM identities WHERE user_id = ?").bind(userId)]),
  ]);
  return comer;
}

/**
 * Reads the sessions and audit events of somebody whose account may be new. Ids begin with their time, so `since` can
 * be an id.
 */
async function found({ email, userId }: Comer, since: string) {
  const id = "coalesce((SELECT id FROM users WHERE email = ?), ?)";
  const [sessions, events] = await env.DB.batch<{ isNew: 0 | 1; action: string }>([
    env.DB.prepare(`SELECT id > ? AS isNew FROM sessions WHERE user_id = ${id}`).bind(since, email, userId),
    env.DB.prepare(
      `SELECT action FROM audit_events WHERE coalesce(actor_id, target_id) = ${id} AND id > ? ORDER BY action`,
    ).bind(email, userId, since),
  ]);
  return { sessions: sessions?.results ?? [], events: events?.results ?? [] };
}

export interface Outcome {
  status: number;
  /** The code of the error; undefined on a page. */
  code: string | undefined;
  /** How many sessions it has opened, and how many there are now. */
  opened: number;
  sessions: number;
  /** The actions that it has left in the audit log, sorted. */
  recorded: string[];
}

/** Tries one way to sign in, in one state. */
export async function attempt(traveller: Traveller, way: Way, state: State): Promise<Outcome> {
  // A browser with variables of its own waits for what is recorded after the response.
  const variables: Record<string, unknown> = { ...QUIET, ...way.variables };
  const comer = await fresh(traveller, way, !state.isUnverified, variables);
  const show = await way.prepare(comer);
  const totp = traveller.code();
  const given = totp === undefined ? {} : { totp };
  Object.assign(variables, state.variables?.(way));
  await state.change?.({ way, comer, given, show });
  const sent = (await state.given?.({ way, comer, given, show })) ?? given;
  const since = newId();
  const { status, body } = await show(sent);
  const { sessions, events } = await found(comer, since);
  return {
    status,
    code: body?.code,
    opened: sessions.filter(({ isNew }) => isNew === 1).length,
    sessions: sessions.length,
    recorded: events.map(({ action }) => action),
  };
}
