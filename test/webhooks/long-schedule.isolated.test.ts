/** Waits of days. In a file of its own: the turned clock would make other deliveries due. */
import { abortAllDurableObjects, runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import { STANDARD_SCHEDULE } from "../../src/webhooks/options/schedule-option";
import { eventually } from "../support/client";
import { consumeAtOnce, messageFor, newDelivery, outboxRow } from "../support/engine";
import { deliveryDb, SHARD } from "../support/shard";

/**
 * Loses the memory of every Durable Object, as a restart does. The next alarm of the sweep then starts from the
 * database alone.
 */
async function sweepAfterRestart(): Promise<void> {
  await abortAllDurableObjects();
  const sweeper = env.SWEEPER.get(env.SWEEPER.idFromName(String(SHARD)));
  await sweeper.start(SHARD);
  expect(await runDurableObjectAlarm(sweeper)).toBe(true);
}

test("the standard schedule goes on for 75 hours, although the sweep restarts before each attempt and no message arrives", async () => {
  const { webhookId, key } = await newDelivery("500", { delivery: { retry: { schedule: "standard" } } });
  await consumeAtOnce([messageFor(key)], "postern-deliveries-slow");
  const endedAttempts = async () => {
    const { results } = await deliveryDb
      .prepare(
        "SELECT attempted_at FROM attempts WHERE subscription_id = ? AND status = 'failed' ORDER BY attempt_count",
      )
      .bind(webhookId)
      .all<{ attempted_at: number }>();
    return results.map((row) => row.attempted_at);
  };
  try {
    for (const made of STANDARD_SCHEDULE.keys()) {
      const row = await outboxRow(key);
      expect(row).toMatchObject({ queue: "", attempts: made + 1 });
      vi.useFakeTimers({ toFake: ["Date"], now: (row?.due_at ?? 0) - 1_000 });
      await sweepAfterRestart();
      expect(await endedAttempts()).toHaveLength(made + 1);
      vi.setSystemTime((row?.due_at ?? 0) + 6_000);
      await sweepAfterRestart();
      await eventually(`attempt ${made + 2}`, async () => (await endedAttempts()).length === made + 2);
    }
  } finally {
    vi.useRealTimers();
  }
  expect(await outboxRow(key)).toBeNull();
  const starts = await endedAttempts();
  for (const [index, seconds] of STANDARD_SCHEDULE.entries()) {
    const waitedMs = (starts[index + 1] ?? 0) - (starts[index] ?? 0);
    expect(waitedMs).toBeGreaterThanOrEqual(seconds * 1000);
    expect(waitedMs).toBeLessThan(seconds * 1000 * 1.2 + 20_000);
  }
});
