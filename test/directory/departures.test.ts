/** Whom a directory has deactivated joins by no other way, and what the owners are told of who comes and goes. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { createDeps } from "../../src/base/deps";
import type { MailJob, TenantNews } from "../../src/base/mail/job";
import { DAY_MS } from "../../src/base/time";
import { tellOfDirectories } from "../../src/directory/notices/daily";
import { removeLeftPeople } from "../../src/lifecycle/deletion/left-people";
import { call, PASSWORD, type Person, signUpVerified } from "../support/client";
import { invite } from "../support/people";
import { all, as, openPlatform } from "../support/platform-api";
import { bring, type Directory, deactivate, newDirectory, newUser, recordOf, scim } from "../support/scim";
import { newGroup, runJobs } from "../support/scim-groups";
import { memberOf, moveInto, one } from "../support/signed-on";

beforeAll(openPlatform);

describe("somebody who has left", () => {
  let directory: Directory;
  let leaver: Person;

  beforeAll(async () => {
    directory = await newDirectory();
    leaver = await moveInto(directory.connection, await signUpVerified());
    const { id } = await bring(directory, { userName: leaver.email, emails: [{ value: leaver.email }] });
    await deactivate(directory, id);
  });

  test("accepts no invitation", async () => {
    const token = await invite(directory.owner, leaver.email, "viewer");
    const { status, body } = await call("POST", "/invitations/accept", { token: leaver.token, body: { token } });
    expect([status, body.code]).toEqual([400, "INVALID_TOKEN"]);
  });

  test("registers with no invitation, whose account the directory has never made", async () => {
    const { userName: email } = await bring(directory, { active: false });
    const invitationToken = await invite(directory.owner, email, "viewer");
    const { status, body } = await call("POST", "/auth/register", {
      body: { email, password: PASSWORD, invitationToken },
    });
    expect([status, body.code]).toEqual([400, "INVALID_TOKEN"]);
  });

  test("is added by no platform key", async () => {
    const { tenantId } = directory.connection;
    const member = { user: leaver.userId, role: "viewer" };
    const { status, body } = await as(all, "POST", `/tenants/${tenantId}/members`, member);
    expect([status, body.message]).toEqual([409, "The tenant's directory says that the user has left."]);
    expect(await memberOf(tenantId, leaver.userId)).toBeNull();
  });
});

test("a managed account that goes 30 days later takes no room in the list of revoked tokens", async () => {
  const directory = await newDirectory();
  const { id } = await bring(directory);
  const { userId = "" } = (await recordOf(directory.connection.id, id)) ?? {};
  await deactivate(directory, id);
  await env.DB.prepare("UPDATE directory_users SET state_at = 1 WHERE connection_id = ? AND id = ?")
    .bind(directory.connection.id, id)
    .run();
  const deps = await createDeps(env, createExecutionContext());
  let cursor: string | null = "";
  while (cursor !== null) cursor = await removeLeftPeople(deps, 0, cursor, () => false);
  expect(await one("SELECT id FROM users WHERE id = ?", userId)).toBeNull();
  expect(await one("SELECT key FROM revocations WHERE key = ?", `u:${userId}`)).toBeNull();
});

describe("the owners of a tenant", () => {
  /** Collects the news for an owner that the work sends. */
  async function newsOf(owner: Person, work: (variables: Record<string, unknown>) => Promise<unknown>) {
    const jobs: MailJob[] = [];
    await work({ MAIL_QUEUE: { send: async (job: MailJob) => void jobs.push(job) } });
    return jobs.flatMap((job) => ("news" in job && job.userId === owner.userId ? [job.news as TenantNews] : []));
  }

  /** What the daily job does, so many days from now. */
  const daily = (days: number) => async (variables: Record<string, unknown>) => {
    const context = createExecutionContext();
    const deps = await createDeps({ ...env, ...variables } as Env, context);
    const later = { ...deps, now: () => Date.now() + days * DAY_MS };
    let cursor: string | null = "";
    while (cursor !== null) cursor = await tellOfDirectories(later, 0, cursor, () => false);
    await waitOnExecutionContext(context);
  };

  test("are told once a day who has come and gone, and not of a day without", async () => {
    const directory = await newDirectory();
    const { id } = await bring(directory);
    await bring(directory);
    await deactivate(directory, id);
    const digest = { what: "directoryDigest", directory: "Acme", joined: 1, left: 1 };
    expect(await newsOf(directory.owner, daily(0))).toEqual([digest]);
    expect(await newsOf(directory.owner, daily(1))).toEqual([]);
  });

  test("are told at once, and once, when more than 20 and a tenth leave within an hour", async () => {
    const directory = await newDirectory();
    const ids = await Promise.all(Array.from({ length: 23 }, async () => (await bring(directory)).id as string));
    const leave = (some: string[]) => (variables: Record<string, unknown>) =>
      Promise.all(some.map((id) => scim(directory, "PATCH", `/Users/${id}`, { body: SUSPEND, variables })));
    expect(await newsOf(directory.owner, leave(ids.slice(0, 20)))).toEqual([]);
    const remove = (some: string[]) => (variables: Record<string, unknown>) =>
      Promise.all(some.map((id) => scim(directory, "DELETE", `/Users/${id}`, { variables })));
    const many = { what: "directoryMany", directory: "Acme", count: 21 };
    expect(await newsOf(directory.owner, remove(ids.slice(20)))).toEqual([many]);
  });

  test("are told of those too who leave their last group with a role: at once of many, and once a day", async () => {
    const roles = { default: null, rules: [{ group: "Staff", role: "viewer" }], when: "every" } as const;
    const directory = await newDirectory({ roles });
    const ids = await Promise.all(Array.from({ length: 22 }, async () => (await bring(directory)).id as string));
    const group = await newGroup(directory, "Staff", ids);
    await runJobs();
    await newsOf(directory.owner, daily(0));
    const empty = { Operations: [{ op: "remove", path: "members" }] };
    const many = { what: "directoryMany", directory: "Acme", count: 22 };
    const leave = (variables: Record<string, unknown>) =>
      scim(directory, "PATCH", `/Groups/${group}`, { body: empty, variables });
    expect(await newsOf(directory.owner, leave)).toEqual([many]);
    const digest = { what: "directoryDigest", directory: "Acme", joined: 0, left: 22 };
    expect(await newsOf(directory.owner, daily(0.1))).toEqual([digest]);
  });

  test("are told at once of an owner who has left", async () => {
    const directory = await newDirectory();
    const { email } = await moveInto(directory.connection, directory.owner);
    const { id } = await bring(directory, newUser(directory, { userName: email, emails: [{ value: email }] }));
    const news = await newsOf(directory.owner, (variables) =>
      scim(directory, "PATCH", `/Users/${id}`, { body: SUSPEND, variables }),
    );
    expect(news).toEqual([{ what: "directoryOwner", directory: "Acme", person: email }]);
  });

  test("are told 30, 7 and 1 days before a token ends, once each", async () => {
    const { owner, connection } = await newDirectory();
    await env.DB.prepare("UPDATE scim_tokens SET expires_at = ? WHERE connection_id = ?")
      .bind(Date.now() + 40 * DAY_MS, connection.id)
      .run();
    const told: unknown[] = [];
    for (const day of [9, 11, 12, 33.5, 39.5]) told.push((await newsOf(owner, daily(day))).map(daysOf));
    expect(told).toEqual([[], [30], [], [7], [1]]);
  });
});

const SUSPEND = { Operations: [{ op: "replace", path: "active", value: false }] };
const daysOf = (news: TenantNews) => (news.what === "scimTokenEnds" ? news.days : news.what);
