/** The feed of platform events: each once, in order, and nothing without a subscription. */
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { newIdAt } from "../../src/base/db/ids";
import { MINUTE_MS } from "../../src/base/time";
import { call, newEmail, PASSWORD, type Person, signUpVerified } from "../support/client";
import { LOSING_QUEUE } from "../support/engine";
import { invite, joinTenant } from "../support/people";
import {
  beginFeed,
  count,
  inPlatform,
  KILLED,
  listen,
  type Moment,
  openPlatform,
  published,
  register,
  run,
  send,
  typesOf,
} from "../support/platform-feed";
import { purgeAll, purgeOnce } from "../support/purges";

beforeAll(openPlatform);
beforeEach(beginFeed);
afterEach(() => {
  vi.restoreAllMocks();
});

describe("without a subscription of the platform", () => {
  test("nothing is stored, and a run is one call", async () => {
    const events = await count("events WHERE tenant_id = 'platform'");
    const person = await register();
    expect(await run()).toBe(1);
    expect(await count("platform_feed")).toBe(0);
    expect(await count("events WHERE tenant_id = 'platform'")).toBe(events);
    expect((await send("GET", `/users/${person.userId}`)).body.data.sequence).toBe(0);
    await call("DELETE", "/auth/me", { token: person.token, body: { password: PASSWORD, deleteTenants: true } });
    expect(await count(`audit_events WHERE tenant_id = 'platform' AND target_id = '${person.userId}'`)).toBe(0);
  });

  test("the feed ends with the last one, and begins again with the next", async () => {
    const { id } = await listen();
    await inPlatform("DELETE", `/webhooks/${id}`);
    await run();
    expect(await count("platform_feed")).toBe(0);
    const missed = await register();
    await listen();
    const seen = await register();
    await run();
    expect(await published(missed.userId)).toEqual([]);
    expect(await published(seen.userId)).not.toEqual([]);
  });
});

describe("each event is published once", () => {
  test.each<Moment>(["before", "after"])("when runs are killed %s a call", async (moment) => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    await listen();
    const person = await register();
    for (let calls = 1; calls < 7; calls += 1) {
      let left = calls;
      await run((at) => {
        if (at === moment) left -= 1;
        if (left <= 0) throw KILLED;
      });
    }
    await run();
    const events = await published(person.userId, person.tenantId);
    expect(typesOf(events)).toEqual(["user.created", "tenant.created", "member.added"]);
  });

  test("when ten runs overlap", async () => {
    await listen();
    const people = [await register(), await register(), await register()];
    await Promise.all(Array.from({ length: 10 }, () => run()));
    for (const { userId } of people) {
      const events = await published(userId);
      expect(events.map(({ payload }) => payload.sequence)).toEqual([1, 2]);
    }
  });

  test("also of one that was recorded late, with an older id", async () => {
    await listen();
    const lateMs = Date.now() + 1;
    const person = await register();
    await run();
    const before = (await published(person.userId)).length;
    await record(person, [newIdAt(lateMs)]);
    await run();
    await run();
    const events = await published(person.userId);
    expect(events.length).toBe(before + 1);
    expect(Math.max(...events.map(({ payload }) => payload.sequence))).toBe(before + 1);
  });
});

test("no page of a run passes over what is written late, with an id of a page that was read", async () => {
  await listen();
  const person = await register();
  await run();
  const before = (await published(person.userId)).length;
  const fromMs = Date.now();
  await record(
    person,
    Array.from({ length: 250 }, (_, n) => newIdAt(fromMs + n)),
  );
  let now = fromMs + 2 * MINUTE_MS;
  const afterMs = now + 100;
  await run(
    async (moment, name) => {
      if (moment === "before" || name !== "readSources" || now === afterMs) return;
      now = afterMs;
      await record(person, [newIdAt(fromMs + 50)]);
    },
    () => now,
  );
  expect(now).toBe(afterMs);
  await run();
  expect((await published(person.userId)).length).toBe(before + 251);
});

/** Records changes of a person's name. */
const record = ({ tenantId, userId }: Person, ids: readonly string[]) =>
  env.DB.prepare(
    `INSERT INTO audit_events (tenant_id, id, action, actor_kind, actor_id, target_kind, target_id)
      SELECT ?, value, 'auth.name_changed', 'user', ?, 'user', ? FROM json_each(?)`,
  )
    .bind(tenantId, userId, userId, JSON.stringify(ids))
    .run();

describe("deleting", () => {
  test("an account leaves only ids in what was published, and its purge waits for the feed", async () => {
    await listen();
    const person = await register();
    await call("PATCH", "/auth/me", { token: person.token, body: { name: "Ada Lovelace" } });
    await run();
    await call("DELETE", "/auth/me", { token: person.token, body: { password: PASSWORD, deleteTenants: true } });
    for (const minutes of [3, 5, 7]) await purgeOnce(minutes);
    expect(await count(`purges WHERE subject_id IN ('${person.userId}', '${person.tenantId}')`)).toBe(2);
    await run(undefined, () => Date.now() + 70 * MINUTE_MS);
    expect(typesOf(await published(person.userId)).at(-1)).toBe("user.deleted");
    await purgeAll(1);
    const events = await published(person.userId);
    const users = events.filter(({ payload }) => payload.user !== undefined);
    expect(users.length).toBeGreaterThan(1);
    for (const { payload } of users) expect(payload.user).toEqual({ id: person.userId, externalId: null });
    expect(JSON.stringify(events)).not.toContain(person.email);
    expect(JSON.stringify(events)).not.toContain("Lovelace");
    expect(await count(`platform_sequences WHERE subject_id IN ('${person.userId}', '${person.tenantId}')`)).toBe(0);
  });

  test("an invited member's account is one event, with the tenant left alone", async () => {
    await listen();
    const owner = await signUpVerified();
    await invite(owner, newEmail(), "viewer");
    const guest = await joinTenant(owner, "viewer");
    await run();
    await call("DELETE", "/auth/me", { token: guest.token, body: { password: PASSWORD } });
    await run();
    expect(typesOf(await published(guest.userId)).at(-1)).toBe("user.deleted");
    expect(typesOf(await published(guest.userId)).filter((type) => type === "user.deleted")).toHaveLength(1);
    expect(typesOf(await published(owner.tenantId))).not.toContain("tenant.deleted");
  });
});

describe("the numbers of a subject", () => {
  test("show a gap for an event that a subscription did not name", async () => {
    await listen(["user.updated"]);
    await listen(["user.created", "member.added"]);
    const person = await register();
    await call("PATCH", "/auth/me", { token: person.token, body: { name: "Ada" } });
    await run();
    const updated = (await published(person.userId)).find(({ type }) => type === "user.updated");
    expect(updated?.payload.sequence).toBe(3);
    expect((await send("GET", `/users/${person.userId}`)).body.data.sequence).toBe(3);
  });

  // The last test of the file, because the others would find its events in each run. Only the feed is tested: fan-outs
  // and deliveries of 10,000 events would hold up the queues for minutes.
  test("rise by one with each of 10,000 changes, in the order of the log, whatever the pages are", async () => {
    await listen();
    const person = await register();
    await run();
    const [last] = (await published(person.userId)).slice(-1);
    const start = last?.payload.sequence;
    const fromMs = Date.now();
    // Eleven of each millisecond, and a page of one.
    const ids = Array.from({ length: 10_000 }, (_, n) => newIdAt(fromMs + (n < 9_700 ? Math.floor(n / 11) : 900)));
    await record(person, ids);
    await run(undefined, undefined, { SLOW_DELIVERY_QUEUE: LOSING_QUEUE });
    const events = (await published(person.userId)).filter(({ payload }) => payload.sequence > start);
    expect(events.length).toBe(10_000);
    const sorted = events.toSorted((a, b) => a.payload.sequence - b.payload.sequence);
    expect(sorted.map(({ payload }) => payload.sequence)).toEqual(ids.map((_, n) => start + 1 + n));
    const times = sorted.map(({ payload }) => payload.at);
    expect(times).toEqual(times.toSorted());
    expect(new Set(events.map(({ id }) => id)).size).toBe(10_000);
  });
});
