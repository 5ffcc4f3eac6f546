/**
 * Long texts in rows. A table WITHOUT ROWID keeps about 1,000 bytes of a row in its page and puts the rest on pages of
 * 4 KiB, so a longer text costs a whole page. Longer texts are therefore compressed (raw deflate) where that makes them
 * shorter, and stand in the last column, so that reading the other columns does not read them.
 */
import { type SQL, sql } from "drizzle-orm";
import { fromHex, toHex, utf8 } from "../crypto/encoding";

/** Longer texts, in bytes, go into the last column. With the other columns, a shorter one fits into the page. */
export const LONG_TEXT_BYTES = 800;
/** A character has at most this many bytes in UTF-8. */
const MAX_CHARACTER_BYTES = 3;

/** One of the three: a text for its own column, or one for the last column, as it is or as hexadecimal raw deflate. */
export type StoredText = { short: string } | { long: string } | { deflated: string };

/** Prepares a text for a JSON list from which SQL inserts it. */
export async function toStored(text: string): Promise<StoredText> {
  if (text.length * MAX_CHARACTER_BYTES <= LONG_TEXT_BYTES) return { short: text };
  const bytes = utf8(text);
  if (bytes.length <= LONG_TEXT_BYTES) return { short: text };
  const deflated = await transformed(bytes, new CompressionStream("deflate-raw"));
  return deflated.length < bytes.length ? { deflated: toHex(deflated) } : { long: text };
}

/** The value of the last column, as SQL over a JSON object with the members of a `StoredText`; NULL for a short one. */
export const longTextOf = (json: SQL): SQL => sql`coalesce(unhex(${json} ->> 'deflated'), ${json} ->> 'long')`;

/** Selects the text that is in one of two columns, in the form that `fromStored` takes. */
export const storedText = (short: SQL, long: SQL): SQL =>
  sql`CASE typeof(${long}) WHEN 'blob' THEN 'z' || hex(${long}) ELSE 't' || coalesce(${long}, ${short}) END`;

/** Returns the text that a column of `storedText` has. */
export async function fromStored(stored: string): Promise<string> {
  const content = stored.slice(1);
  if (stored.startsWith("t")) return content;
  const bytes = await transformed(fromHex(content), new DecompressionStream("deflate-raw"));
  return new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(bytes);
}

async function transformed(bytes: Uint8Array<ArrayBuffer>, stream: CompressionStream | DecompressionStream) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}
