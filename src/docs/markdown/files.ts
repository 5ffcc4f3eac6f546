/** The Markdown pages as files: each as HTML without scripts and as Markdown, and a list of them for programs. */
import { type AssetAddress, allPages, navigation, type Page, pageList, REFERENCE_PATH, START_PATH } from "./catalogue";
import { referenceHtml } from "./reference";
import { renderMarkdown } from "./render";
import { type Facts, withTables } from "./tables";

/** A page with fewer sections has no list of them. */
const MIN_HEADINGS = 4;

/** The text of each file, by its path. */
export function pageFiles(facts: Facts, addressOf: AssetAddress): Record<string, string> {
  const files = allPages().flatMap(({ path, title, markdown }): [string, string][] => {
    const text = withTables(markdown, facts);
    const name = path === START_PATH ? "docs/index" : path.slice(1);
    return [
      [`${path.slice(1)}.html`, pageHtml({ path, title, markdown: text }, addressOf)],
      [`${name}.md`, text],
    ];
  });
  return {
    ...Object.fromEntries(files),
    [`${REFERENCE_PATH.slice(1)}.html`]: referenceHtml(addressOf),
    "docs/llms.txt": pageList(),
  };
}

/** The sections of a long page, as links. */
function contentsOf(html: string): string {
  const headings = [...html.matchAll(/<h2 id="([^"]+)">(.*?)<\/h2>/g)];
  if (headings.length < MIN_HEADINGS) return "";
  const items = headings.map(([, id, title]) => `<li><a href="#${id}">${title?.replace(/<[^>]+>/g, "")}</a></li>`);
  return `<nav class="toc" aria-label="On this page"><strong>On this page</strong><ul>${items.join("")}</ul></nav>\n`;
}

function pageHtml({ path, title, markdown }: Page, addressOf: AssetAddress): string {
  const html = renderMarkdown(markdown);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} - Postern</title>
<link rel="icon" href="${addressOf("favicon-32x32.png")}">
<link rel="stylesheet" href="${addressOf("navigation.css")}">
<link rel="stylesheet" href="${addressOf("document.css")}">
</head>
<body>
${navigation(path)}
<main>
${html.replace("</h1>\n", `</h1>\n${contentsOf(html)}`)}</main>
</body>
</html>
`;
}
