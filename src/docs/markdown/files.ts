/** The pages as files: each as HTML and as Markdown, and a list of them for programs. */
import { type DocsPage, pageList, pagesOf, REFERENCE, START } from "./catalogue";
import { type ApiDocument, referenceHtml } from "./reference";
import { renderMarkdown } from "./render";
import { searchIndex } from "./search-index";
import { type Shell, shellHtml } from "./shell";
import { type Facts, withTables } from "./tables";

/** A page with fewer sections has no list of them. */
const MIN_SECTIONS = 3;
/** What the search reads. */
const SEARCH = "search.json";
/** What is shown in place of a page that there is not. */
const MISSING: DocsPage = { name: "404", path: "", title: "Page not found", markdown: "" };
const NOT_FOUND = `<h1>Page not found</h1>
<article><p>There is no such page. Search for it above, choose one from the menu, or <a href="/docs">start at the
first page</a>.</p></article>
`;

/** The text of each file, by its path. `texts` is the Markdown of each page by its name. */
export function pageFiles(
  texts: Readonly<Record<string, string>>,
  facts: Facts,
  tools: Omit<Shell, "pages" | "searchAddress">,
  api: ApiDocument,
): Record<string, string> {
  const complete = Object.entries(texts).map(([name, text]) => [name, withTables(text, facts)] as const);
  const pages = pagesOf(Object.fromEntries(complete));
  const search = JSON.stringify(searchIndex(pages));
  const shell: Shell = { pages, searchAddress: tools.addressOf(SEARCH, search), ...tools };
  return {
    ...Object.fromEntries(
      pages.map((page) => [`docs${page.name === START ? "" : `/${page.name}`}.html`, htmlOf(shell, page, api)]),
    ),
    ...Object.fromEntries(complete.map(([name, text]) => [`docs/${name}.md`, text])),
    "docs/404.html": shellHtml(shell, { page: MISSING, main: NOT_FOUND }),
    "docs/llms.txt": pageList(pages),
    [`docs/assets/${SEARCH}`]: search,
  };
}

function htmlOf(shell: Shell, page: DocsPage, api: ApiDocument): string {
  if (page.name === REFERENCE) return referenceHtml(shell, page, api);
  const html = renderMarkdown(page.name, page.markdown ?? "", shell.highlighted);
  const [title = "", ...rest] = html.split(/(?<=<\/h1>\n)/);
  const main = `${title}${contentsOf(html)}<article>\n${rest.join("")}${neighbours(shell.pages, page)}</article>\n`;
  return shellHtml(shell, { page, styles: ["code.css"], main });
}

/** The sections of a page, as links. */
function contentsOf(html: string): string {
  const headings = [...html.matchAll(/<h2 id="([^"]+)">(.*?)<\/h2>/g)];
  if (headings.length < MIN_SECTIONS) return "";
  const items = headings.map(([, id, title]) => `<li><a href="#${id}">${title?.replace(/<[^>]+>/g, "")}</a></li>`);
  return `<nav class="toc" aria-label="On this page"><p>On this page</p><ul>${items.join("")}</ul></nav>\n`;
}

/** Links to the pages before and after this one. */
function neighbours(pages: readonly DocsPage[], page: DocsPage): string {
  const at = pages.indexOf(page);
  const link = (rel: string, other: DocsPage | undefined) =>
    other ? `<a rel="${rel}" href="${other.path}">${other.title}</a>` : "";
  const links = `${link("prev", pages[at - 1])}${link("next", pages[at + 1])}`;
  return `<nav class="neighbours" aria-label="Next pages">${links}</nav>\n`;
}
