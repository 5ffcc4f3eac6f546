/** The pages at `/docs/<name>`, in the order of reading. */
import errors from "../../docs/errors.md";
import limits from "../../docs/limits.md";
import operations from "../../docs/operations.md";
import quickStart from "../../docs/quick-start.md";
import threatModel from "../../docs/threat-model.md";
import tokens from "../../docs/tokens.md";
import verify from "../../docs/verify.md";

const MARKDOWN = {
  "quick-start": quickStart,
  verify,
  tokens,
  errors,
  limits,
  operations,
  "threat-model": threatModel,
} as const;

type PageName = keyof typeof MARKDOWN;
const NAMES = Object.keys(MARKDOWN) as PageName[];

/** The Markdown of a page; undefined when there is no such page. */
export const markdownOf = (name: string): string | undefined =>
  Object.hasOwn(MARKDOWN, name) ? MARKDOWN[name as PageName] : undefined;

/** A page's first heading. */
export const titleOf = (markdown: string): string => markdown.match(/^# (.+)$/m)?.[1] ?? "";

/** The row of links on top of every page; `current` is a name, or "" for the reference. */
export function navigation(current: string): string {
  const links = [["", "Reference"], ...NAMES.map((name) => [name, titleOf(MARKDOWN[name])])].map(([name, title]) => {
    const mark = name === current ? ' aria-current="page"' : "";
    return `<a href="/docs${name ? `/${name}` : ""}"${mark}>${title}</a>`;
  });
  return `<nav class="pages" aria-label="Documents">\n${links.join("\n")}\n</nav>`;
}
