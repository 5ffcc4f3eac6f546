/** Requests to providers: bounded in time and size, without redirects. */
import { BodyTooLarge, readBounded } from "../../base/read-bounded";

const TIMEOUT_MS = 5_000;
const MAX_ANSWER_BYTES = 256 * 1024;
/** The Fetch standard allows no body with these statuses. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([101, 204, 205, 304]);

/** The provider did not answer, not in time, or with too large an answer. */
export class ProviderUnreachable extends Error {
  override readonly name = "ProviderUnreachable";
}

interface ProviderRequest {
  method: string;
  headers: Record<string, string>;
  body?: BodyInit | null | undefined;
}

/**
 * `fetch` as oauth4webapi calls it. Throws ProviderUnreachable, also for an answer that takes longer than `timeoutMs`
 * or has more than `maxBytes`.
 */
export async function boundedFetch(
  url: string,
  { method, body = null, ...request }: ProviderRequest,
  maxBytes = MAX_ANSWER_BYTES,
  timeoutMs = TIMEOUT_MS,
): Promise<Response> {
  const headers = new Headers(request.headers);
  // GitHub refuses requests without this header.
  headers.set("User-Agent", "Postern");
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url, { method, headers, body, signal, redirect: "manual" });
    const answer = await readBounded(response, signal, maxBytes);
    const { status } = response;
    return new Response(WITHOUT_BODY.has(status) ? null : answer, { status, headers: response.headers });
  } catch (cause) {
    if (cause instanceof BodyTooLarge) throw new ProviderUnreachable(`an answer of more than ${maxBytes / 1024} KiB`);
    throw new ProviderUnreachable(signal.aborted ? `no answer within ${timeoutMs / 1_000} seconds` : "no connection", {
      cause,
    });
  }
}
