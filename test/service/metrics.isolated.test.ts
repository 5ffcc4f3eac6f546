/**
 * `/metrics`: who may read it, its format, what it shows, and that it costs the same however full the databases are.
 */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import worker from "../../src";
import { parseConfig } from "../../src/base/config/config";
import { createDeps } from "../../src/base/deps";
import { HOUR_MS } from "../../src/base/time";
import { METRICS, type MetricName } from "../../src/service/metrics/catalogue";
import { collect } from "../../src/service/metrics/collect";
import { countTotals } from "../../src/service/metrics/totals";
import { signUp } from "../support/client";
import { parseMetrics, type Read } from "../support/metrics";
import { endedAttempts, newInbox, publish, subscribe } from "../support/receiver";
import { deliveryDb, SHARD } from "../support/shard";
import { newConnection } from "../support/signed-on";
import { maintain } from "../support/upkeep";

/** A new one makes the service read anew, for a page is kept under its settings. */
const newToken = () => crypto.randomUUID().replaceAll("-", "");

async function get(bindings: object, token?: string) {
  const context = createExecutionContext();
  const request = new Request<unknown, IncomingRequestCfProperties>("http://postern.test/metrics", {
    headers: { "cf-connecting-ip": crypto.randomUUID(), ...(token ? { authorization: `Bearer ${token}` } : {}) },
  });
  const response = await worker.fetch(request, { ...env, ...bindings } as Env, context);
  const text = await response.text();
  await waitOnExecutionContext(context);
  return { status: response.status, type: response.headers.get("content-type"), text };
}

async function scrape(bindings: object = {}, token = newToken()): Promise<{ text: string; read: Read }> {
  const { status, text } = await get({ METRICS_TOKEN: token, ...bindings }, token);
  expect(status).toBe(200);
  return { text, read: parseMetrics(text) };
}

const subscriptionRow = `INSERT INTO subscriptions
    (id, tenant_id, name, url, events, secret_sealed, secret_digest, enabled, created_at, updated_at)`;
const outboxRow = "INSERT INTO outbox (queue, due_at, id, tenant_id, subscription_id, event_id, kind, bytes)";

beforeEach(async () => {
  for (const table of ["outbox", "subscriptions", "hourly_stats", "episodes", "events", "attempts"]) {
    await deliveryDb.prepare(`DELETE FROM ${table}`).run();
  }
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("the door", () => {
  test("does not exist without a token, and asks for the right one with it", async () => {
    const token = newToken();
    expect((await get({ METRICS_TOKEN: undefined }, token)).status).toBe(404);
    expect((await get({ METRICS_TOKEN: token }, token)).status).toBe(200);
    for (const wrong of [undefined, "", token.slice(1), `${token}0`, newToken()]) {
      expect((await get({ METRICS_TOKEN: token }, wrong)).status).toBe(401);
    }
  });

  test.each(["", "x".repeat(40), "0123456789abcdef0123456789abcde"])("a token like %j turns metrics off", (token) => {
    const { refused, metricsToken } = parseConfig({ ...env, METRICS_TOKEN: token });
    expect([metricsToken, refused[0]]).toEqual([undefined, expect.stringMatching(/METRICS_TOKEN must be at least 32/)]);
  });
});

describe("a page", () => {
  test("is in the text format, names the metrics of the catalogue with their labels, and no other", async () => {
    await env.DB.prepare("INSERT OR REPLACE INTO shards (shard, bytes, noted_at) VALUES (0, 1, 1), (1, 1, 1)").run();
    await newConnection((await signUp()).tenantId);
    const { text, read } = await scrape();
    const token = newToken();
    expect((await get({ METRICS_TOKEN: token }, token)).type).toBe("text/plain; version=0.0.4; charset=utf-8");
    const missing = (Object.keys(METRICS) as MetricName[]).filter((name) => !text.includes(`# TYPE ${name} `));
    // The local queues may not tell how old their messages are, and no cron has run.
    expect(missing.filter((name) => !/^postern_(queue|cron)_/.test(name))).toEqual([]);
    for (const { name, labels } of read.samples) {
      expect([name, Object.keys(labels)]).toEqual([name, METRICS[name as MetricName]?.labels]);
    }
  });

  test("shows what is open, apart and held, and how late the oldest is", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const nowMs = Date.now();
    const insert = (row: string) => deliveryDb.prepare(row);
    const outbox = (queue: string, dueAt: number, id: string, subscription = "s") =>
      insert(`${outboxRow} VALUES ('${queue}', ${dueAt}, '${id}', 't', '${subscription}', 'e', 'event', 1)`);
    await deliveryDb.batch([
      outbox("", nowMs - 90_000, "due-1"),
      outbox("", nowMs - 1_000, "due-2"),
      outbox("", nowMs - 2_000, "leased"),
      outbox("", nowMs + HOUR_MS, "later"),
      insert(`INSERT INTO attempts (subscription_id, id, event_id, event_type, kind, status, attempt_count,
        attempted_at)
        VALUES ('s', 'leased', 'e', 'T', 'event', 'pending', 1, 1)`),
      insert(
        `${subscriptionRow} VALUES ('behind', 't', '', '', '[]', '', '', 1, 1, 1), ('paused', 't', '', '', '[]', '', '',
          0, 1, 1),
          ('by operator', 'held', '', '', '[]', '', '', 1, 1, 1)`,
      ),
      insert("INSERT OR IGNORE INTO sends_held (tenant_id, cause, since) VALUES ('held', 'held', 1)"),
      insert("UPDATE subscriptions SET has_backlog = 1, released_to = iif(enabled, NULL, 10)"),
      outbox("behind", 5, "b1", "behind"),
      outbox("paused", 5, "p1", "paused"),
      outbox("paused", 11, "p2", "paused"),
      outbox("paused", nowMs + HOUR_MS, "p3", "paused"),
      outbox("by operator", 5, "h1", "by operator"),
      insert(
        `INSERT INTO events (id, tenant_id, type, payload, delivery_count, fan_out_after, created_at)
          VALUES ('e', 't', 'T', '1', 1, 's', 1)`,
      ),
    ]);
    const { value } = (await scrape()).read;
    const open = (state: string) => value("postern_deliveries_open", { shard: SHARD, state });
    expect([open("due"), open("leased"), open("backlog"), open("held")]).toEqual([2, 1, 2, 3]);
    expect(value("postern_oldest_due_seconds", { shard: SHARD })).toBe(90);
    expect(value("postern_events_waiting_fan_out", { shard: SHARD })).toBe(1);
    const other = 1 - SHARD;
    expect(value("postern_oldest_due_seconds", { shard: other })).toBe(0);
    expect(value("postern_deliveries_open", { shard: other, state: "due" })).toBe(0);
  });

  test("shows subscriptions by state, attempts and latencies of the last full hour, and dead letters", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const hour = Date.now() - (Date.now() % HOUR_MS) - HOUR_MS;
    const row = (id: string, enabled: 0 | 1) => `('${id}', 't', '', '', '[]', '', '', ${enabled}, 1, 1)`;
    const rows = ["a", "b", "slow", "failing", "recovered"].map((id) => row(id, 1));
    await deliveryDb.batch(
      [
        `${subscriptionRow} VALUES ${[...rows, row("paused", 0), row("off", 0), row("gone", 1)].join(", ")}`,
        `UPDATE subscriptions SET is_deleted = id = 'gone', slow_until = iif(id = 'slow', 9e15, 0), disabled_reason =
          iif(id = 'off', 'failing', NULL)`,
        `INSERT INTO episodes (subscription_id, tenant_id, failing_since, stage)
          VALUES ('failing', 't', 1, 1), ('off', 't', 1, 3), ('recovered', 't', 1, 4)`,
        `INSERT INTO hourly_stats (subscription_id, hour, succeeded, failed, latency_0, latency_3, latency_9) VALUES
          ('a', ${hour}, 5, 1, 4, 1, 1), ('gone', ${hour}, 2, 0, 0, 2, 0), ('a', ${hour + HOUR_MS}, 100, 100, 100, 0,
            0)`,
      ].map((query) => deliveryDb.prepare(query)),
    );
    await env.DB.prepare(
      "INSERT OR REPLACE INTO dead_letters VALUES (?1, 'x-mail-dead', 2), (?1, 'x-dead', 3), (?2, 'x-dead', 9)",
    )
      .bind(hour, hour - HOUR_MS)
      .run();
    const { value } = (await scrape()).read;
    const states = ["healthy", "failing", "slow", "disabled", "paused"];
    expect(states.map((state) => value("postern_subscriptions", { shard: SHARD, state }))).toEqual([3, 1, 1, 1, 1]);
    expect(["success", "failed"].map((result) => value("postern_attempts", { shard: SHARD, result }))).toEqual([7, 1]);
    const within = ["0.025", "0.1", "0.25", "10", "+Inf"];
    expect(within.map((seconds) => value("postern_attempts_within", { shard: SHARD, seconds }))).toEqual([
      4, 4, 7, 7, 8,
    ]);
    expect(value("postern_attempts_hour_timestamp_seconds", { shard: SHARD })).toBe(hour / 1000);
    expect(["mail", "deliveries"].map((queue) => value("postern_dead_letters", { queue }))).toEqual([2, 3]);
  });

  test("names no tenant, address, type or secret", async () => {
    const person = await signUp();
    const id = await subscribe(person, `${newInbox("200").url}?token=recognisable`, { name: "recognisable" });
    const event = await publish(person, { recognisable: 1 });
    await endedAttempts(person, id, 1);
    const token = newToken();
    const { text } = await scrape({}, token);
    const secrets = [
      person.tenantId,
      person.userId,
      person.email,
      id,
      event.id,
      token,
      "recognisable",
      "http",
      "OrderPaid",
    ];
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
  });

  test("is at most 15 seconds old, and is not read again before that", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const token = newToken();
    const first = await scrape({}, token);
    await deliveryDb.prepare(`${outboxRow} VALUES ('', 1, 'd', 't', 's', 'e', 'event', 1)`).run();
    expect((await scrape({}, token)).text).toBe(first.text);
    vi.setSystemTime(Date.now() + 14_000);
    expect((await scrape({}, token)).text).toBe(first.text);
    vi.setSystemTime(Date.now() + 1_000);
    expect((await scrape({}, token)).read.value("postern_deliveries_open", { shard: SHARD, state: "due" })).toBe(1);
  });
});

describe("a database that is down", () => {
  const failing = (database: D1Database, how: () => unknown) =>
    new Proxy(database, { get: (target, name) => (name === "batch" ? how : Reflect.get(target, name).bind(target)) });
  const lost = () => Promise.reject(new Error("D1_ERROR: Network connection lost."));

  test.each([
    [0, "DB"],
    [1, "SHARD_1"],
  ] as const)("%i is reported, and the other is shown", async (shard, binding) => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const { value } = (await scrape({ [binding]: failing(env[binding], lost) })).read;
    expect([0, 1].map((one) => value("postern_shard_up", { shard: one }))).toEqual(shard === 0 ? [0, 1] : [1, 0]);
    expect(value("postern_oldest_due_seconds", { shard })).toBeUndefined();
    expect(value("postern_oldest_due_seconds", { shard: 1 - shard })).toBe(0);
  });

  test("and does not answer counts as down after 5 seconds", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const bindings = { ...env, SHARD_1: failing(env.SHARD_1, () => new Promise(() => undefined)) };
    const collecting = collect(await createDeps(bindings, createExecutionContext()));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(
      (await collecting).find(({ name, labels }) => name === "postern_shard_up" && labels.shard === 1)?.value,
    ).toBe(0);
  });
});

/** Rows of a table, by number. */
const numbered = (count: number) =>
  `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`;

test("with more subscriptions than a page reads, the counts of the hourly cron are shown", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const hour = Date.now() - (Date.now() % HOUR_MS) - HOUR_MS;
  await env.DB.prepare("INSERT OR REPLACE INTO shards (shard, bytes, noted_at) VALUES (?, 1, 1)").bind(SHARD).run();
  await deliveryDb.batch(
    [
      `${subscriptionRow} ${numbered(1_234)} SELECT 'n' || i, 't', '', '', '[]', '', '', i > 4, 1, 1 FROM n`,
      `INSERT INTO hourly_stats (subscription_id, hour, succeeded, latency_1) ${numbered(1_234)}
        SELECT 'n' || i, ${hour}, 2, 2 FROM n`,
    ].map((query) => deliveryDb.prepare(query)),
  );
  const subscriptions = ({ value }: Read) =>
    ["healthy", "paused"].map((state) => value("postern_subscriptions", { shard: SHARD, state }));
  // Before its first run too, or an alert on absence would go off.
  expect(subscriptions((await scrape()).read)).toEqual([1_230, 4]);
  await maintain(await createDeps({ ...env, METRICS_TOKEN: newToken() } as Env, createExecutionContext()), countTotals);
  const { read } = await scrape();
  expect(subscriptions(read)).toEqual([1_230, 4]);
  expect(read.value("postern_attempts", { shard: SHARD, result: "success" })).toBe(2_468);
  expect(read.value("postern_attempts_within", { shard: SHARD, seconds: "0.05" })).toBe(2_468);
});

test("costs at most five statements and 2,000 rows of a database, with 10,000 rows and with a million", async () => {
  const cost = async () => {
    const counts = { statements: 0, rowsRead: 0 };
    const counted = (database: D1Database) =>
      new Proxy(database, {
        get: (target, name) =>
          name !== "batch"
            ? Reflect.get(target, name).bind(target)
            : async (statements: D1PreparedStatement[]) => {
                const results = await target.batch(statements);
                counts.statements += results.length;
                if (target === deliveryDb) for (const { meta } of results) counts.rowsRead += meta.rows_read;
                return results;
              },
      });
    const { read } = await scrape({ DB: counted(env.DB), SHARD_1: counted(env.SHARD_1), SIGN_ON: "off" });
    expect(read.value("postern_deliveries_open", { shard: SHARD, state: "leased" })).toBe(300);
    expect(read.value("postern_deliveries_open", { shard: SHARD, state: "held" })).toBe(200);
    return counts;
  };
  const hour = Date.now() - (Date.now() % HOUR_MS) - HOUR_MS;
  const fill = (from: number, count: number) =>
    deliveryDb.batch(
      [
        `${outboxRow} ${numbered(count * 0.6)} SELECT '', i, '${from}-' || i, 't', 's', 'e', 'event', 1 FROM n`,
        `${outboxRow} ${numbered(count * 0.2)} SELECT 'a' || (i % 500), i, '${from}-' || i, 't', 's', 'e', 'event', 1
          FROM n`,
        `INSERT INTO events (id, tenant_id, type, payload, delivery_count, fan_out_after, created_at)
          ${numbered(count * 0.1)} SELECT '${from}-' || i, 't', 'T', '1', 1, 's', i FROM n`,
        `${subscriptionRow} ${numbered(count * 0.05)} SELECT iif(${from} = 0, 'a', 'c') || i, 't', '', '', '[]', '', '',
          1, 1, 1 FROM n`,
        `INSERT INTO hourly_stats (subscription_id, hour) ${numbered(count * 0.05)}
          SELECT iif(${from} = 0, 'a', 'c') || i, ${hour} FROM n`,
        // What makes the limited rows cost most: all are being sent, fail, and are held.
        `INSERT INTO attempts (subscription_id, id, event_id, event_type, kind, status, attempt_count, attempted_at)
          ${numbered(300)} SELECT 's', '${from}-' || i, 'e', 'T', 'event', 'pending', 1, 1 FROM n`,
        `INSERT OR IGNORE INTO episodes (subscription_id, tenant_id, failing_since) ${numbered(500)}
          SELECT 'a' || i, 't', 1 FROM n`,
        "INSERT OR IGNORE INTO sends_held (tenant_id, cause, since) VALUES ('t', 'held', 1)",
        "UPDATE subscriptions SET has_backlog = 1 WHERE id < 'c'",
      ].map((query) => deliveryDb.prepare(query)),
    );
  await fill(0, 10_000);
  const few = await cost();
  await fill(10_000, 990_000);
  const many = await cost();
  // Two databases here: two statements of the control plane, and three of each.
  expect(many.statements).toBe(8);
  expect(few.statements).toBe(8);
  expect(few.rowsRead).toBeLessThanOrEqual(2_000);
  expect(many.rowsRead).toBeLessThanOrEqual(2_000);
}, 60_000);
