/**
 * Reviews failing subscriptions every minute, and mails what users must know. The delivery database stores which mails
 * are due, because it shares no transaction with the queue. A review that is cut short is repeated: the ids of its jobs
 * stay the same, and the consumer sends one mail for each id.
 */
import type { Db } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { NoticeItem } from "../../base/mail/job";
import { queueMail } from "../../base/mail/queue";
import type { PagedMaintenance } from "../../base/maintenance";
import { sendOperational } from "../plane/operational";
import { STAGE } from "../plane/stages";
import {
  composeNotices,
  noteQueued,
  readNoticeRecipients,
  type SubscriptionNotice,
  type SubscriptionNoticeRecipient,
} from "./notices-store";
import { findPage, reviewPage } from "./review-store";

/** How many subscriptions a mail names. A job must fit into a message of 128 KB. */
const MAX_ITEMS = 20;
const MAX_ERROR_CHARACTERS = 200;

/** Reviews a delivery database, then mails. The cursor is the last subscription that was reviewed. */
export const reviewFailing: PagedMaintenance = async (deps, shard, cursor, isOver) => {
  const db = deps.shards.db(shard);
  const nowMs = deps.now();
  const hours = deps.config.autoDisableHours;
  let after = cursor;
  while (!isOver()) {
    const page = await findPage(db, after);
    if (page === null) break;
    sendOperational(deps, shard, await reviewPage(db, page, hours, nowMs));
    after = page.last;
  }
  while (!isOver()) {
    const notices = await composeNotices(db, hours, nowMs);
    if (notices.length === 0) return null;
    await queueNotices(deps, db, notices);
  }
  return after;
};

async function queueNotices(deps: Deps, db: Db, notices: readonly SubscriptionNotice[]): Promise<void> {
  const byTenant = Map.groupBy(notices, ({ tenantId }) => tenantId);
  const recipients = await readNoticeRecipients(deps, [...byTenant.keys()]);
  for (const [tenantId, ofTenant] of byTenant) {
    const waiting = ofTenant.filter(({ isNew }) => isNew === 1);
    for (const mailedAt of new Set(waiting.map((notice) => notice.mailedAt))) {
      await queueNotice(
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
async function queueNotice(
  deps: Deps,
  mailedAt: number,
  notices: readonly SubscriptionNotice[],
  recipients: readonly SubscriptionNoticeRecipient[],
): Promise<void> {
  const items = notices
    .filter(({ isNew, stage }) => isNew === 1 || stage !== STAGE.recovered)
    .map((notice) => itemOf(notice, mailedAt))
    .sort((a, b) => Number(b.isNew) - Number(a.isNew));
  const shown = items.slice(0, MAX_ITEMS);
  for (const { tenantId, tenantName, userId } of recipients) {
    const id = `${mailedAt}:${tenantId}:${userId}`;
    const more = items.length - shown.length;
    await queueMail(deps, { kind: "subscriptionAlert", id, userId, tenantName, items: shown, more });
  }
}

const STATES: Record<number, NoticeItem["state"]> = {
  [STAGE.failing]: "failing",
  [STAGE.atRisk]: "atRisk",
  [STAGE.recovered]: "recovered",
};

const itemOf = (notice: SubscriptionNotice, mailedAt: number): NoticeItem => ({
  webhookId: notice.subscriptionId,
  name: notice.name,
  host: new URL(notice.url).host,
  state: STATES[notice.stage] ?? (notice.reason === "gone" ? "gone" : "disabled"),
  isNew: notice.isNew === 1 && notice.mailedAt === mailedAt,
  since: notice.failingSince,
  disablesAt: notice.disablesAt,
  failures: notice.failures,
  error: notice.error?.slice(0, MAX_ERROR_CHARACTERS) ?? null,
});
