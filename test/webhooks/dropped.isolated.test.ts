/** Held deliveries that users do not want, and those that are too many, end as failed attempts. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createDeps } from "../../src/base/deps";
import { begin, type Jobs, runJobs } from "../../src/service/upkeep/run-jobs";
import { releaseHeld } from "../../src/webhooks/delivery/lanes/release";
import { eventually, logIn, type Person, signUpVerified } from "../support/client";
import { countManualRetries, sweepNow } from "../support/engine";
import { attempt, pass } from "../support/failing";
import { api, attemptsOf, countHeld, HOLDS, hold, release, row } from "../support/held";
import { newInbox, publish, subscribe } from "../support/receiver";
import { deliveryDb, SHARD } from "../support/shard";

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: Date.now() }));
afterEach(() => void vi.useRealTimers());

/** Creates a subscription that is enabled without the one delivery that it holds. */
async function dropping(person: Person): Promise<string> {
  const id = await subscribe(person, newInbox("200").url, HOLDS);
  await api(person, "POST", `${id}/pause`);
  await publish(await logIn(person), 1);
  pass(1_000);
  await api(person, "POST", `${id}/resume?held=drop`);
  return id;
}

/** Makes ten runs, one a minute: each subscription is counted in one of them. */
async function releaseForTenMinutes(): Promise<void> {
  for (let minute = 0; minute < 10; minute += 1) {
    pass(60_000);
    await release();
  }
}

/** Copies a subscription and what it holds. */
async function copy(id: string, count: number): Promise<void> {
  const copied = async (table: string, columns: Record<string, string>, where: string) => {
    const { results } = await deliveryDb
      .prepare("SELECT name FROM pragma_table_info(?)")
      .bind(table)
      .all<{ name: string }>();
    const names = results.map(({ name }) => name);
    await deliveryDb
      .prepare(
        `WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
         INSERT INTO ${table} (${names}) SELECT ${names.map((name) => columns[name] ?? name)} FROM n, ${table}
           WHERE ${where}`,
      )
      .bind(count, id)
      .run();
  };
  const newId = (name: string) => `printf('%08d', i) || substr(${name}, 9)`;
  await copied("outbox", { queue: newId("queue"), id: newId("id"), subscription_id: newId("queue") }, "queue = ?2");
  await copied("subscriptions", { id: newId("id") }, "id = ?2");
}

describe("a subscription that holds deliveries", () => {
  test("is enabled without what it held, each of which ends as a failed attempt that was not sent", async () => {
    const person = await signUpVerified();
    const inbox = newInbox("200");
    const id = await subscribe(person, inbox.url, HOLDS);
    await api(person, "POST", `${id}/pause`);
    await publish(await logIn(person), "unwanted");
    pass(1_000);
    expect((await api(person, "POST", `${id}/resume?held=drop`)).status).toBe(200);
    pass(1_000);
    await publish(await logIn(person), "wanted");
    await release();
    await release();
    await sweepNow();
    expect((await inbox.arrived(1)).map(({ body }) => body)).toEqual(['"wanted"']);
    await eventually("the result", async () => (await attemptsOf(id)).some(({ status }) => status === "success"));
    expect(await attemptsOf(id)).toMatchObject([{ status: "failed", error: "dropped" }, { status: "success" }]);
    expect(await row(id)).toMatchObject({ enabled: 1, released_to: null, dropped_to: null });
    expect((await api(person, "POST", `${id}/resume?held=perhaps`)).status).toBe(400);
  });

  test("that drops held deliveries publishes an event for each, with the correlation id of its cause", async () => {
    const person = await signUpVerified();
    await subscribe(person, newInbox("200").url, { events: ["postern.delivery.exhausted"] });
    const id = await subscribe(person, newInbox("200").url, HOLDS);
    await api(person, "POST", `${id}/pause`);
    const event = await publish(await logIn(person), 1, { correlationId: "cause-1" });
    pass(1_000);
    await api(person, "POST", `${id}/resume?held=drop`);
    await release();
    await release();
    const { results } = await deliveryDb
      .prepare(
        `SELECT payload, correlation_id AS cause FROM events WHERE tenant_id = ?
          AND type = 'postern.delivery.exhausted'`,
      )
      .bind(person.tenantId)
      .all<{ payload: string; cause: string }>();
    expect(results.map(({ payload, cause }) => ({ ...JSON.parse(payload), cause }))).toMatchObject([
      { webhookId: id, eventId: event.id, attempts: 1, lastError: "dropped", responseCode: null, cause: "cause-1" },
    ]);
  });

  test("can retry a manual retry that was dropped", async () => {
    const person = await signUpVerified();
    const id = await subscribe(person, newInbox("500").url, HOLDS);
    await attempt(person, id, 1);
    const untilMs = Date.now() + 600_000;
    await deliveryDb
      .prepare("UPDATE subscriptions SET held_until = ?, has_backlog = 1 WHERE id = ?")
      .bind(untilMs, id)
      .run();
    await api(person, "POST", `${id}/retry`);
    await eventually("the retry waits", async () => (await countHeld(id)) === 1);
    await api(person, "POST", `${id}/pause`);
    pass(1_000);
    await api(person, "POST", `${id}/resume?held=drop`);
    await release();
    expect(await countHeld(id)).toBe(0);
    await api(person, "POST", `${id}/retry`);
    expect(await countManualRetries(id)).toBe(2);
  });

  test("is released step by step after a drop that found nothing held", async () => {
    const person = await signUpVerified();
    const id = await subscribe(person, newInbox("200").url, HOLDS);
    await api(person, "POST", `${id}/pause`);
    await api(person, "POST", `${id}/resume?held=drop`);
    await sweepNow();
    await api(person, "POST", `${id}/pause`);
    await hold(person, id, 300);
    await api(person, "POST", `${id}/resume`);
    const before = await row(id);
    await release();
    expect(before?.released_to).toBeGreaterThan(0);
    expect(await row(id)).toEqual(before);
    await deliveryDb.prepare("DELETE FROM outbox WHERE queue = ?").bind(id).run();
  });

  test("whose drop fails does not hold up the others of its database", async () => {
    const person = await signUpVerified();
    const ids: string[] = [];
    for (const _ of [1, 2]) {
      const id = await subscribe(person, newInbox("200").url, HOLDS);
      ids.push(id);
      await api(person, "POST", `${id}/pause`);
    }
    await publish(await logIn(person), 1);
    pass(1_000);
    for (const id of ids) await api(person, "POST", `${id}/resume?held=drop`);
    await deliveryDb
      .prepare(
        `CREATE TRIGGER refused BEFORE DELETE ON outbox WHEN old.queue = '${ids[0]}' BEGIN
          SELECT raise(ABORT, 'refused'); END`,
      )
      .run();
    await release();
    expect(await Promise.all(ids.map(countHeld))).toEqual([1, 0]);
    await deliveryDb.prepare("DROP TRIGGER refused").run();
    await release();
    expect(await countHeld(ids[0] ?? "")).toBe(0);
  });

  test("is one of 300 that drop at once: a run leaves D1 calls to the other jobs, other tenants do not wait, and later runs finish", async () => {
    const [id, ofOther] = [await dropping(await signUpVerified()), await dropping(await signUpVerified())];
    await copy(id, 300);
    const countAll = () =>
      deliveryDb
        .prepare(
          "SELECT count(*) AS n FROM outbox WHERE tenant_id = (SELECT tenant_id FROM subscriptions WHERE id = ?)",
        )
        .bind(id)
        .first<number>("n");
    expect(await countAll()).toBe(301);
    const context = createExecutionContext();
    const deps = await createDeps(env, context);
    const jobs: Jobs = { releaseHeld: { every: "minute", run: releaseHeld } };
    const { mayContinue } = await runJobs(deps, jobs, begin(jobs, [], "minute", SHARD), SHARD);
    await waitOnExecutionContext(context);
    expect([mayContinue, deps.trips.trips < 310]).toEqual([true, true]);
    expect([await countHeld(ofOther), (await row(ofOther))?.dropped_to]).toEqual([0, null]);
    for (let runs = 0; runs < 6; runs += 1) await release();
    expect(await countAll()).toBe(0);
  });

  test("is counted only when it has grown lately, because counting reads every row", async () => {
    const person = await signUpVerified();
    const id = await subscribe(person, newInbox("200").url, HOLDS);
    await api(person, "POST", `${id}/pause`);
    await hold(person, id, 100_001);
    pass(45 * 60_000);
    await releaseForTenMinutes();
    expect(await countHeld(id)).toBe(100_001);
    await publish(await logIn(person), "one more");
    await releaseForTenMinutes();
    expect(await countHeld(id)).toBe(100_000);
    await deliveryDb.prepare("DELETE FROM outbox WHERE queue = ?").bind(id).run();
  });

  test("of 100,001 drops the oldest one, and is counted again after ten minutes", async () => {
    const person = await signUpVerified();
    const id = await subscribe(person, newInbox("200").url, HOLDS);
    await api(person, "POST", `${id}/pause`);
    await hold(person, id, 100_001);
    const counts: (number | null)[] = [];
    while (counts.at(-1) !== 100_000 && counts.length < 10) {
      pass(60_000);
      await release();
      counts.push(await countHeld(id));
    }
    expect(counts.at(-1)).toBe(100_000);
    expect(await attemptsOf(id)).toEqual([{ status: "failed", error: "hold overflow", attempt_count: 1 }]);
    const oldest = await deliveryDb
      .prepare("SELECT min(id) AS id FROM outbox WHERE queue = ?")
      .bind(id)
      .first<string>("id");
    expect(oldest?.slice(0, 8)).toBe("00000002");
    await publish(await logIn(person), "one more");
    for (let minute = 1; minute < 10; minute += 1) {
      pass(60_000);
      await release();
    }
    expect(await countHeld(id)).toBe(100_001);
    pass(60_000);
    await release();
    expect(await countHeld(id)).toBe(100_000);
    await deliveryDb.prepare("DELETE FROM outbox WHERE queue = ?").bind(id).run();
  });
});
