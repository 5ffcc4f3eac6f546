/**
 * Scenes of the fairness run: disabled subscriptions that hold deliveries are probed, and the held deliveries of one go
 * out.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { ask, subscribe, tenantOf } from "./account.ts";
import type { Database } from "./database.ts";
import { type Comparison, compare, createHealthy, type Setting, stop } from "./fairness-compare.ts";
import { seedBacklog } from "./seed.ts";
import { type Service, serve } from "./serve.ts";

const PROBED = 20;
const HELD_BY_EACH = 10;
const HELD = 20_000;
/** A probe hangs for ten seconds, so each subscription always has one in progress. */
const PROBE_EVERY_MS = 5_000;
const POLL_MS = 50;
/** The sweep sends the first probes within 15 s. */
const MAX_POLLS = 600;
const MINUTELY = "* * * * *";

/** Each probe is a send that hangs until its timeout. */
export async function besideProbes(setting: Setting): Promise<Comparison> {
  const { bundles, receiver } = setting;
  const service = await serve(bundles);
  const healthy = await createHealthy(service, receiver);
  const ids = await subscribe(healthy.publisher, "Probed", receiver.hangUrl, PROBED);
  const tenantId = await tenantOf(healthy.publisher);
  for (const [index, subscriptionId] of ids.entries()) {
    const tag = index.toString(16).padStart(3, "a");
    await seedBacklog(service.database, { tenantId, subscriptionId, deliveries: HELD_BY_EACH, tag });
  }
  await disable(service.database, ids);
  let probes = 0;
  const result = await compare(setting, healthy, async () => {
    const end = keepProbing(service);
    for (let waits = 0; waits < MAX_POLLS && receiver.hung < PROBED; waits += 1) await sleep(POLL_MS);
    probes += receiver.hung;
    return end;
  });
  probes += receiver.hung;
  await stop(service, healthy.publisher);
  const text = `${probes} probes of ${PROBED} subscribers, each with ${HELD_BY_EACH} held deliveries.`;
  return { ...result, note: { text, isMet: probes >= PROBED } };
}

/** Repeatedly makes a probe of each subscription due. Returns the function that ends this. */
function keepProbing({ database, cron }: Service): () => void {
  let isOver = false;
  const loop = async () => {
    while (!isOver) {
      await database.prepare("UPDATE episodes SET probe_at = 1").run();
      await cron(MINUTELY);
      await sleep(PROBE_EVERY_MS);
    }
  };
  void loop();
  return () => {
    isOver = true;
  };
}

/**
 * Enables the subscription and releases all that it holds at once: the largest step, which normally comes after hours
 * without failures.
 */
export async function besideDraining(setting: Setting): Promise<Comparison> {
  const { bundles, receiver, progress } = setting;
  const service = await serve(bundles);
  const { database } = service;
  const healthy = await createHealthy(service, receiver);
  const { client, headers } = healthy.publisher;
  const [subscriptionId = ""] = await subscribe(healthy.publisher, "Held", receiver.otherUrl(0), 1);
  const tenantId = await tenantOf(healthy.publisher);
  progress(`seeding ${HELD}`);
  await seedBacklog(database, { tenantId, subscriptionId, deliveries: HELD, tag: "eee" });
  await disable(database, [subscriptionId]);
  const result = await compare(setting, healthy, async () => {
    await ask(client, {
      method: "PATCH",
      path: `/api/v1/webhooks/${subscriptionId}`,
      headers,
      body: { enabled: true },
    });
    await database.prepare("UPDATE subscriptions SET release_rate = ?, released_at = 0").bind(HELD).run();
    await service.cron(MINUTELY);
    return () => {};
  });
  const left = await count(database, "SELECT count(*) AS count FROM outbox WHERE queue <> ''");
  await stop(service, healthy.publisher);
  return { ...result, note: { text: `${HELD - left} of ${HELD} went out beside the streams.`, isMet: left < HELD } };
}

async function disable(database: Database, ids: readonly string[]): Promise<void> {
  const list = JSON.stringify(ids);
  const which = "id IN (SELECT value FROM json_each(?))";
  await database.batch([
    database
      .prepare(
        `UPDATE subscriptions SET enabled = 0, disabled_reason = 'failing', disabled_at = 1, released_to = 0,
          has_backlog = 1 WHERE ${which}`,
      )
      .bind(list),
    database
      .prepare(
        `INSERT INTO episodes (subscription_id, tenant_id, failing_since, stage) SELECT id, tenant_id, 1, 3
          FROM subscriptions WHERE ${which}`,
      )
      .bind(list),
  ]);
}

async function count(database: Database, statement: string): Promise<number> {
  return (await database.prepare(statement).first<number>("count")) ?? 0;
}
