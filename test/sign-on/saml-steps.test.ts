/** How much the reader of SAML does for hostile documents: in proportion to their size, whatever is in them. */
import { afterEach, expect, test, vi } from "vitest";
import { utf8 } from "../../src/base/crypto/encoding";
import { canonicalBytes } from "../../src/sign-on/saml/canonical";
import { parseXml } from "../../src/sign-on/saml/parse";
import { XmlRefused } from "../../src/sign-on/saml/xml";

afterEach(() => {
  vi.restoreAllMocks();
});

/** How often reading a document, and writing its canonical form, look into a map or try a pattern. */
function stepsFor(xml: string): number {
  const lookUps = vi.spyOn(Map.prototype, "get");
  const tries = vi.spyOn(RegExp.prototype, "exec");
  try {
    canonicalBytes(parseXml(utf8(xml)), { inclusive: new Set(["", "p", "q"]), without: null });
  } catch (error) {
    if (!(error instanceof XmlRefused)) throw error;
  }
  const steps = lookUps.mock.calls.length + tries.mock.calls.length;
  vi.restoreAllMocks();
  return steps;
}

const many = (count: number, one: (index: number) => string): string =>
  Array.from({ length: count }, (_, i) => one(i)).join("");
const attributes = (count: number) => many(count, (i) => ` p:a${i}=""`);
const declarations = (count: number, depth: number) => many(count, (i) => ` xmlns:d${depth}x${i}="u"`);
/** Each level declares as many prefixes as it may, and the lowest ask for what the first alone declares. */
const deep = (count: number): string => {
  const open = many(14, (depth) => `<a${declarations(31, depth)}>`);
  return `<a xmlns:p="u">${open}${many(count, () => `<p:b${attributes(20)}/>`)}${"</a>".repeat(14)}</a>`;
};

test.each<[string, (count: number) => string, number]>([
  ["elements beside each other", (count) => `<a>${"<b/>".repeat(count)}</a>`, 1900],
  ["text with references", (count) => `<a>${"&amp;".repeat(count)}</a>`, 24_000],
  ["attributes", (count) => `<a xmlns:p="u">${many(count, () => `<b${attributes(31)}/>`)}</a>`, 500],
  ["declarations at every element", (count) => `<a>${many(count, () => `<b${declarations(20, 1)}/>`)}</a>`, 300],
  ["prefixes from far above", deep, 600],
  ["a tag of blanks that does not end", (count) => `<a>${" ".repeat(count)}<b${" ".repeat(count)}<`, 60_000],
  ["a name that does not end", (count) => `<a><${"b".repeat(count)}`, 120_000],
  ["ends of tags that are not open", (count) => `<a>${"</b>".repeat(count)}</a>`, 30_000],
])("twice as much takes no more than twice the steps: %s", (_, make, count) => {
  const [half, whole] = [stepsFor(make(Math.floor(count / 2))), stepsFor(make(count))];
  expect(whole).toBeLessThanOrEqual(2 * half + 200);
  // 128 KiB at most, so a few for each byte are few.
  expect(whole).toBeLessThan(3 * 128 * 1024);
});
