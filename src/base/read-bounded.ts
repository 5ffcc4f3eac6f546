/** Bodies of others' answers: bounded in size and time. */

/** The body has more bytes than the reader takes. */
export class BodyTooLarge extends Error {
  override readonly name = "BodyTooLarge";
}

/**
 * Returns the whole body. Throws BodyTooLarge for more than `maxBytes`, and the signal's reason when that aborts: the
 * reader is cancelled then, because the signal alone would not end the wait for a body that stalls.
 */
export async function readBounded(
  { body }: Response,
  signal: AbortSignal,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
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
      throw new BodyTooLarge(`a body of more than ${maxBytes / 1024} KiB`);
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
