/** The two lanes: who hangs, who is busy, and what a pool starts. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { newId } from "../src/db/ids";
import { hangs, saturated, startSend } from "../src/delivery/load";
import { runPool } from "../src/delivery/pool";
import { claimDeliveries } from "../src/delivery/store";
import { createDeps } from "../src/deps";
import { eventually } from "./support/client";
import { addDelivery, consumeBatch, deliveryRow, messageFor, metricsOf, newDelivery } from "./support/engine";

const as = (lease: string) => ({ lane: "fast" as const, lease, saturated: [] });
const deps = await createDeps(env, createExecutionContext());

describe("lanes", () => {
  test("the slow lane holds a batch while a busy subscription's places are taken, and then sends it", async () => {
    const busy = crypto.randomUUID();
    const ends = [1, 2, 3].map(() => startSend(busy, Date.now));
    const sent: number[] = [];
    const pool = runPool(
      "slow",
      [{ subscriptionId: busy }],
      { now: Date.now, startUntilMs: Date.now() + 6_000 },
      async () => void sent.push(1),
    );
    await scheduler.wait(1);
    expect(sent).toEqual([]);
    ends[0]?.();
    expect((await pool).notStarted).toEqual([]);
    expect(sent).toEqual([1]);
    for (const end of ends) end();
  });

  test("a subscription hangs when none of its sends has begun or ended for a second, not when it is busy", () => {
    let nowMs = 0;
    const id = crypto.randomUUID();
    const ends = [startSend(id, () => nowMs), startSend(id, () => nowMs), startSend(id, () => nowMs)];
    nowMs = 999;
    expect([hangs(id, nowMs), saturated(nowMs).includes(id)]).toEqual([false, false]);
    ends[0]?.();
    nowMs = 1_500;
    ends.push(startSend(id, () => nowMs));
    expect([hangs(id, nowMs), saturated(nowMs).includes(id)]).toEqual([false, false]);
    nowMs = 2_000;
    expect([hangs(id, nowMs), saturated(nowMs).includes(id)]).toEqual([true, true]);
    for (const end of ends.slice(1)) end();
    expect(hangs(id, nowMs)).toBe(false);
  });

  test("no send of a batch starts so late that its lease could end before it", async () => {
    let nowMs = 0;
    const startedAtMs: number[] = [];
    const items = Array.from({ length: 60 }, () => ({ subscriptionId: crypto.randomUUID() }));
    const { notStarted, done } = await runPool("fast", items, { now: () => nowMs, startUntilMs: 6_000 }, async () => {
      startedAtMs.push(nowMs);
      await Promise.resolve();
      nowMs += 200;
    });
    await done;
    expect(Math.max(...startedAtMs)).toBeLessThan(6_000);
    expect(startedAtMs.length + notStarted.length).toBe(60);
    expect(notStarted.length).toBeGreaterThan(0);
  });

  test("the fast lane passes a slow subscription's deliveries on, and the slow lane sends them", async () => {
    const { inbox, webhookId, id } = await newDelivery("200");
    await env.DB.prepare("UPDATE subscriptions SET slow_until = 9e15 WHERE id = ?").bind(webhookId).run();
    const { claimed, slow } = await claimDeliveries(
      deps,
      as("x"),
      [{ deliveryId: id, attemptId: newId() }],
      Date.now(),
    );
    expect([claimed, slow]).toEqual([[], [id]]);
    await consumeBatch([messageFor(id)]);
    await inbox.arrived(1);
  });

  test("a send that waits for a second makes its subscription slow before it ends", async () => {
    const { webhookId, id } = await newDelivery("hang");
    const ends = consumeBatch([messageFor(id)]);
    const slowUntil = await eventually("marked slow", () =>
      env.DB.prepare("SELECT slow_until FROM subscriptions WHERE id = ?").bind(webhookId).first<number>("slow_until"),
    );
    expect(slowUntil).toBeGreaterThan(Date.now());
    expect((await deliveryRow(id)).attempts).toBe(0);
    await ends;
  });

  test("in the slow lane one that hangs holds three places, and the rest is put off unsent and unrecorded", async () => {
    const { person, inbox, webhookId, id } = await newDelivery("hang");
    const others = await Promise.all(Array.from({ length: 9 }, () => addDelivery(person, webhookId)));
    const healthy = await newDelivery("200");
    const queue = "postern-deliveries-slow";
    const hanging = consumeBatch([id, ...others].map(messageFor), queue);
    await inbox.arrived(3);
    await consumeBatch([...others.slice(3).map(messageFor), messageFor(healthy.id)], queue);
    expect(await healthy.inbox.received()).toHaveLength(1);
    expect(await inbox.received()).toHaveLength(3);
    await hanging;
    expect(await metricsOf(person, webhookId)).toMatchObject({ success: 0, pending: 0 });
  });
});
