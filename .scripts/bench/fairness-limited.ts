/** A scene of the fairness run: many deliveries wait for their starts at a limited subscriber. */
import { ask, payloadOf } from "./account.ts";
import { type Comparison, compare, createHealthy, type Setting, stop } from "./fairness-compare.ts";
import type { Receiver } from "./receiver.ts";
import { serve } from "./serve.ts";

const DELIVERIES = 10_000;
const BATCH = 100;
const LIMIT_PER_SECOND = 50;
/** The limit is kept on average: a second has at most one more than the limit and a tenth. */
const MOST_PER_SECOND = LIMIT_PER_SECOND + LIMIT_PER_SECOND / 10 + 1;
const MAX_DEVIATION = 0.02;
const SECOND_MS = 1_000;

export async function besideLimited(setting: Setting): Promise<Comparison> {
  const { bundles, receiver, progress } = setting;
  const service = await serve(bundles);
  const healthy = await createHealthy(service, receiver);
  const { client, headers } = healthy.publisher;
  await ask(client, {
    method: "POST",
    path: "/api/v1/webhooks",
    headers,
    body: {
      name: "Limited",
      url: receiver.timedUrl,
      events: ["Limited"],
      secret: "bench secret",
      delivery: { rateLimit: { limit: LIMIT_PER_SECOND, per: "second" } },
    },
  });
  receiver.times.length = 0;
  const result = await compare(setting, healthy, async () => {
    progress(`publishing ${DELIVERIES}`);
    for (let n = 0; n < DELIVERIES; n += BATCH) {
      const events = Array.from({ length: BATCH }, (_, index) => ({ type: "Limited", payload: payloadOf(n + index) }));
      await ask(client, { method: "POST", path: "/api/v1/events/batch", headers, body: { events } });
    }
    return () => {};
  });
  progress("waiting for the last starts");
  await receiver.waitForTimes(DELIVERIES);
  await stop(service, healthy.publisher);
  return { ...result, note: judge(receiver.times) };
}

function judge(times: Receiver["times"]): NonNullable<Comparison["note"]> {
  const ordered = [...times].sort((a, b) => a - b);
  const seconds = ((ordered.at(-1) ?? 0) - (ordered[0] ?? 0)) / SECOND_MS;
  const wantedSeconds = DELIVERIES / LIMIT_PER_SECOND;
  const most = mostInOneSecond(ordered);
  const isInTime = seconds <= wantedSeconds * (1 + MAX_DEVIATION) && seconds >= wantedSeconds * (1 - MAX_DEVIATION);
  return {
    text:
      `${times.length} arrived in ${seconds.toFixed(1)} s (${wantedSeconds} +- ${MAX_DEVIATION * 100} %), at most ` +
      `${most} in any second (<= ${MOST_PER_SECOND}).`,
    isMet: isInTime && most <= MOST_PER_SECOND,
  };
}

function mostInOneSecond(ordered: readonly number[]): number {
  let [first, most] = [0, 0];
  for (const [last, atMs] of ordered.entries()) {
    while (atMs - (ordered[first] ?? 0) >= SECOND_MS) first += 1;
    most = Math.max(most, last - first + 1);
  }
  return most;
}
