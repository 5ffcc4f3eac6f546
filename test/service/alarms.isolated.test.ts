/** Alarms about the service: each is told once when it begins and once when it ends, however many runs there are. */
import { createExecutionContext, createMessageBatch, getQueueResult } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import worker from "../../src";
import { MAX_SHARD_BYTES, noteSize } from "../../src/base/db/shard-sizes-store";
import { HOUR_MS, MINUTE_MS } from "../../src/base/time";
import { forgetFailures, noteFailure } from "../../src/identity/legacy-login/failures-store";
import { tellAlarms } from "../../src/service/alarms/tell";
import { reencrypt, reencryptAfterChange } from "../../src/service/reencryption/reencrypt";
import { addDue, countWrites, forgetAlarms, newPlace, run } from "../support/alarms";
import { signUp } from "../support/client";
import { userWithoutMail } from "../support/fixtures";
import { LEGACY } from "../support/former-service";
import { captureLog } from "../support/log-lines";
import { mailsTo } from "../support/mailbox";
import { newInbox, subscribe } from "../support/receiver";
import { deliveryDb, SHARD } from "../support/shard";
import { maintain } from "../support/upkeep";

const { lines } = captureLog();

const pass = (ms: number) => void vi.setSystemTime(Date.now() + ms);

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  await forgetAlarms();
});
afterEach(() => void vi.useRealTimers());

describe("an alarm", () => {
  test("is told once when it begins and once when it ends, of 20 runs at once", async () => {
    const place = newPlace();
    const lookOften = () => Promise.all(Array.from({ length: 20 }, async () => tellAlarms(await place.depsWith())));
    await addDue(Date.now() - 6 * MINUTE_MS);
    await lookOften();
    await lookOften();
    const finding = `deliveriesLate:${SHARD}`;
    expect(place.told()).toEqual([`began ${finding}`]);
    await run("DELETE FROM outbox");
    await lookOften();
    await lookOften();
    expect(place.told()).toEqual([`began ${finding}`, `ended ${finding}`]);
    expect((await env.DB.prepare("SELECT * FROM alarms").all()).results).toEqual([]);
    const title = `Deliveries are late in database ${SHARD}`;
    expect((await place.mails()).map(({ subject }) => subject)).toEqual([`Alarm: ${title}`, `Over: ${title}`]);
    const [began, ended] = [lines("alarm began"), lines("alarm ended")];
    expect([began, ended].map((all) => all.map(({ level, finding: of }) => [level, of]))).toEqual([
      [["error", finding]],
      [["info", finding]],
    ]);
  });

  test("says in its mail what is wrong, since when and what to do, and in its message too", async () => {
    const place = newPlace();
    const since = Date.UTC(2026, 10, 20, 10, 0);
    await addDue(since);
    await place.look();
    const [{ text = "" } = {}] = await place.mails();
    for (const part of [
      "has waited for more than five minutes",
      "Since 20 November 2026 at 10:00 UTC",
      "Look for errors",
      "https://postern.test/docs/runbooks/late-deliveries",
    ]) {
      expect(text).toContain(part);
    }
    expect(place.messages).toEqual([
      {
        id: expect.stringMatching(`^\\d+:deliveriesLate:${SHARD}:began$`),
        state: "began",
        finding: `deliveriesLate:${SHARD}`,
        title: `Deliveries are late in database ${SHARD}`,
        what: expect.stringContaining("five minutes"),
        advice: expect.any(String),
        since: "2026-11-20T10:00:00.000Z",
        endedAt: null,
      },
    ]);
    await run("DELETE FROM outbox");
    await place.look();
    expect((await place.mails())[1]?.text).toContain("It began on 20 November 2026 at 10:00 UTC and was over on");
  });

  test.each([
    ["has waited for six minutes", 6, "slow_until = 0", ["began"]],
    ["has waited for four minutes", 4, "slow_until = 0", []],
    ["has waited for an hour, of a slow subscription", 61, "slow_until = 9e15", ["began"]],
    ["has waited for 50 minutes, of a slow subscription", 50, "slow_until = 9e15", []],
    ["is held, because its subscription is paused", 61, "enabled = 0, released_to = 0", []],
  ])("about lanes is told if a delivery in the lane of a subscription %s", async (_what, minutes, state, told) => {
    const place = newPlace();
    await run(`INSERT INTO subscriptions (id, tenant_id, name, url, events, secret_sealed, secret_digest, enabled,
      has_backlog, created_at, updated_at) VALUES ('s', 't', '', '', '[]', '', '', 1, 1, 0, 0)`);
    await run(`UPDATE subscriptions SET ${state} WHERE id = 's'`);
    await addDue(Date.now() - minutes * MINUTE_MS);
    await run("UPDATE outbox SET queue = subscription_id");
    await place.look();
    await run("DELETE FROM outbox");
    await place.look();
    await run("DELETE FROM subscriptions WHERE id = 's'");
    const finding = `lanesLate:${SHARD}`;
    expect(place.told()).toEqual(told.flatMap((began) => [`${began} ${finding}`, `ended ${finding}`]));
  });

  test("is told again by the next run if the queue was down, and by mail once all the same", async () => {
    const place = newPlace();
    await addDue(1);
    await place.look({ ALERTS_QUEUE: { send: () => Promise.reject(new Error("down")) } });
    await place.look();
    await place.look();
    expect(place.told()).toEqual([`began deliveriesLate:${SHARD}`]);
    await run("DELETE FROM outbox");
    await place.look();
    expect(await place.mails()).toHaveLength(2);
  });

  test("is told after five minutes if the run that claimed it has died", async () => {
    const place = newPlace();
    await addDue(1);
    await env.DB.prepare("INSERT INTO alarms (finding, noted_at, since, claimed_until) VALUES (?, 1, 1, ?)")
      .bind(`deliveriesLate:${SHARD}`, Date.now() + 5 * MINUTE_MS)
      .run();
    await place.look();
    expect(place.told()).toEqual([]);
    pass(5 * MINUTE_MS);
    await place.look();
    expect(place.told()).toEqual([`began deliveriesLate:${SHARD}`]);
  });

  test("is a line of the log alone where neither mail nor queue is set", async () => {
    const place = newPlace();
    await noteSize(await place.depsWith().then(({ db }) => db), SHARD, 0.9 * MAX_SHARD_BYTES, 1);
    const before = lines("alarm began").length;
    for (let time = 0; time < 2; time += 1) await place.look({ ALERT_MAIL: "", ALERTS_QUEUE: undefined });
    expect(lines("alarm began").length).toBe(before + 1);
    expect([mailsTo(place.address), place.messages]).toEqual([[], []]);
  });

  test("neither begins nor ends while its database is down", async () => {
    const place = newPlace();
    await addDue(1, env.SHARD_1);
    await place.look();
    const down = new Proxy(env.SHARD_1, {
      get: (target, name) =>
        name === "batch"
          ? () => Promise.reject(new Error("D1_ERROR: Network connection lost."))
          : Reflect.get(target, name).bind(target),
    });
    await place.look({ SHARD_1: down });
    await place.look({ SHARD_1: down });
    expect(place.told()).toEqual(["began deliveriesLate:1"]);
  });
});

test("while nothing is wrong, no row is written", async () => {
  const place = newPlace();
  await maintain(await place.depsWith(), reencryptAfterChange);
  const { counted, rowsWritten } = countWrites();
  const deps = await place.depsWith({ DB: counted(env.DB), SHARD_1: counted(env.SHARD_1) });
  await maintain(deps, reencryptAfterChange);
  await tellAlarms(deps);
  expect([rowsWritten(), place.messages]).toEqual([0, []]);
});

describe("what is found", () => {
  test("late deliveries: beyond five minutes, until the oldest is less than a minute old", async () => {
    const place = newPlace();
    await addDue(Date.now() - 4.9 * MINUTE_MS);
    await place.look();
    expect(place.told()).toEqual([]);
    pass(0.2 * MINUTE_MS);
    await place.look();
    await run("UPDATE outbox SET due_at = ?", Date.now() - 2 * MINUTE_MS);
    await place.look();
    expect(place.told()).toEqual([`began deliveriesLate:${SHARD}`]);
    await run("UPDATE outbox SET due_at = ?", Date.now() - MINUTE_MS / 2);
    await place.look();
    expect(place.told()).toEqual([`began deliveriesLate:${SHARD}`, `ended deliveriesLate:${SHARD}`]);
  });

  test("dead letters, by what they were, until none has come for an hour", async () => {
    const place = newPlace();
    const hour = Date.now() - (Date.now() % HOUR_MS);
    await env.DB.prepare(
      "INSERT INTO dead_letters VALUES (?1, 'postern-mail-dead', 1), (?2, 'postern-deliveries-dead', 1)",
    )
      .bind(hour, hour - 2 * HOUR_MS)
      .run();
    await place.look();
    pass(HOUR_MS);
    await place.look();
    expect(place.told()).toEqual(["began deadLetters:mail"]);
    pass(HOUR_MS);
    await place.look();
    expect(place.told()).toEqual(["began deadLetters:mail", "ended deadLetters:mail"]);
  });

  test("a database beyond 85 %", async () => {
    const place = newPlace();
    const { db } = await place.depsWith();
    const told = [];
    for (const share of [0.85, 0.86, 0.9, 0.8]) {
      await noteSize(db, 1, share * MAX_SHARD_BYTES, 1);
      await place.look();
      told.push(place.messages.splice(0).map(({ state, finding }) => `${state} ${finding}`));
    }
    expect(told).toEqual([[], ["began databaseFull:1"], [], ["ended databaseFull:1"]]);
  });

  test("mail that fails for ten minutes, three times at least, until one is sent", async () => {
    const place = newPlace();
    const userId = await userWithoutMail();
    const consume = async (send: () => Promise<unknown>) => {
      const body = { kind: "verification", id: crypto.randomUUID(), userId };
      const batch = createMessageBatch("postern-mail", [{ id: "m", timestamp: new Date(), attempts: 1, body }]);
      const context = createExecutionContext();
      await worker.queue(batch, { ...env, EMAIL: { send } } as unknown as Env, context);
      await getQueueResult(batch, context);
    };
    const refuse = (code: string) => consume(() => Promise.reject(Object.assign(new Error("refused"), { code })));
    await refuse("E_SENDER_NOT_VERIFIED");
    await refuse("E_SENDER_NOT_VERIFIED");
    for (let time = 0; time < 3; time += 1) await refuse("E_RECIPIENT_SUPPRESSED");
    pass(10 * MINUTE_MS);
    await place.look();
    expect(place.told()).toEqual([]);
    await refuse("E_DAILY_LIMIT_EXCEEDED");
    pass(-MINUTE_MS);
    await place.look();
    expect(place.told()).toEqual([]);
    pass(MINUTE_MS);
    // By the queue only: a mail about it would be sent, which ends it.
    const withoutMail = { ALERT_MAIL: "" };
    await place.look(withoutMail);
    expect(place.told()).toEqual(["began mailFailing:"]);
    await consume(() => Promise.resolve());
    await place.look(withoutMail);
    expect(place.told()).toEqual(["began mailFailing:", "ended mailFailing:"]);
  });

  test("a former service that fails for ten minutes, three times at least, until it answers or is no longer asked", async () => {
    const place = newPlace();
    const fail = async (times: number) => {
      for (let time = 0; time < times; time += 1) await noteFailure(await place.depsWith(), Date.now());
    };
    await fail(2);
    pass(10 * MINUTE_MS);
    await place.look(LEGACY);
    expect(place.told()).toEqual([]);
    await fail(1);
    await place.look();
    expect(place.told()).toEqual([]);
    await place.look(LEGACY);
    await place.look({ ...LEGACY, LEGACY_LOGIN_UNTIL: new Date(Date.now() - 1).toISOString() });
    await place.look(LEGACY);
    await forgetFailures(await place.depsWith());
    await place.look(LEGACY);
    const [began, ended] = ["began legacyLoginFailing:", "ended legacyLoginFailing:"];
    expect(place.told()).toEqual([began, ended, began, ended]);
  });

  test("a missing key is over, too, when no secret needs it any more", async () => {
    const place = newPlace();
    await env.DB.prepare("INSERT INTO key_checks (id, ring, missing) VALUES (1, ?, '[\"deadbeef\"]')")
      .bind((await place.depsWith()).keys[0].id)
      .run();
    await place.look();
    expect(place.told()).toEqual(["began keyMissing:deadbeef"]);
    await maintain(await place.depsWith(), reencrypt);
    await place.look();
    expect(place.told()).toEqual(["began keyMissing:deadbeef", "ended keyMissing:deadbeef"]);
  });

  test("a key that secrets need and SECRET_KEYS has no more, until it is back", async () => {
    const place = newPlace();
    await subscribe(await signUp(), newInbox("200").url);
    const NEW_KEY = "c7341a0d7fd1b794ab602ff5266fb9c58b837dc52afbec65abc0cfd415b64327";
    const minute = async (keys: string) => {
      await maintain(await place.depsWith({ SECRET_KEYS: keys }), reencryptAfterChange);
      await place.look({ SECRET_KEYS: keys });
    };
    const [old] = (await place.depsWith()).keys;
    await minute(env.SECRET_KEYS);
    expect(place.told()).toEqual([]);
    await minute(NEW_KEY);
    await minute(NEW_KEY);
    expect(place.told()).toEqual([`began keyMissing:${old.id}`]);
    await minute(`${NEW_KEY},${env.SECRET_KEYS}`);
    expect(place.told()).toEqual([`began keyMissing:${old.id}`, `ended keyMissing:${old.id}`]);
    const { results } = await deliveryDb
      .prepare("SELECT DISTINCT substr(secret_sealed, 1, 8) AS id FROM subscriptions")
      .all<{ id: string }>();
    expect(results.map(({ id }) => id)).not.toContain(old.id);
    await minute(NEW_KEY);
    expect(place.told()).toHaveLength(2);
  });
});
