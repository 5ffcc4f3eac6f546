/** The time from the 202 to the arrival: idle, under load, and under load with subscribers that hang. */
import { plotLatencies } from "./plot.ts";
import { type Result, save } from "./report.ts";
import type { Run } from "./run.ts";
import { serve } from "./serve.ts";
import { median, percentile } from "./statistics.ts";
import { createPublisher, streamEvents, subscribeMixed } from "./steady.ts";

const TYPE = "Streamed";
/** So many events that the 99th percentile is more than the slowest one. */
const IDLE = { subscriptions: 1, hanging: 0, events: 200, eventsPerSecond: 10 };
const LOADED = { subscriptions: 10, hanging: 0, events: 120, eventsPerSecond: 10 };
/**
 * Events before those that are measured, at the same rate, so that the runtime has compiled what they run. None where
 * subscribers hang, because finding that out is part of the scene.
 */
const WARM_UP_EVENTS = 50;
/** A scene, and the most that its latencies should be. */
const SCENES: [label: string, scene: typeof LOADED, latencyTarget?: Result["latencyTarget"]][] = [
  ["202 to arrival, idle", IDLE, { p50Ms: 5, p99Ms: 20 }],
  ["202 to arrival, 100/s", LOADED, { p50Ms: 15, p99Ms: 40 }],
  ["202 to arrival, 100/s, 1 in 10 hangs", { ...LOADED, hanging: 1 }],
  ["202 to arrival, 100/s, 5 in 10 hang", { ...LOADED, hanging: 5 }],
];

/** Measures each wanted scene with a service of its own. The distributions go into a plot beside the results. */
export async function measureLatencies(run: Run): Promise<Result[]> {
  const wanted = SCENES.filter(([label]) => run.wants(label));
  if (wanted.length === 0) return [];
  const series = [];
  for (const [label, { subscriptions, hanging, events, eventsPerSecond }, latencyTarget] of wanted) {
    const service = await serve(run.bundles);
    const publisher = await createPublisher(service);
    const healthy = subscriptions - hanging;
    await subscribeMixed(publisher, run.receiver, TYPE, { healthy, hanging });
    const stream = { publisher, type: TYPE, arrivalsPerEvent: healthy, eventsPerSecond };
    if (hanging === 0) await streamEvents(run.receiver, { ...stream, events: WARM_UP_EVENTS });
    const latenciesMs = await streamEvents(run.receiver, { ...stream, events: run.scaled(events) });
    publisher.client.close();
    await service.stop();
    run.progress(
      `${label}: p50 ${median(latenciesMs).toFixed(1)} ms, p99 ${percentile(latenciesMs, 0.99).toFixed(1)} ms`,
    );
    series.push({ label, latenciesMs, latencyTarget });
  }
  run.progress(`the plot is ${save("latency.svg", plotLatencies("Deliveries that have arrived", series))}`);
  return series.map(({ label, latenciesMs, latencyTarget }) => ({
    operation: label,
    count: latenciesMs.length,
    opsPerSecond: Number.NaN,
    p50Ms: median(latenciesMs),
    p99Ms: percentile(latenciesMs, 0.99),
    latencyTarget,
  }));
}
