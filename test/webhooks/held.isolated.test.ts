/**
 * What is published while a subscription is paused or disabled is held if its options say so, and goes out in order
 * afterwards.
 */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { eventually, logIn, signUpVerified } from "../support/client";
import { addDelivery, consumeBatch, messageFor, outboxRow, sweepNow } from "../support/engine";
import { answerWith, attempt, episodeOf, pass, review } from "../support/failing";
import { api, attemptsOf, countHeld, HOLDS, hold, release, row } from "../support/held";
import { newInbox, publish, subscribe } from "../support/receiver";
import { deliveryDb } from "../support/shard";

const HOUR_MS = 3_600_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: Date.now() }));
afterEach(() => void vi.useRealTimers());

describe("a paused subscription that holds", () => {
  test("receives what was published meanwhile, in order, when it is resumed", async () => {
    const person = await signUpVerified();
    const inbox = newInbox("200");
    const id = await subscribe(person, inbox.url, HOLDS);
    const retry = await addDelivery(person, id);
    await api(person, "POST", `${id}/pause`);
    // A retry that comes due is held too, and uses no attempt.
    await consumeBatch([messageFor(retry)]);
    await eventually("the retry", async () => (await outboxRow(retry))?.queue === id);
    for (const n of [1, 2, 3]) {
      pass(10);
      expect(await publish(await logIn(person), n)).toMatchObject({ deliveries: 1 });
    }
    pass(60_000);
    await sweepNow();
    await release();
    expect(await inbox.received()).toEqual([]);
    expect(await attemptsOf(id)).toEqual([]);
    expect(await countHeld(id)).toBe(4);
    // No sweep has to find them.
    await api(person, "POST", `${id}/resume`);
    const bodies = (await inbox.arrived(4)).map(({ body }) => body);
    // Three at a time.
    expect([bodies.slice(0, 3).toSorted(), bodies[3]]).toEqual([["1", "1", "2"], "3"]);
    await eventually("the results", async () => (await countHeld(id)) === 0);
    await sweepNow();
    expect(await row(id)).toMatchObject({ enabled: 1, has_backlog: 0, released_to: null });
  });

  test("skips by default, and after the option is taken back", async () => {
    const person = await signUpVerified();
    const id = await subscribe(person, newInbox("200").url, HOLDS);
    await api(person, "PATCH", id, { delivery: { onPause: "skip" } });
    await api(person, "POST", `${id}/pause`);
    expect(await publish(await logIn(person), 1)).toMatchObject({ deliveries: 0 });
    expect(await row(id)).toMatchObject({ released_to: null, has_backlog: 0 });
  });

  test("can be made paused", async () => {
    const person = await signUpVerified();
    await subscribe(person, newInbox("200").url, { ...HOLDS, enabled: false });
    expect(await publish(await logIn(person), 1)).toMatchObject({ deliveries: 1 });
  });

  test("loses what it holds when it is deleted", async () => {
    const person = await signUpVerified();
    const id = await subscribe(person, newInbox("200").url, HOLDS);
    await api(person, "POST", `${id}/pause`);
    await publish(await logIn(person), 1);
    await api(person, "DELETE", id);
    await sweepNow();
    await eventually("the end", async () => (await countHeld(id)) === 0);
  });
});

describe("releasing", () => {
  test("begins with 200, and each minute without a failure doubles the step", async () => {
    const person = await signUpVerified();
    const id = await subscribe(person, newInbox("200").url, HOLDS);
    await api(person, "POST", `${id}/pause`);
    await hold(person, id, 3_000);
    await api(person, "POST", `${id}/resume`);
    const isReleased = (count: number) =>
      deliveryDb
        .prepare(
          `SELECT count(*) AS n FROM outbox o JOIN subscriptions s ON s.id = o.queue WHERE s.id = ?
            AND due_at > released_to`,
        )
        .bind(id)
        .first<number>("n")
        .then((n) => expect(n).toBe(3_000 - count));
    await isReleased(200);
    await release();
    await isReleased(200);
    pass(60_000);
    await release();
    await isReleased(600);
    await deliveryDb
      .prepare(
        `INSERT INTO attempts (subscription_id, id, event_id, event_type, kind, status, attempt_count, attempted_at)
         VALUES (?, ?, 'e', 'OrderPaid', 'event', 'failed', 1, 1)`,
      )
      .bind(
        id,
        `${(Date.now() + 60_000)
          .toString(16)
          .padStart(12, "0")
          .replace(/^(.{8})/, "$1-")}-7000-8000-000000000000`,
      )
      .run();
    pass(60_000);
    await release();
    await isReleased(1_000);
    pass(61_000);
    await release();
    await isReleased(1_800);
    pass(61_000);
    await release();
    expect(await row(id)).toMatchObject({ released_to: null });
    // Otherwise the next tests would wait for these deliveries.
    await deliveryDb.prepare("DELETE FROM outbox WHERE queue = ?").bind(id).run();
  });
});

describe("a subscription that the service has disabled", () => {
  /** Fails until it is disabled, with two held deliveries. */
  async function disabled(delivery: object) {
    const person = await signUpVerified();
    const id = await subscribe(person, newInbox("500").url, { delivery });
    await attempt(person, id, 20);
    pass(121 * HOUR_MS);
    await review();
    const { token } = await logIn(person);
    const counts = [];
    for (const n of [1, 2]) {
      pass(10);
      counts.push((await publish({ ...person, token }, n)).deliveries);
    }
    return { person, id, counts };
  }

  test.each([
    ["{}", {}, 0],
    ["onDisable hold", { onDisable: "hold" }, 1],
    ["a schedule", { retry: { schedule: [60] } }, 1],
  ])("holds if it should: %s", async (_what, delivery, deliveries) => {
    const { id, counts } = await disabled(delivery);
    expect(counts).toEqual([deliveries, deliveries]);
    expect(await row(id)).toMatchObject({ enabled: 0, has_backlog: deliveries });
  });

  test("is probed after 1, 2, 4, 8, 16 and 24 hours and then daily for 14 days, and no failed probe uses an attempt", async () => {
    const { id } = await disabled({ onDisable: "hold" });
    const probeAt = () =>
      deliveryDb
        .prepare("SELECT probe_at FROM episodes WHERE subscription_id = ?")
        .bind(id)
        .first<number | null>("probe_at");
    const disabledAt =
      (await deliveryDb
        .prepare("SELECT disabled_at FROM subscriptions WHERE id = ?")
        .bind(id)
        .first<number>("disabled_at")) ?? 0;
    const hours: number[] = [];
    for (let at = await probeAt(); at !== null; at = await probeAt()) {
      hours.push((at - disabledAt) / HOUR_MS);
      vi.setSystemTime(at);
      await review();
      if (hours.length > 2) continue;
      await sweepNow();
      await eventually("the probe", async () => (await row(id))?.released_to === 0);
    }
    expect(hours).toEqual([1, 2, 4, 8, 16, ...Array.from({ length: 14 }, (_, day) => 24 * (day + 1))]);
    const probes = (await attemptsOf(id)).slice(20);
    expect(probes).toHaveLength(2);
    expect(probes.every(({ attempt_count: count, error }) => count === 1 && error === "status 500")).toBe(true);
    expect(await countHeld(id)).toBe(2);
  });

  test("is enabled by a probe that succeeds, and everything arrives in order", async () => {
    const { person, id } = await disabled({ onDisable: "hold" });
    const inbox = newInbox("200");
    await deliveryDb.prepare("UPDATE subscriptions SET url = ?, slow_until = 0 WHERE id = ?").bind(inbox.url, id).run();
    pass(HOUR_MS);
    await review();
    await sweepNow();
    await inbox.arrived(1);
    await eventually("the result", async () => (await countHeld(id)) === 1);
    await review();
    expect(await row(id)).toMatchObject({ enabled: 1 });
    expect(await episodeOf(id)).toMatchObject({ stage: 4 });
    expect((await api(person, "GET", id)).body.data).not.toHaveProperty("disabled");
    await sweepNow();
    expect((await inbox.arrived(2)).map(({ body }) => body)).toEqual(["1", "2"]);
    expect(await publish(await logIn(person), 3)).toMatchObject({ deliveries: 1 });
  });

  test("is held again after a probe whose consumer died, so that a test that succeeds does not enable it", async () => {
    const { person, id } = await disabled({ onDisable: "hold" });
    pass(HOUR_MS);
    await review();
    expect((await row(id))?.released_to).toBeGreaterThan(0);
    await deliveryDb
      .prepare(
        `INSERT INTO attempts (subscription_id, id, event_id, event_type, kind, status, claim, attempt_count,
          attempted_at)
         SELECT subscription_id, id, event_id, 'OrderPaid', 'event', 'pending', 'dead', 1, ? FROM outbox
         WHERE queue = ? ORDER BY due_at LIMIT 1`,
      )
      .bind(Date.now() - HOUR_MS / 2, id)
      .run();
    await sweepNow();
    expect(await row(id)).toMatchObject({ enabled: 0, released_to: 0 });
    await answerWith(id, "200");
    await api(person, "POST", `${id}/test`);
    await eventually("the test", async () => (await attemptsOf(id)).some(({ status }) => status === "success"));
    await review();
    expect(await row(id)).toMatchObject({ enabled: 0, released_to: 0 });
    expect(await countHeld(id)).toBe(2);
  });

  test("is not enabled by a test that succeeds, nor probed when its URL is gone", async () => {
    const { person, id } = await disabled({ onDisable: "hold" });
    await answerWith(id, "200");
    await api(person, "POST", `${id}/test`);
    await eventually("the test", async () => (await attemptsOf(id)).some(({ status }) => status === "success"));
    await review();
    expect(await row(id)).toMatchObject({ enabled: 0, released_to: 0 });
    const gone = await subscribe(await logIn(person), newInbox("410").url, { delivery: { retry: { schedule: [60] } } });
    for (const waitMs of [0, 61_000]) {
      pass(waitMs);
      await consumeBatch([messageFor(await addDelivery(person, gone))]);
    }
    await review();
    expect(await row(gone)).toMatchObject({ enabled: 0, released_to: 0 });
    const { probe_at: probeAt } = (await deliveryDb
      .prepare("SELECT probe_at FROM episodes WHERE subscription_id = ?")
      .bind(gone)
      .first<{ probe_at: number | null }>()) ?? { probe_at: 1 };
    expect(probeAt).toBeNull();
  });
});
