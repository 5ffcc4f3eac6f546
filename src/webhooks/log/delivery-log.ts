/** The delivery log as the API shows it: its pages, and one attempt in detail. */

import type { Deps } from "../../base/deps";
import { notFound } from "../../base/errors";
import { shownPayload, shownText } from "../../base/schemas/shown-payload";
import type { TenantRef } from "../../base/schemas/tenant-ref";
import { inEach, whereFound } from "../../tenancy/moves/places";
import { headersOfLines } from "../delivery/answer-headers";
import { bodyOf } from "../delivery/envelope";
import { correlationOf, headersOf } from "../delivery/send";
import { hopHeaderTo } from "../hops/hops";
import { wasSent } from "../plane/reasons";
import { decryptOnce, keysAt, NO_KEYS } from "../signing/keys";
import { findLogPage, type LogFilter } from "./log-store";
import { mergeLogs } from "./merge";
import type { Attempt, AttemptDetail } from "./schemas";
import { type AttemptDetailRow, type AttemptRow, readAttempt } from "./store";
import { attemptSummaryView } from "./summary";

/** Returns one page of a subscription's log, newest first. `nextCursor` is null on the last page. Throws NOT_FOUND. */
export async function logOfSubscription(
  deps: Deps,
  tenant: TenantRef,
  subscriptionId: string,
  filter: LogFilter,
): Promise<{ data: Attempt[]; nextCursor: string | null }> {
  const [present, ...former] = await inEach(tenant, (place) => findLogPage(deps, place, subscriptionId, filter));
  if (!present) throw notFound("Webhook");
  const page = mergeLogs([present, ...former.filter((page) => page !== undefined)], filter.limit);
  return { data: page.rows.map(attemptView), nextCursor: page.nextCursor };
}

/** Returns one attempt with the headers it sent, and all attempts of its delivery. Throws NOT_FOUND. */
export async function attemptOfSubscription(
  deps: Deps,
  tenant: TenantRef,
  subscriptionId: string,
  attemptId: string,
): Promise<AttemptDetail> {
  return (await attemptWithText(deps, tenant, subscriptionId, attemptId)).attempt;
}

/**
 * Like `attemptOfSubscription`, with the payload as the text that was published, and the body as the text that was
 * sent. Null: there is none to show.
 */
export async function attemptWithText(
  deps: Deps,
  tenant: TenantRef,
  subscriptionId: string,
  attemptId: string,
): Promise<{ attempt: AttemptDetail; payloadText: string | null; sentText: string | null }> {
  const found = await whereFound(
    tenant,
    (place) => readAttempt(deps, place, subscriptionId, attemptId),
    (read) => read !== "no attempt" && read !== "no subscription",
  );
  if (found === "no subscription") throw notFound("Webhook");
  if (found === "no attempt") throw notFound("Attempt");
  const { attempt: row, chain } = found;
  const payloadText = shownText(row.eventType, row.payload);
  const sent = row.status === "pending" || !wasSent(row.error) ? undefined : await requestSent(deps, tenant, row);
  const attempt = {
    ...attemptView(row),
    eventId: row.eventId,
    kind: row.kind,
    ...(row.correlationId === null ? {} : { correlationId: row.correlationId }),
    ...sent?.headersView,
    attempts: chain.map(attemptSummaryView),
  };
  return { attempt, payloadText, sentText: payloadText === null ? null : (sent?.text ?? null) };
}

interface SentRequest {
  /** If the headers lack a signature, with the reason. */
  headersView: Pick<AttemptDetail, "headers" | "missingSignatures">;
  /** The body; null if it cannot be made again. */
  text: string | null;
}

/** What an attempt has sent, made again. */
async function requestSent(deps: Deps, tenant: TenantRef, attempt: AttemptDetailRow): Promise<SentRequest> {
  const { attemptedAt, options } = attempt;
  const signer = { ...attempt, signsV1a: options?.signature === "v1+v1a" };
  const { keys, hasEnded } = await keysAt(decryptOnce(deps.keys), signer, attemptedAt);
  const reason = missingReason(attempt);
  const event = { ...attempt, eventCreatedAt: attempt.eventCreatedAt ?? 0, payload: attempt.payload ?? "" };
  const sent = bodyOf({ ...event, tenantId: tenant.tenantId }, options, deps.config.publicUrl);
  const correlationId = correlationOf(attempt.kind, attempt.correlationId);
  const signing = { keys: reason ? NO_KEYS : keys, profile: options?.signatureProfile };
  const outbound = { ...attempt, ...sent, ...signing, correlationId };
  const hopHeader = await hopHeaderTo(deps.keys, attempt.url, attempt.hops, sent.body);
  const headers = { ...(await headersOf(outbound, attemptedAt)), ...hopHeader };
  if (reason) return { headersView: { headers, missingSignatures: reason }, text: null };
  return { headersView: { headers, ...(hasEnded ? { missingSignatures: "secret-ended" } : {}) }, text: sent.body };
}

/** Why no signature of an attempt can be shown; undefined if those of the keys that are left can. */
function missingReason({ payload, formatSince, attemptedAt }: AttemptDetailRow): AttemptDetail["missingSignatures"] {
  if (payload === null) return "event-removed";
  return formatSince !== null && attemptedAt < formatSince ? "settings-changed" : undefined;
}

const attemptView = (row: AttemptRow): Attempt => ({
  ...attemptSummaryView(row),
  webhookId: row.subscriptionId,
  deliveryId: row.deliveryId,
  eventType: row.eventType,
  payload: shownPayload(row.eventType, row.payload),
  ...(row.responseBody === null ? {} : { responseBody: row.responseBody }),
  ...(row.responseHeaders === null ? {} : { responseHeaders: headersOfLines(row.responseHeaders) }),
});
