/** Documents of apps: outside bytes, bounded in size and time, from good hosts alone, and remembered for a while. */
import { BoundedMap } from "../../../base/bounded-map";
import type { Deps } from "../../../base/deps";
import { AppError } from "../../../base/errors";
import { consumeByAddress } from "../../../base/limits/by-address";
import { refuseOverLimit } from "../../../base/limits/limiter";
import { MINUTE_MS } from "../../../base/time";
import { boundedFetch, ProviderUnreachable } from "../../../identity/providers/fetch";
import { refuseTarget } from "../../../webhooks/delivery/target";

const JSON_TYPE = /^application\/(?:[a-z0-9.+-]+\+)?json\b/i;
const MAX_REMEMBERED = 12;
const [SHORTEST_MS, LONGEST_MS] = [5 * MINUTE_MS, 60 * MINUTE_MS];
const MAX_AGE = /(?:^|,)\s*max-age=(\d{1,9})\b/i;

interface Remembered {
  text: string;
  untilMs: number;
}

/** Texts of good documents, by URL. */
const remembered = new BoundedMap<Remembered>(MAX_REMEMBERED);

/** Whether the document at a URL is at hand. */
export const isRemembered = (deps: Pick<Deps, "now">, url: string): boolean =>
  (remembered.get(url)?.untilMs ?? 0) > deps.now();

/** For tests. */
export const forgetDocuments = (): void => remembered.clear();

/**
 * The JSON at an https URL that the caller has judged; null for anything else, which is not remembered. Without
 * redirects, by the guard of subscriptions' URLs. Throws RATE_LIMITED for too many of one host, or for `clientIp`.
 */
export async function fetchJson(
  deps: Deps,
  url: string,
  { maxBytes, clientIp, longestMs = LONGEST_MS }: { maxBytes: number; clientIp: string; longestMs?: number },
): Promise<unknown> {
  const known = remembered.get(url);
  if (known && known.untilMs > deps.now()) return parse(known.text);
  if (refuseTarget(url, deps.config.webhookEgress, deps.ownHosts) !== null) return null;
  refuseOverLimit(await consumeByAddress(deps, "clientMetadata", clientIp));
  refuseOverLimit(await deps.limiter.consume("clientMetadataOfHost", new URL(url).host, 1));
  try {
    const response = await boundedFetch(url, { method: "GET", headers: { Accept: "application/json" } }, maxBytes);
    if (response.status !== 200 || !JSON_TYPE.test(response.headers.get("content-type") ?? "")) return null;
    const text = await response.text();
    const document = parse(text);
    if (document !== null) remembered.set(url, { text, untilMs: deps.now() + freshFor(response, longestMs) });
    return document;
  } catch (error) {
    if (error instanceof ProviderUnreachable || error instanceof AppError) return null;
    throw error;
  }
}

const freshFor = ({ headers }: Response, longestMs: number): number => {
  const [, seconds = "0"] = headers.get("cache-control")?.match(MAX_AGE) ?? [];
  return Math.min(Math.max(Number(seconds) * 1000, SHORTEST_MS), longestMs);
};

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
