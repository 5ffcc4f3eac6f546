/** Reads the body of a request, up to a size, as the text that was signed. */
import { DeliveryError } from "./errors";

/** The part of a `Request` or `PlainRequest` that is read here. */
export interface RequestBody {
  readonly body: string | Uint8Array | ReadableStream<Uint8Array> | null;
  readonly bodyUsed?: boolean;
}

/** Returns the body as text. Throws DeliveryError: BODY_TOO_LARGE, BODY_ALREADY_READ, MALFORMED_BODY. */
export async function readBody(request: RequestBody, maxBytes: number): Promise<string> {
  if (request.bodyUsed) throw new DeliveryError("BODY_ALREADY_READ");
  const { body } = request;
  if (typeof body === "string") {
    if (new TextEncoder().encode(body).length > maxBytes) throw new DeliveryError("BODY_TOO_LARGE");
    if (!body.isWellFormed()) throw new DeliveryError("MALFORMED_BODY");
    return body;
  }
  return decode(
    body instanceof ReadableStream ? await readStream(body, maxBytes) : (body ?? new Uint8Array()),
    maxBytes,
  );
}

/**
 * Decodes UTF-8. Refuses invalid text and keeps a byte order mark, because two different bodies must not become the
 * same text.
 */
function decode(bytes: Uint8Array, maxBytes: number): string {
  if (bytes.length > maxBytes) throw new DeliveryError("BODY_TOO_LARGE");
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new DeliveryError("MALFORMED_BODY");
  }
}

async function readStream(stream: ReadableStream<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const reader = stream.getReader();
  const parts: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > maxBytes) {
      reader.cancel().catch(() => undefined);
      throw new DeliveryError("BODY_TOO_LARGE");
    }
    parts.push(value);
  }
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}
