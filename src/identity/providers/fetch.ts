/** Requests to providers: bounded in time and size, without redirects. */

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

/** `fetch` as oauth4webapi calls it. Throws ProviderUnreachable, also for an answer of more than `maxBytes`. */
export async function boundedFetch(
  url: string,
  { method, body = null, ...request }: ProviderRequest,
  maxBytes = MAX_ANSWER_BYTES,
): Promise<Response> {
  const headers = new Headers(request.headers);
  // GitHub refuses requests without this header.
  headers.set("User-Agent", "Postern");
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const response = await fetch(url, { method, headers, body, signal, redirect: "manual" });
    const answer = await readBounded(response, signal, maxBytes);
    const { status } = response;
    return new Response(WITHOUT_BODY.has(status) ? null : answer, { status, headers: response.headers });
  } catch (cause) {
    if (cause instanceof ProviderUnreachable) throw cause;
    throw new ProviderUnreachable(signal.aborted ? "no answer within 5 seconds" : "no connection", { cause });
  }
}

/** Cancels the reader when the signal aborts: the signal alone would not end the wait for a body that stalls. */
async function readBounded({ body }: Response, signal: AbortSignal, maxBytes: number) {
  if (!body) return new Uint8Array();
  const reader = body.getReader();
  signal.addEventListener("abort", () => reader.cancel(signal.reason).catch(() => undefined));
  const parts: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    signal.throwIfAborted();
    if (done) return joined(parts, length);
    length += value.length;
    if (length > maxBytes) {
      reader.cancel().catch(() => undefined);
      throw new ProviderUnreachable(`an answer of more than ${maxBytes / 1024} KiB`);
    }
    parts.push(value);
  }
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
