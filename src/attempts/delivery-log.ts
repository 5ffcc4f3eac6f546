/** The delivery log as the API shows it: its pages, and one attempt in detail. */
import { decrypt } from "../crypto/encryption";
import { wasSent } from "../delivery/reasons";
import { correlationOf, headersOf } from "../delivery/send";
import type { Deps } from "../deps";
import { notFound } from "../errors";
import { secretOwner } from "../subscriptions/secret";
import type { TenantRef } from "../tenants/principal";
import { iso } from "../time";
import { type LogFilter, readLogPage } from "./log-store";
import type { Attempt, AttemptDetail } from "./schemas";
import { type AttemptDetailRow, type AttemptRow, type ChainRow, readAttempt } from "./store";

/** Returns one page of a subscription's log, newest first. `nextCursor` is null on the last page. Throws NOT_FOUND. */
export async function logOfSubscription(
  deps: Deps,
  tenant: TenantRef,
  subscriptionId: string,
  filter: LogFilter,
): Promise<{ data: Attempt[]; nextCursor: string | null }> {
  const page = await readLogPage(deps, tenant, subscriptionId, filter);
  if (!page) throw notFound("Webhook");
  return { data: page.rows.map(attemptView), nextCursor: page.nextCursor };
}

/** Returns one attempt with the headers it sent, and all attempts of its delivery. Throws NOT_FOUND. */
export async function attemptOfSubscription(
  deps: Deps,
  tenant: TenantRef,
  subscriptionId: string,
  attemptId: string,
): Promise<AttemptDetail> {
  const found = await readAttempt(deps, tenant, subscriptionId, attemptId);
  if (found === "no subscription") throw notFound("Webhook");
  if (found === "no attempt") throw notFound("Attempt");
  const { attempt, chain } = found;
  return {
    ...attemptView(attempt),
    eventId: attempt.eventId,
    kind: attempt.kind,
    ...(attempt.correlationId === null ? {} : { correlationId: attempt.correlationId }),
    ...(attempt.status === "pending" || !wasSent(attempt.error) ? {} : { headers: await headersSent(deps, attempt) }),
    attempts: chain.map(linkView),
  };
}

async function headersSent(deps: Deps, attempt: AttemptDetailRow): Promise<Record<string, string>> {
  const secret = await decrypt(deps.keys, secretOwner(attempt.subscriptionId), attempt.secretSealed);
  const { deliveryId, eventType, payload } = attempt;
  const correlationId = correlationOf(attempt.kind, attempt.correlationId);
  return headersOf({ deliveryId, eventType, payload: payload ?? "", secret, correlationId }, attempt.attemptedAt);
}

const linkView = (row: ChainRow): AttemptDetail["attempts"][number] => ({
  _id: row.id,
  status: row.status,
  ...(row.responseCode === null ? {} : { responseCode: row.responseCode }),
  ...(row.error === null ? {} : { error: row.error }),
  attemptCount: row.attemptCount,
  attemptedAt: iso(row.attemptedAt),
  ...(row.completedAt === null ? {} : { completedAt: iso(row.completedAt) }),
});

const attemptView = (row: AttemptRow): Attempt => ({
  ...linkView(row),
  webhookId: row.subscriptionId,
  deliveryId: row.deliveryId,
  eventType: row.eventType,
  payload: row.payload === null ? null : (JSON.parse(row.payload) as unknown),
  ...(row.responseBody === null ? {} : { responseBody: row.responseBody }),
});
