/**
 * A tenant of 100,000: what a request reads must not grow with it. The rows are counted, as D1 bills them. Making them
 * takes two seconds of CPU, once for all tests here, and the last one deletes them.
 */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { createDeps } from "../../src/base/deps";
import type { MailJob, TenantNews } from "../../src/base/mail/job";
import type { Member } from "../../src/identity/members/schemas";
import { tellOwners } from "../../src/tenancy/tenants/owner-notices";
import { readTenantsWithVerifiedOwner, readVerifiedOwners } from "../../src/tenancy/tenants/verified-store";
import { call, PASSWORD, type Person, signUpVerified } from "../support/client";
import { costOf, countedEnv, rowsRead } from "../support/cost";
import { invite } from "../support/people";

const MEMBERS = 100_000;
/** The limit of D1, which the local one does not keep for values that SQL itself makes. */
const MOST_VALUE_BYTES = 2_000_000;

let owner: Person;
let leaver: Person;
let guest: Person;
let guestToken: string;

/** So many have an account; the others are only counted and deleted. */
const ACCOUNTS = 6_000;

/** They are older than the owner by their ids, so that a search for the owner meets them first. */
async function addMembers(tenantId: string): Promise<void> {
  const numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)";
  const id = "printf('00000000-0000-7000-8000-%012x', i)";
  await env.DB.batch([
    env.DB.prepare(`${numbers} INSERT INTO users (id, email, password_hash, created_at)
      SELECT ${id}, 'person-' || i || '@many.example', '', i FROM n`).bind(ACCOUNTS),
    env.DB.prepare(`${numbers} INSERT INTO memberships (tenant_id, user_id, role, created_at)
      SELECT ?2, ${id}, 'viewer', i FROM n`).bind(MEMBERS, tenantId),
  ]);
}

beforeAll(async () => {
  owner = await signUpVerified();
  leaver = await signUpVerified();
  const token = await invite(owner, leaver.email, "admin");
  await call("POST", "/invitations/accept", { token: leaver.token, body: { token } });
  guest = await signUpVerified();
  guestToken = await invite(owner, guest.email, "viewer");
  await addMembers(owner.tenantId);
});

const countOf = (tenantId: string) =>
  env.DB.prepare("SELECT member_count AS n FROM tenants WHERE id = ?").bind(tenantId).first<number>("n");

test("the counter of a tenant follows every statement", async () => {
  expect(await countOf(owner.tenantId)).toBe(MEMBERS + 2);
  expect(await countOf(leaver.tenantId)).toBe(1);
});

describe("a request reads few rows", () => {
  test.each<[string, () => [method: string, path: string, request: { token: string; body?: unknown }], number?]>([
    [
      "a joining that the cap refuses",
      () => ["POST", "/invitations/accept", { token: guest.token, body: { token: guestToken } }],
      409,
    ],
    [
      "the account that cannot go, because others need its owner",
      () => ["DELETE", "/auth/me", { token: owner.token, body: { password: PASSWORD } }],
      409,
    ],
    [
      "an invitation",
      () => ["POST", "/invitations", { token: owner.token, body: { email: "guest@example.com", role: "viewer" } }],
    ],
    ["another role", () => ["PATCH", `/members/${leaver.userId}`, { token: owner.token, body: { role: "developer" } }]],
    ["a removal", () => ["DELETE", `/members/${leaver.userId}`, { token: owner.token }]],
  ])("%s", async (_what, request, refusal) => {
    rowsRead.count = 0;
    const { status } = await costOf(...request());
    expect([200, 201, refusal]).toContain(status);
    expect(rowsRead.count).toBeLessThan(400);
  });
});

test("whether an owner is verified reads few rows, and so do the owners who are told", async () => {
  const deps = await createDeps(countedEnv().counted, createExecutionContext());
  rowsRead.count = 0;
  expect(await readTenantsWithVerifiedOwner(deps, [owner.tenantId])).toEqual(new Set([owner.tenantId]));
  expect((await readVerifiedOwners(deps, owner.tenantId)).ownerIds).toEqual([owner.userId]);
  expect(rowsRead.count).toBeGreaterThan(0);
  expect(rowsRead.count).toBeLessThan(20);
});

test("the counter follows who goes", async () => {
  expect(await countOf(owner.tenantId)).toBe(MEMBERS + 1);
});

test("the owners are told of 60 members a day, however many go at once, and each of these is told", async () => {
  const mailed: MailJob[] = [];
  const queue = { send: async (job: MailJob) => void mailed.push(job) };
  const context = createExecutionContext();
  const deps = await createDeps({ ...env, MAIL_QUEUE: queue as unknown as Queue }, context);
  const news: TenantNews = { what: "removed", by: owner.email, person: "a", keys: ["k"] };
  for (let i = 0; i < 70; i += 1) tellOwners(deps, leaver.tenantId, news, `member-${i}`);
  await waitOnExecutionContext(context);
  const toOwner = mailed.filter((job) => "userId" in job && job.userId === leaver.userId);
  expect([toOwner.length, mailed.length]).toEqual([60, 130]);
});

describe("pages", () => {
  const pageOf = async (query: string) => {
    rowsRead.count = 0;
    const { body } = await call("GET", `/members?${query}`, { token: owner.token });
    await costOf("GET", `/members?${query}`, { token: owner.token });
    return { ...body, rowsRead: rowsRead.count } as { data: Member[]; nextCursor: string | null; rowsRead: number };
  };

  test("a page reads its own rows alone, wherever it begins, and without a limit there are 1,000", async () => {
    const first = await pageOf("limit=50");
    const second = await pageOf(`limit=50&cursor=${first.nextCursor}`);
    expect([first.rowsRead, second.rowsRead].map((count) => count < 300)).toEqual([true, true]);
    expect([...first.data, ...second.data].map(({ email }) => email)).toEqual(
      Array.from({ length: 100 }, (_, i) => `person-${i + 1}@many.example`),
    );
    expect((await pageOf("")).data).toHaveLength(1_000);
  });

  test("a search looks through 5,000 members at a time, and finds a whole address at once", async () => {
    const first = await pageOf("q=PERSON-550&limit=5");
    expect(first.data.map(({ email }) => email)).toEqual(["person-550@many.example"]);
    expect(first.rowsRead).toBeLessThan(25_000);
    const next = await pageOf(`q=PERSON-550&limit=5&cursor=${first.nextCursor}`);
    expect(next.data.map(({ email }) => email)).toEqual(
      Array.from({ length: 5 }, (_, i) => `person-550${i}@many.example`),
    );
    const exact = await pageOf("q=Person-5999@many.example");
    expect(exact.data).toHaveLength(1);
    expect([exact.rowsRead < 100, exact.nextCursor]).toEqual([true, null]);
  });
});

describe("the deletion of the tenant", () => {
  test("stores no value that is larger than D1 takes, and forgets nobody", async () => {
    const { status } = await call("DELETE", "/tenant", { token: owner.token, body: {} });
    expect(status).toBe(200);
    const pages = "(SELECT id, members FROM purges UNION ALL SELECT purge_id, members FROM purge_members)";
    // First: a length that is asked for beside each member would be counted 100,000 times.
    const longest = env.DB.prepare(`SELECT max(length(members)) AS bytes FROM ${pages}`);
    expect(await longest.first("bytes")).toBeLessThan(MOST_VALUE_BYTES);
    const positions = "SELECT count(*) AS n, max(position) AS last FROM purge_members";
    const last = Math.floor(MEMBERS / 1_000);
    expect(await env.DB.prepare(positions).first()).toEqual({ n: last, last: last * 1_000 });
    const people = env.DB.prepare(`SELECT count(DISTINCT j.value) AS n FROM ${pages} p, json_each(p.members) j`);
    expect(await people.first("n")).toBe(MEMBERS + 1);
    const left = env.DB.prepare("SELECT count(*) AS n FROM memberships WHERE tenant_id = ?").bind(owner.tenantId);
    expect(await left.first("n")).toBe(0);
  });
});
