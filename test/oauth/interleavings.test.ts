/**
 * Refreshes of an app that come at the same time as what ends, holds or changes its connection, in orders that are new
 * ones each time: 30, which cost a second, and `INTERLEAVINGS=200` as many as one likes. They begin with a copy of one
 * connection and call what is behind the routes, because sign-ins and the limiter would cost many times as much.
 */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { decodeJwt } from "jose";
import { beforeAll, expect, test } from "vitest";
import { sha256Hex } from "../../src/base/crypto/encoding";
import { atomically } from "../../src/base/db/client";
import { newId } from "../../src/base/db/ids";
import { createDeps, type Deps } from "../../src/base/deps";
import { userActor } from "../../src/base/schemas/actor";
import { endSessionsAndApps } from "../../src/identity/tokens/revocations-store";
import { setRule } from "../../src/oauth/apps/rules/store";
import { disconnectApp } from "../../src/oauth/apps/store";
import { storingConsent } from "../../src/oauth/authorization/store";
import { OAuthError } from "../../src/oauth/errors";
import { endGrantByClient } from "../../src/oauth/tokens/offline-store";
import { refreshTokens } from "../../src/oauth/tokens/refresh";
import { makeOfflineToken } from "../../src/oauth/tokens/refresh-token";
import type { TokenResponse } from "../../src/oauth/tokens/response";
import { type App, finished, forgetClientsKey, newApp, rowsOf } from "../support/apps";
import { type Person, signUpVerified } from "../support/client";
import { type Random, seeded } from "../support/faults/random";
import { joinTenant } from "../support/people";

const ROUNDS = Number(env.INTERLEAVINGS);
const SEED = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
const ORIGIN = { ip: "192.0.2.1", userAgent: "app", requestId: null };
const CONSENTS = [["openid", "email"], ["tenant"], ["profile"]] as const;

let deps: Deps;
let app: App;
let secretHash: string;
let owner: Person;
let member: Person;
let sessionId: string;
let original: Record<string, unknown>;

beforeAll(async () => {
  forgetClientsKey();
  // The operator's own, whose connections end with "sign out everywhere" too.
  app = await newApp({ consent: "skip", idTokenAlgorithm: "ES256" });
  owner = await signUpVerified();
  member = await joinTenant(owner, "viewer");
  const scope = "openid tenant offline_access";
  await finished(app, member, undefined, { scope, tenant: owner.tenantId });
  const [row] = await rowsOf("SELECT * FROM oauth_grants WHERE user_id = ? AND generation = 1", member.userId);
  original = row ?? {};
  secretHash = await sha256Hex(app.secret ?? "");
});

const proof = () => ({ clientId: app.id, secretHash, useId: null, jkt: null, triedBasic: false });
const actor = () => userActor(member, ORIGIN);

/** A connection, and its refresh tokens so far. */
interface Connection {
  grantId: string;
  tokenOf(generation: number): Promise<string>;
}

/** Nothing has been allowed the app yet. */
async function connect(generation: number): Promise<Connection> {
  const grantId = newId();
  const row = { ...original, id: grantId, session_id: grantId, generation, created_at: Date.now() };
  const columns = Object.keys(row);
  const insert = `INSERT INTO oauth_grants (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`;
  await env.DB.batch([
    env.DB.prepare("DELETE FROM oauth_consents WHERE user_id = ?").bind(member.userId),
    env.DB.prepare(insert).bind(...Object.values(row)),
  ]);
  const tokenOf = (of: number) => makeOfflineToken(deps.keys, { clientId: app.id, grantId, generation: of });
  return { grantId, tokenOf };
}

/** Returns null when it is refused. */
async function refresh(token: string): Promise<TokenResponse | null> {
  const form = new URLSearchParams({ grant_type: "refresh_token", refresh_token: token });
  const request = { form, origin: ORIGIN, userAgent: "app", clientIp: "192.0.2.1", authorization: undefined };
  const more = { endpoint: "", dpop: undefined, device: () => ({}) as never };
  try {
    return await refreshTokens(deps, proof(), { ...request, ...more });
  } catch (error) {
    if (error instanceof OAuthError && error.code === "invalid_grant") return null;
    throw error;
  }
}

const say = (state: "blocked" | null) =>
  setRule(deps, { tenantId: owner.tenantId, clientId: app.id, state, actor: actor() }, deps.now());

async function setRole(role: string): Promise<void> {
  await env.DB.prepare("UPDATE memberships SET role = ? WHERE tenant_id = ? AND user_id = ?")
    .bind(role, owner.tenantId, member.userId)
    .run();
}

async function consent(scopes: readonly string[]): Promise<void> {
  const to = { clientId: app.id, tenantId: owner.tenantId, documentHash: null };
  const given = { ...to, userId: member.userId, sessionId, scopes };
  await atomically(deps.db, storingConsent(given, actor(), { most: 200, nowMs: deps.now() }));
}

/** What comes beside the refreshes, and what must hold of the newest token afterwards. */
interface Other {
  works(connection: Connection, random: Random): readonly (() => Promise<unknown>)[];
  /** Whether the connection goes on. */
  goesOn: boolean;
  check?(renewed: TokenResponse | null): void | Promise<void>;
}

const mine = () => ({ clientId: app.id, tenantId: owner.tenantId });
let role = "viewer";

const OTHERS = {
  revoke: {
    works: ({ grantId }) => [() => endGrantByClient(deps, proof(), { grantId, machine: null }, deps.now())],
    goesOn: false,
  },
  disconnect: {
    works: () => [() => disconnectApp(deps, { userId: member.userId, actor: actor() }, mine(), deps.now())],
    goesOn: false,
  },
  "sign out everywhere": {
    works: () => [
      // But for the session that answers, which other rounds need.
      () => atomically(deps.db, { ended: endSessionsAndApps(ofMember(), "own", deps.now()) }),
    ],
    goesOn: false,
  },
  "an old token": { works: ({ tokenOf }) => [async () => refresh(await tokenOf(1))], goesOn: false },
  block: { works: () => [() => say("blocked")], goesOn: true },
  role: {
    works: (_connection, random) => {
      role = random.pick(["viewer", "developer", "operator"]);
      return [() => setRole(role)];
    },
    goesOn: true,
    check: (renewed) => expect(decodeJwt(renewed?.access_token ?? "")["role"]).toBe(role),
  },
  consent: {
    works: () => CONSENTS.map((scopes) => () => consent(scopes)),
    goesOn: true,
    check: async () => {
      const stored = "SELECT scopes FROM oauth_consents WHERE user_id = ? AND client_id = ?";
      const [row] = await rowsOf(stored, member.userId, app.id);
      expect(JSON.parse(String(row?.["scopes"])).sort()).toEqual([...CONSENTS.flat()].sort());
    },
  },
} as const satisfies Record<string, Other>;

const ofMember = () => sql`user_id = ${member.userId} AND id <> ${sessionId}`;
const KINDS = Object.keys(OTHERS) as [keyof typeof OTHERS, ...(keyof typeof OTHERS)[]];

test("refreshes give one successor, and what holds afterwards is what was said last", async () => {
  const [session] = await rowsOf("SELECT id FROM sessions WHERE user_id = ? LIMIT 1", member.userId);
  sessionId = String(session?.["id"]);
  const random = seeded(SEED);
  for (let round = 0; round < ROUNDS; round += 1) {
    // Each is an invocation of its own.
    deps = await createDeps(env, createExecutionContext());
    const kind = random.pick(KINDS);
    const seen = [SEED, round, kind];
    const other: Other = OTHERS[kind];
    const connection = await connect(3);
    const token = await connection.tokenOf(3);
    const refreshes = Array.from({ length: random.integer(1, 4) }, () => () => refresh(token));
    const answers = await Promise.all(
      random.shuffle([...refreshes, ...other.works(connection, random)]).map((work) => work()),
    );
    const successors = new Set(answers.map(successorOf).filter((one) => one !== null));
    expect([seen, successors.size <= 1]).toEqual([seen, true]);
    const latest = [...successors][0] ?? token;
    if (kind === "block") {
      expect([seen, await refresh(latest)]).toEqual([seen, null]);
      await say(null);
    }
    const renewed = await refresh(latest);
    expect([seen, renewed !== null]).toEqual([seen, other.goesOn]);
    await other.check?.(renewed);
    if (!other.goesOn) await isRevoked(connection, seen);
  }
});

const successorOf = (answer: unknown): string | null =>
  typeof answer === "object" && answer !== null && "refresh_token" in answer ? String(answer.refresh_token) : null;

/** Nothing is left of it, and verifiers learn that its tokens have ended. */
async function isRevoked({ grantId }: Connection, seen: readonly unknown[]): Promise<void> {
  const left = await rowsOf("SELECT 1 FROM oauth_grants WHERE id = ?", grantId);
  const listed = await rowsOf("SELECT 1 FROM revocations WHERE key = ?", `s:${grantId}:${owner.tenantId}`);
  expect([seen, left.length, listed.length]).toEqual([seen, 0, 1]);
}
