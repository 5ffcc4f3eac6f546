/** What the search of the documentation reads: one entry for each section of each page. */
import { withoutFigures } from "../figures";
import type { DocsPage } from "./catalogue";
import { anchorOf } from "./render";

/** Where it is, the title of its page, its heading (empty at the start of a page), and its words. */
type Entry = readonly [address: string, title: string, heading: string, text: string];

export const searchIndex = (pages: readonly DocsPage[]): Entry[] => pages.flatMap(entriesOf);

function entriesOf({ path, title, markdown }: DocsPage): Entry[] {
  if (markdown === null) return [[path, title, "", "every endpoint, field and example"]];
  const [start = "", ...sections] = withoutCode(markdown).split(/^#{2,3} /m);
  return [
    [path, title, "", plain(start.replace(/^# .+$/m, ""))],
    ...sections.map((section): Entry => {
      const [heading = "", ...lines] = section.split("\n");
      return [`${path}#${anchorOf(heading)}`, title, plain(heading), plain(lines.join("\n"))];
    }),
  ];
}

/** A line of code that starts with `#` is no heading. */
const withoutCode = (markdown: string): string =>
  markdown.replaceAll(/^```[\s\S]*?^```$/gm, (code) => code.replaceAll(/^#+ ?/gm, ""));

/** Markdown without its marks. */
const plain = (markdown: string): string =>
  withoutFigures(markdown)
    .replaceAll(/!\[[^\]]*\]\([^)]*\)|<[^>]+>|^```\w*$|^[|\s:-]+$/gm, " ")
    .replaceAll(/\[([^\]]+)\]\([^)]+\)/g, "$1")
    .replaceAll(/[`*|\\]/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
