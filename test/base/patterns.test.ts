/** Regular expressions on what others send take time in proportion to it. */
import { expect, test } from "vitest";
import { isPrivateHost } from "../../src/base/private-host";
import { withoutEnd } from "../../src/base/without-end";

const sources = import.meta.glob("../../src/**/*.{ts,tsx}", { query: "?raw", import: "default", eager: true });

/** A run at the end of a text, without a `^`: it is tried from each place of each run, to the end of that run. */
const RUN_AT_THE_END = /(?:\(|, |= )\/(?!\^)(?:\\.|\[[^\]]*\]|[^/\\\n])*[+*]\$\/[a-z]*/g;

test("no pattern looks for a run at the end of a text", () => {
  // The package works on settings and files of whoever runs it, and the documentation on its own pages.
  const ours = Object.entries(sources).filter(([path]) => !/^\.\.\/\.\.\/src\/(?:sdk|docs)\//.test(path));
  const found = ours.flatMap(([path, text]) =>
    [...String(text).matchAll(RUN_AT_THE_END)].map(([pattern]) => `${path.replace("../../src/", "")} ${pattern}`),
  );
  expect(found).toEqual([]);
  expect('text.replace(/=+$/, "")'.match(RUN_AT_THE_END)).toHaveLength(1);
});

test("what a text ends in is taken off, and nothing else", () => {
  expect(["a==", "=a=b=", "==", ""].map((text) => withoutEnd(text, "="))).toEqual(["a", "=a=b", "", ""]);
  expect(withoutEnd(`${"=".repeat(1_000_000)}x`, "=")).toHaveLength(1_000_001);
  expect(isPrivateHost("localhost..")).toBe(true);
});
