/** `postern/session` on this service: what the service refuses as revoked, the verifier refuses within five seconds. */
import { env } from "cloudflare:workers";
import { decodeJwt } from "jose";
import { afterEach, expect, test, vi } from "vitest";
import { createSessionVerifier, SessionError } from "../../src/sdk/session";
import { call, logIn, type Person, signUpVerified } from "../support/client";
import { seeded } from "../support/faults/random";
import { operate, operator } from "../support/operators";
import { serviceFetch } from "../support/sdk";

const ROUNDS = 200;
const KNOWN_WITHIN_MS = 5000;

afterEach(() => {
  vi.useRealTimers();
});

const verifier = () =>
  createSessionVerifier({
    issuer: "https://postern.test",
    audience: "postern",
    fetch: serviceFetch,
    now: () => Date.now(),
  });

/** The tokens of a round, and the people that it is about. */
interface World {
  by: Person;
  owner: Person;
  member: Person;
  tokens: string[];
}

const newMember = async (owner: Person): Promise<Person> => {
  const person = await signUpVerified();
  await env.DB.prepare("INSERT INTO memberships (tenant_id, user_id, role, created_at) VALUES (?, ?, 'developer', 0)")
    .bind(owner.tenantId, person.userId)
    .run();
  return switched(person, owner.tenantId);
};

async function switched(person: Person, tenantId: string): Promise<Person> {
  const { body, status } = await call("POST", "/auth/switch-tenant", { token: person.token, body: { tenantId } });
  if (status !== 200) return person;
  const { accessToken: token, refreshToken } = body.data;
  return { ...person, token, refreshToken, tenantId };
}

/** Calls that end sessions, change roles or give new tokens, in parallel and in any order. */
const ACTS: Record<string, (world: World) => Promise<unknown>> = {
  async refresh({ member, tokens }) {
    const { body, status } = await call("POST", "/auth/refresh", { body: { refreshToken: member.refreshToken } });
    if (status === 200) tokens.push(body.data.accessToken);
  },
  async "refresh with a key"({ member, tokens }) {
    const headers = { "idempotency-key": crypto.randomUUID() };
    const body = { refreshToken: member.refreshToken };
    const answers = [
      await call("POST", "/auth/refresh", { body, headers }),
      await call("POST", "/auth/refresh", { body, headers }),
    ];
    for (const answer of answers) if (answer.status === 200) tokens.push(answer.body.data.accessToken);
  },
  async login({ member, tokens }) {
    tokens.push((await logIn(member).catch(() => member)).token);
  },
  logout: ({ member }) => call("POST", "/auth/logout", { body: { refreshToken: member.refreshToken } }),
  "logout from all devices": ({ member }) => call("POST", "/auth/logout-all", { token: member.token }),
  "another role": ({ owner, member }) =>
    call("PATCH", `/members/${member.userId}`, { token: owner.token, body: { role: "viewer" } }),
  removal: ({ owner, member }) => call("DELETE", `/members/${member.userId}`, { token: owner.token }),
  leaving: ({ member }) => call("DELETE", "/members/me", { token: member.token }),
  async "a switch"({ member, tokens }) {
    const home = await env.DB.prepare("SELECT id FROM tenants WHERE created_by = ?")
      .bind(member.userId)
      .first<string>("id");
    tokens.push((await switched(member, home ?? "")).token);
  },
  suspension: ({ by, member }) => operate(by, "POST", `/people/${member.userId}/suspend`, { reason: "a test" }),
  "a suspended tenant": ({ by, owner }) =>
    operate(by, "POST", `/tenants/${owner.tenantId}/suspend`, { reason: "a test" }),
};

/** Whether the service refuses a token, or would give it another role now. */
async function isRevoked(token: string): Promise<boolean> {
  const { status, body } = await call("GET", "/auth/me", { token });
  const claims = decodeJwt(token);
  const suspended = await env.DB.prepare("SELECT 1 FROM tenants WHERE id = ? AND suspended_at IS NOT NULL")
    .bind(claims.tid)
    .first();
  return status === 401 || suspended !== null || body.data.role !== claims.role;
}

test(`of ${ROUNDS} interleavings of sign-ins, refreshes and revocations, none leaves a token that outlives its session`, async () => {
  const random = seeded(27);
  const sessions = verifier();
  const names = Object.keys(ACTS) as [string, ...string[]];
  let by = await operator();
  let refused = 0;
  for (let round = 0; round < ROUNDS; round++) {
    // The clock runs five seconds a round: an operator's confirmation lasts ten minutes.
    if (round % 50 === 49) by = await operator();
    const owner = await signUpVerified();
    const member = await newMember(owner);
    const world: World = { by, owner, member, tokens: [member.token, owner.token] };
    const acts = Array.from({ length: 3 }, () => random.pick(names));
    const under = await Promise.all(acts.map((name) => ACTS[name]?.(world)));
    expect(under).toHaveLength(3);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + KNOWN_WITHIN_MS });
    for (const token of world.tokens) {
      const verdict = await sessions.verify(token).then(
        () => "accepted",
        (error: unknown) => (error instanceof SessionError ? error.reason : String(error)),
      );
      if (!(await isRevoked(token))) continue;
      refused += 1;
      expect([acts, verdict]).toEqual([acts, "REVOKED"]);
    }
  }
  expect(refused).toBeGreaterThan(ROUNDS);
}, 240_000);
