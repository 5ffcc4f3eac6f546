/** Passes a delivery on to a URL of this machine, with the bytes and the headers that came. */
import { usage } from "./failure";

/** What comes over the socket of a listener. */
export interface Delivery {
  /** Of the attempt. */
  id: string;
  headers: Record<string, string>;
  /** Base64. */
  body: string;
}

/** What the program made of it. */
export type Answer = { status: number; headers: Record<string, string>; body: string } | { error: string };

/** Less than the service waits for. */
const TIMEOUT_MS = 9_000;
const MAX_BODY_BYTES = 16 * 1024;
const MAX_ERROR_CHARACTERS = 200;
/** Headers of one connection, and those that `fetch` sets. */
const DROPPED = ["connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade", "host", "content-length"];

/** The URL to pass deliveries on to. Throws for one of another machine, unless that is allowed. */
export function localUrl(given: string | undefined, isRemoteAllowed: boolean): string {
  const url = given === undefined ? null : URL.parse(given);
  if (!url || !/^https?:$/.test(url.protocol)) throw usage("Give --forward URL, such as http://localhost:3000/hooks.");
  const isLoopback = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (!isLoopback && !isRemoteAllowed) throw usage(`${url.hostname} is not this machine. Add --allow-remote.`);
  return url.href;
}

/** Posts a delivery. A failure is returned, not thrown. */
export async function forward(url: string, { headers, body }: Delivery): Promise<Answer> {
  const kept = Object.entries(headers).filter(([name]) => !DROPPED.includes(name.toLowerCase()));
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: Object.fromEntries(kept),
      body: Uint8Array.from(Buffer.from(body, "base64")),
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const told = [...response.headers].filter(([name]) => name !== "set-cookie");
    return { status: response.status, headers: Object.fromEntries(told), body: await firstBytes(response) };
  } catch (error) {
    return { error: reasonOf(error).slice(0, MAX_ERROR_CHARACTERS) };
  }
}

async function firstBytes({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const part of body ?? []) {
    text += decoder.decode(part.subarray(0, MAX_BODY_BYTES - bytes), { stream: true });
    bytes += part.length;
    if (bytes >= MAX_BODY_BYTES) break;
  }
  return text;
}

/** `fetch` says "fetch failed"; the cause says why. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return (cause instanceof Error && (cause.message || (cause as NodeJS.ErrnoException).code)) || error.message;
}
