/** The log lines of `npm run dev` on a terminal. */
import { expect, test } from "vitest";
import { readable } from "../../.scripts/dev/readable.ts";

test.each([
  ['{"level":"warn","message":"mail not sent","mailKind":"invitation"}', "warn   mail not sent  mailKind=invitation"],
  ['{"level":"error","message":"x","cause":"no such table","count":2}', 'error  x  cause="no such table"  count=2'],
  ["Listening", "Listening"],
  ['{"id":1}', '{"id":1}'],
  ["null", "null"],
])("%s", (line, shown) => {
  expect(readable(line)).toBe(shown);
});
