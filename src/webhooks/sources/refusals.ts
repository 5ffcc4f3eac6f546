/** What an isolate remembers of refused calls: strangers cost no row and, after a while, no signature. */
import { BoundedMap } from "../../base/bounded-map";
import type { Deps } from "../../base/deps";
import { AppError, type ErrorCode } from "../../base/errors";
import { lookUp } from "../../base/limits/unknown";
import { MINUTE_MS } from "../../base/time";
import { isSourceId } from "../hops/source-id";
import { insertSourceError } from "./errors-store";
import type { Reason } from "./schemas";
import { findCalledSource } from "./store";

/** Bounds the memory. */
const MAX_REMEMBERED = 4_000;
const MAX_REFUSED_CALLS = 20;

/** When the last refused calls of an address to a source were, by both; Unix ms. */
const refusedAt = new BoundedMap<number[]>(MAX_REMEMBERED);
/** Refused calls that are not written yet, by source and reason, and when the last entry was written or tried. */
const unwritten = new BoundedMap<{ count: number; writtenAt: number }>(MAX_REMEMBERED);

const entryKey = (sourceId: string, reason: Reason) => `${sourceId} ${reason}`;

/** Why the calls of an address were refused that are counted. */
const NOT_GENUINE: readonly Reason[] = ["signature", "timestamp", "disabled"];

/** Forgets everything, so that tests can share an isolate. */
export function forgetRefusals(): void {
  refusedAt.clear();
  unwritten.clear();
}

/** Other texts than ids share a key: they can be as long as a URL. */
const keyOf = (sourceId: string, clientIp: string) => `${clientIp} ${isSourceId(sourceId) ? sourceId : ""}`;

/**
 * Throws RATE_LIMITED for an address that had 20 calls to this source refused within a minute. They stand among the
 * errors of a source that has some, with the reason of those before.
 */
export function refuseRepeated(deps: Deps, sourceId: string, clientIp: string, bytes: number): void {
  const [oldest = 0, ...rest] = refusedAt.get(keyOf(sourceId, clientIp)) ?? [];
  const waitMs = oldest + MINUTE_MS - deps.now();
  if (rest.length + 1 < MAX_REFUSED_CALLS || waitMs <= 0) return;
  const reason = NOT_GENUINE.find((one) => unwritten.has(entryKey(sourceId, one)));
  if (reason) noteError(deps, sourceId, reason, bytes);
  throw new AppError("RATE_LIMITED", { retryAfterSeconds: Math.ceil(waitMs / 1000) });
}

/** Counts a call that was refused because it is not genuine. */
export function countRefused(deps: Deps, sourceId: string, clientIp: string): void {
  const key = keyOf(sourceId, clientIp);
  const before = refusedAt.get(key) ?? [];
  refusedAt.set(key, [...before, deps.now()].slice(-MAX_REFUSED_CALLS));
}

/**
 * Notes a call that was refused before its source was looked up. The look-up is in the background, so that the answer
 * tells nobody whether there is such a source, and counts as others do.
 */
export function noteUnread(
  deps: Deps,
  { sourceId, clientIp }: { sourceId: string; clientIp: string },
  reason: Reason,
  bytes: number,
): void {
  if (!isSourceId(sourceId)) return;
  if (unwritten.has(entryKey(sourceId, reason))) {
    noteError(deps, sourceId, reason, bytes);
    return;
  }
  const note = async () => {
    const find = () => findCalledSource(deps, sourceId);
    if (await lookUp(deps, "unknownSource", { clientIp, mark: sourceId }, find)) {
      noteError(deps, sourceId, reason, bytes);
    }
  };
  deps.background("source error", note().catch(ignoreRateLimit));
}

/** An address that calls too many unknown sources is not worth a line in the log. */
function ignoreRateLimit(error: unknown): void {
  if (!(error instanceof AppError && error.code === "RATE_LIMITED")) throw error;
}

const REASON_OF: Readonly<Partial<Record<ErrorCode, Reason>>> = {
  INVALID_JSON: "body",
  PAYLOAD_TOO_LARGE: "too_large",
  RATE_LIMITED: "rate_limited",
  SERVICE_UNAVAILABLE: "unavailable",
  UNSUPPORTED_MEDIA_TYPE: "media_type",
  VALIDATION_FAILED: "schema",
};

/** Why a call was refused that middleware or publishing refuses. */
export const reasonOf = (error: unknown): Reason =>
  error instanceof AppError ? (REASON_OF[error.code] ?? "not_published") : "unavailable";

/** Notes a refused call among the errors of its source, in the background: one row a minute and reason. */
export function noteError(deps: Deps, sourceId: string, reason: Reason, bytes: number): void {
  const key = entryKey(sourceId, reason);
  const entry = unwritten.get(key) ?? { count: 0, writtenAt: 0 };
  unwritten.set(key, entry);
  entry.count += 1;
  const nowMs = deps.now();
  if (nowMs - entry.writtenAt < MINUTE_MS) return;
  entry.writtenAt = nowMs;
  const { count } = entry;
  const write = async () => {
    if (await insertSourceError(deps, sourceId, { at: nowMs, reason, count, bytes })) entry.count -= count;
  };
  deps.background("source error", write());
}
