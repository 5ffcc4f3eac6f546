/** Long texts in rows come back as they were, whatever they contain. */
import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { atomically, createDb, rows } from "../../src/base/db/client";
import { fromStored, LONG_TEXT_BYTES, longTextOf, storedText, toStored } from "../../src/base/db/stored-text";

const noise = (length: number) =>
  Array.from(crypto.getRandomValues(new Uint16Array(length)), (unit) => String.fromCharCode(33 + (unit % 90))).join("");

const TEXTS: Record<string, string> = {
  empty: "",
  "as long as a short one can be": "x".repeat(LONG_TEXT_BYTES),
  "one byte longer": "x".repeat(LONG_TEXT_BYTES + 1),
  "longer in bytes, not in characters": "ü".repeat(LONG_TEXT_BYTES / 2 + 1),
  "with a byte order mark, a zero and an emoji": `\uFEFF\u0000😀${"long ".repeat(300)}`,
  "that compression makes no shorter": noise(20_000),
  "of 256 KiB": JSON.stringify(Array.from({ length: 9_000 }, (_, n) => `line ${n} "quoted"`)),
};

describe("a text", () => {
  test.each(Object.entries(TEXTS))("%s", async (_name, text) => {
    const json = sql`${JSON.stringify(await toStored(text))}`;
    const { found } = await atomically(createDb(env.DB, { trips: 0, sqlMs: 0, rowsWritten: 0 }), {
      found: rows<{
        stored: string;
        longBytes: number | null;
      }>(sql`SELECT ${storedText(sql`short`, sql`long`)} AS stored,
          octet_length(long) AS longBytes
        FROM (SELECT j ->> 'short' AS short, ${longTextOf(sql`j`)} AS long FROM (SELECT ${json} AS j))`),
    });
    expect(found).toHaveLength(1);
    expect(await fromStored(found[0]?.stored ?? "")).toBe(text);
    const bytes = new TextEncoder().encode(text).length;
    if (bytes <= LONG_TEXT_BYTES) expect(found[0]?.longBytes).toBeNull();
    else expect(found[0]?.longBytes).toBeLessThanOrEqual(bytes);
  });
});
