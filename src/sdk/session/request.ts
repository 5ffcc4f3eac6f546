/** Requests to the issuer: bounded in time and size, and without redirects. */
import { readBody } from "../verify/body";

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** How documents of the issuer are fetched. */
export interface Source {
  url: string;
  fetch: Fetch;
  timeoutMs: number;
  maxBytes: number;
}

/** The body of a response and its ETag; null for 304. */
export type Document = { text: string; etag: string | null } | null;

/** Fetches a document, unless it still has this ETag. Throws for every other answer, and for none in time. */
export async function fetchDocument({ url, fetch, timeoutMs, maxBytes }: Source, etag?: string): Promise<Document> {
  const cancel = new AbortController();
  const { promise: late, reject } = deferred<never>();
  const timer = setTimeout(() => {
    reject(new Error(`${url} has not answered within ${timeoutMs} ms.`));
    cancel.abort();
  }, timeoutMs);
  const read = async (): Promise<Document> => {
    const headers: Record<string, string> = etag === undefined ? {} : { "if-none-match": etag };
    const response = await fetch(url, { headers, redirect: "manual", signal: cancel.signal });
    if (response.status === 304 && etag !== undefined) return null;
    if (response.status !== 200) throw new Error(`${url} was answered with status ${response.status}.`);
    return { text: await readBody(response, maxBytes), etag: response.headers.get("etag") };
  };
  try {
    return await Promise.race([read(), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** `Promise.withResolvers`, which Node 20 does not have. */
function deferred<T>() {
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<T>((_resolve, refuse) => {
    reject = refuse;
  });
  return { promise, reject };
}
