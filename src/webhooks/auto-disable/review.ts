/**
 * Reviews failing subscriptions every minute, and mails what users must know. The delivery database stores which mails
 * are due, because it shares no transaction with the queue. A review that is cut short is repeated: the ids of its jobs
 * stay the same, and the consumer sends one mail for each id.
 */
import type { Deps } from "../../platform/deps";
import { describeError, log } from "../../platform/log";
import type { AlertItem } from "../../platform/mail/job";
import { queueMail } from "../../platform/mail/queue";
import { sendOperational } from "../subscriptions/operational";
import { type AlertRecipient, findAlertRecipients } from "./recipients-store";
import { type Alert, noteQueued, reviewEpisodes } from "./review-store";
import { STAGE } from "./stages";

/** How many subscriptions a mail names. A job must fit into a message of 128 KB. */
const MAX_ITEMS = 20;
const MAX_ERROR_CHARACTERS = 200;

/** Reviews each delivery database. One that fails is logged, and the others go on. Never throws. */
export async function reviewFailing(deps: Deps): Promise<void> {
  for (const shard of deps.shards.numbers) {
    try {
      await reviewShard(deps, shard);
    } catch (error) {
      log("error", "failing subscriptions not reviewed", { shard, ...describeError(error) });
    }
  }
}

async function reviewShard(deps: Deps, shard: number): Promise<void> {
  const db = deps.shards.db(shard);
  const { alerts, operational } = await reviewEpisodes(db, deps.config.autoDisableHours, deps.now());
  sendOperational(deps, shard, operational);
  if (alerts.length === 0) return;
  const byTenant = Map.groupBy(alerts, ({ tenantId }) => tenantId);
  const recipients = await findAlertRecipients(deps, [...byTenant.keys()]);
  for (const [tenantId, ofTenant] of byTenant) {
    const waiting = ofTenant.filter(({ isNew }) => isNew === 1);
    for (const mailedAt of new Set(waiting.map((alert) => alert.mailedAt))) {
      await queueAlert(
        deps,
        mailedAt,
        ofTenant,
        recipients.filter((recipient) => recipient.tenantId === tenantId),
      );
    }
    await noteQueued(db, waiting);
  }
}

/** Queues the mail that was composed at `mailedAt` for each recipient. Throws when the queue is down. */
async function queueAlert(
  deps: Deps,
  mailedAt: number,
  alerts: readonly Alert[],
  recipients: readonly AlertRecipient[],
): Promise<void> {
  const items = alerts
    .filter(({ isNew, stage }) => isNew === 1 || stage !== STAGE.recovered)
    .map((alert) => itemOf(alert, mailedAt))
    .sort((a, b) => Number(b.isNew) - Number(a.isNew));
  const shown = items.slice(0, MAX_ITEMS);
  for (const { tenantId, tenantName, userId } of recipients) {
    const id = `${mailedAt}:${tenantId}:${userId}`;
    const more = items.length - shown.length;
    await queueMail(deps, { kind: "subscriptionAlert", id, userId, tenantName, items: shown, more });
  }
}

const STATES: Record<number, AlertItem["state"]> = {
  [STAGE.failing]: "failing",
  [STAGE.atRisk]: "atRisk",
  [STAGE.recovered]: "recovered",
};

const itemOf = (alert: Alert, mailedAt: number): AlertItem => ({
  webhookId: alert.subscriptionId,
  name: alert.name,
  host: new URL(alert.url).host,
  state: STATES[alert.stage] ?? (alert.reason === "gone" ? "gone" : "disabled"),
  isNew: alert.isNew === 1 && alert.mailedAt === mailedAt,
  since: alert.failingSince,
  disablesAt: alert.disablesAt,
  failures: alert.failures,
  error: alert.error?.slice(0, MAX_ERROR_CHARACTERS) ?? null,
});
