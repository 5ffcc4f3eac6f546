/**
 * One person who signs on, whom a directory brings, deactivates and removes, whom an owner removes and who accepts an
 * invitation, all at once: 30 orders of what reaches the database, new ones each time. `INTERLEAVINGS=500` tries as
 * many as one likes. They call what is behind most routes, because the limiter would cost many times as much.
 */
import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";
import worker from "../../src";
import { sha256Hex } from "../../src/base/crypto/encoding";
import { createDeps, type Deps } from "../../src/base/deps";
import { AppError } from "../../src/base/errors";
import { userActor } from "../../src/base/schemas/actor";
import type { ClientContext } from "../../src/base/schemas/client-context";
import type { SessionPrincipal } from "../../src/base/schemas/principal";
import { acceptInvitation } from "../../src/identity/invitations/invite";
import { removeAndTell } from "../../src/identity/members/changes";
import { signOn } from "../../src/sign-on/people/sign-on";
import { SignOnRefused } from "../../src/sign-on/refused";
import type { SignedOn } from "../../src/sign-on/signed-on";
import { type Random, seeded } from "../support/faults/random";
import { type Directory, newDirectory, newUser, scim } from "../support/scim";
import { one, wordOf } from "../support/signed-on";
import { inTurns, type Work } from "../support/turns";

const ROUNDS = Number(env.INTERLEAVINGS);
const SEED = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
/** Fewer than a directory may send in a minute. */
const ROUNDS_OF_DIRECTORY = 200;
const ORIGIN = { ip: "192.0.2.1", userAgent: null, requestId: null };
const CLIENT: ClientContext = {
  device: {
    kind: "Firefox on Linux",
    place: "DE",
    deviceName: null,
    browser: null,
    operatingSystem: null,
    platform: null,
    ipAddress: "192.0.2.1",
    location: null,
  },
  locale: null,
  origin: ORIGIN,
};

let directory: Directory;

/** Somebody, as the provider, the directory and the invitation name them. */
interface Somebody {
  word: SignedOn & { email: string };
  /** The account that they have before; null: none. */
  userId: string | null;
  /** The record that the directory has before; null: none. */
  recordId: string | null;
  invitation: string;
}

const run = (sql: string, ...values: unknown[]) => env.DB.prepare(sql).bind(...values);

/** Calls what is behind a route. The work returns the reason for which that is refused. */
const behind =
  (act: (deps: Deps) => Promise<unknown>): Work<unknown> =>
  async (bindings, context) => {
    try {
      return await act(await createDeps(bindings, context));
    } catch (error) {
      if (error instanceof SignOnRefused) return error.reason;
      if (error instanceof AppError) return error.code;
      throw error;
    }
  };

const signsOn = ({ word }: Somebody) =>
  behind(async (deps) => {
    const opened = await signOn(deps, { ...word, stateId: crypto.randomUUID() }, undefined, CLIENT);
    return opened && "in";
  });

/** A request of the directory. */
const calls =
  (method: string, path: string, body?: unknown): Work<unknown> =>
  async (bindings, context) => {
    const url = `http://postern.test/scim/v2/${directory.connection.id}${path}`;
    const headers = { authorization: `Bearer ${directory.token}`, "content-type": "application/scim+json" };
    const sent = body === undefined ? null : JSON.stringify(body);
    const request = new Request<unknown, IncomingRequestCfProperties>(url, { method, headers, body: sent });
    return `${method} ${(await worker.fetch(request, bindings, context)).status}`;
  };

const recordOf = ({ word }: Somebody, active: boolean) =>
  newUser(directory, {
    userName: word.email,
    externalId: word.subject,
    emails: [{ value: word.email, primary: true }],
    active,
  });

const sets = ({ recordId }: Somebody, active: boolean): Work<unknown> =>
  calls("PATCH", `/Users/${recordId}`, { Operations: [{ op: "replace", path: "active", value: active }] });

/** What can happen to somebody. Null: not to this person. */
const WORKS: Record<string, (person: Somebody, random: Random) => Work<unknown> | null> = {
  "sign-on": signsOn,
  "another sign-on": signsOn,
  "the directory": (person, random) => {
    if (person.recordId === null) return calls("POST", "/Users", recordOf(person, random.chance(0.5)));
    const gone = random.pick(["inactive", "removed"]);
    return gone === "removed" ? calls("DELETE", `/Users/${person.recordId}`) : sets(person, false);
  },
  "the directory, again": (person) => (person.recordId === null ? null : sets(person, true)),
  "an owner": (person) => async (bindings, context) => {
    const found = await one<{ id: string }>("SELECT id FROM users WHERE email = ?", person.word.email);
    const { userId: actorId, tenantId, email } = directory.owner;
    const actor = userActor({ userId: actorId, email, sessionId: "" }, ORIGIN);
    const change = { tenantId, actorId, userId: found?.id ?? "nobody", actor, isConfirmed: true };
    return behind((deps) => removeAndTell(deps, change, email))(bindings, context);
  },
  "an invitation": ({ word, userId, invitation }) => {
    if (userId === null) return null;
    const actor = userActor({ userId, email: word.email, sessionId: "" }, ORIGIN);
    const caller = { userId, tenantId: "", actor, account: { email: word.email } } as SessionPrincipal;
    return behind((deps) => acceptInvitation(deps, caller, invitation));
  },
};

/** Whoever has an account from the beginning. An owner is known already, or would be asked for a mailed code. */
function accountOf({ word }: Somebody, userId: string, begins: "account" | "unverified" | "owner") {
  const { tenantId, connectionId, subject, email } = word;
  const user = "INSERT INTO users (id, email, password_hash, email_verified_at, created_at) VALUES (?, ?, 'x', ?, 1)";
  const isOwner = "INSERT INTO memberships (tenant_id, user_id, role, created_at) VALUES (?, ?, 'owner', 1)";
  const known = `INSERT INTO connection_identities (connection_id, generation, subject, id, user_id, email, is_maker,
    created_at) VALUES (?, 1, ?, ?, ?, ?, 0, 1)`;
  return [
    run(user, userId, email, begins === "unverified" ? null : 1),
    ...(begins === "owner"
      ? [run(isOwner, tenantId, userId), run(known, connectionId, subject, crypto.randomUUID(), userId, email)]
      : []),
  ];
}

async function invitationOf({ word, invitation }: Somebody) {
  const [id, now] = [crypto.randomUUID(), Date.now()];
  const invited = `INSERT INTO invitations (id, tenant_id, email, role, invited_by, created_at, expires_at)
    VALUES (?1, ?2, ?3, 'viewer', '', ?4, ?4 + 3600000)`;
  const token = `INSERT INTO email_tokens (hash, purpose, subject_id, created_at, expires_at)
    VALUES (?1, 'invite', ?2, ?3, ?3 + 3600000)`;
  return [run(invited, id, word.tenantId, word.email, now), run(token, await sha256Hex(invitation), id, now)];
}

/** Somebody new: with an account or without, known to the directory or not, a member, an owner or neither. */
async function somebody(random: Random): Promise<Somebody> {
  const email = `p-${crypto.randomUUID()}@${directory.connection.domain}`;
  const word = { ...wordOf(directory.connection), email };
  const person: Somebody = { word, userId: null, recordId: null, invitation: crypto.randomUUID() };
  const begins = random.pick(["unknown", "account", "unverified", "owner", "signed on", "signed on"] as const);
  if (begins === "signed on") {
    await inTurns(random, [signsOn(person)]);
    person.userId = (await one<{ id: string }>("SELECT id FROM users WHERE email = ?", email))?.id ?? null;
  } else if (begins !== "unknown") {
    person.userId = crypto.randomUUID();
    await env.DB.batch(accountOf(person, person.userId, begins));
  }
  if (random.chance(0.6)) {
    const { body } = await scim(directory, "POST", "/Users", { body: recordOf(person, random.chance(0.8)) });
    person.recordId = body.id;
  }
  await env.DB.batch(await invitationOf(person));
  return person;
}

/** What must hold at the end: the number of what contradicts it. */
const WRONG = {
  "an inactive member": `SELECT count(*) AS n FROM directory_users d JOIN users u ON u.email = ?2 OR u.id = d.user_id
    JOIN memberships m ON m.user_id = u.id AND m.tenant_id = ?1
    WHERE d.connection_id = ?3 AND d.email = ?2 AND d.state IN ('inactive', 'removed') AND m.role <> 'owner'`,
  "a confined session of somebody inactive": `SELECT count(*) AS n FROM directory_users d
    JOIN users u ON u.email = ?2 OR u.id = d.user_id JOIN sessions s ON s.user_id = u.id AND s.connection_id = ?3
    WHERE d.connection_id = ?3 AND d.email = ?2 AND d.state IN ('inactive', 'removed')`,
  "an active record of no member": `SELECT count(*) AS n FROM directory_users d
    WHERE d.connection_id = ?3 AND d.email = ?2 AND d.state = 'active' AND NOT EXISTS (SELECT 1 FROM memberships m
      WHERE m.tenant_id = ?1 AND m.user_id = d.user_id)`,
  "more than one account": `SELECT max(count(*) - 1, 0) AS n FROM (
    SELECT id FROM users WHERE email = ?2
    UNION SELECT user_id FROM connection_identities WHERE connection_id = ?3 AND subject = ?4
    UNION SELECT user_id FROM directory_users WHERE connection_id = ?3 AND external_id = ?4 AND user_id IS NOT NULL)`,
  "a session of no member": `SELECT count(*) AS n FROM sessions s JOIN users u ON u.id = s.user_id
    WHERE u.email = ?2 AND s.tenant_id = ?1
      AND NOT EXISTS (SELECT 1 FROM memberships m WHERE m.tenant_id = s.tenant_id AND m.user_id = s.user_id)`,
};

const COUNTS = Object.entries(WRONG).map(([name, query]) => `(${query}) AS "${name}"`);

async function wrongOf({ word }: Somebody): Promise<string[]> {
  const found = await one<Record<string, number>>(
    `SELECT ${COUNTS.join(", ")}`,
    word.tenantId,
    word.email,
    word.connectionId,
    word.subject,
  );
  return Object.keys(WRONG).filter((name) => found?.[name] !== 0);
}

beforeAll(async () => {
  directory = await newDirectory({ provisioning: "both" });
});

test("nobody inactive is a member or gets in, nobody is two accounts, and no session is left to whom is no member", async () => {
  const found: unknown[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    if (round % ROUNDS_OF_DIRECTORY === ROUNDS_OF_DIRECTORY - 1) directory = await newDirectory();
    const random = seeded(SEED + round);
    const person = await somebody(random);
    const names = random.shuffle(Object.keys(WORKS)).slice(0, random.integer(2, 4));
    const works = names.flatMap((name) => WORKS[name]?.(person, random) ?? []);
    const answers = await inTurns(random, works);
    const seen = [SEED + round, person, names, answers];
    const wrong = await wrongOf(person);
    if (wrong.length > 0) found.push([wrong, ...seen]);
  }
  expect(found).toEqual([]);
});
