/** Subscriptions that fail, on a clock that the test moves. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { createDeps, type Deps } from "../../src/base/deps";
import { reviewFailing } from "../../src/webhooks/auto-disable/review";
import type { Person } from "./client";
import { addDelivery, consumeBatch, giveUp, messageFor } from "./engine";
import { newInbox } from "./receiver";
import { deliveryDb } from "./shard";
import { maintain } from "./upkeep";

/** Moves the clock forward. It must be a fake one. */
export const pass = (ms: number) => void vi.setSystemTime(Date.now() + ms);

/** Makes `count` first attempts, and ends their deliveries. */
export async function attempt(person: Person, webhookId: string, count: number): Promise<void> {
  const keys = await Promise.all(Array.from({ length: count }, () => addDelivery(person, webhookId)));
  await consumeBatch([messageFor(...keys)], "postern-deliveries-slow");
  await giveUp(webhookId);
}

/** Changes how the subscriber answers, without a change of the subscription that users would make. */
export const answerWith = (webhookId: string, behaviour: string) =>
  deliveryDb
    .prepare("UPDATE subscriptions SET url = ?, slow_until = 0 WHERE id = ?")
    .bind(newInbox(behaviour).url, webhookId)
    .run();

/** Reviews the failing subscriptions once, as the cron does every minute. `change` can replace dependencies. */
export async function review(settings: Partial<Cloudflare.Env> = {}, change: (deps: Deps) => Deps = (deps) => deps) {
  const context = createExecutionContext();
  try {
    await maintain(change(await createDeps({ ...env, ...settings }, context)), reviewFailing);
  } finally {
    await waitOnExecutionContext(context);
  }
}

export interface Episode {
  failing_since: number | null;
  stage: number;
  mailed_stage: number;
  is_mail_waiting: 0 | 1;
}

export const episodeOf = (webhookId: string): Promise<Episode | null> =>
  deliveryDb
    .prepare("SELECT failing_since, stage, mailed_stage, is_mail_waiting FROM episodes WHERE subscription_id = ?")
    .bind(webhookId)
    .first<Episode>();
