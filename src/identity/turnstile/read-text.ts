/** Reading what another service answers. */

/** Returns the body as text. Throws, and reads no further, beyond `maxBytes`. */
export async function readText({ body }: Response, maxBytes: number): Promise<string> {
  if (!body) return "";
  const decoder = new TextDecoder();
  let text = "";
  let length = 0;
  for await (const part of body) {
    length += part.length;
    if (length > maxBytes) throw new Error(`the answer is larger than ${maxBytes} bytes`);
    text += decoder.decode(part, { stream: true });
  }
  return text + decoder.decode();
}
