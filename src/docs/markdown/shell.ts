/** What is around the content of each page: the bar at the top and the links beside it. Nothing is inline. */
import { type AssetAddress, type DocsPage, navigation } from "./catalogue";
import type { Highlighter } from "./render";

export interface Shell {
  pages: readonly DocsPage[];
  /** Of what the search reads. */
  searchAddress: string;
  addressOf: AssetAddress;
  highlighted: Highlighter;
}

interface Content {
  page: DocsPage;
  /** Style sheets and scripts besides those of every page. */
  styles?: readonly string[];
  scripts?: readonly string[];
  /** HTML. */
  main: string;
}

/** The whole page as HTML. */
export function shellHtml(
  { pages, addressOf, searchAddress }: Shell,
  { page, styles = [], scripts = [], main }: Content,
): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${page.title} - Postern</title>
<link rel="icon" href="${addressOf("icon.svg")}" type="image/svg+xml">
${["docs.css", ...styles].map((name) => `<link rel="stylesheet" href="${addressOf(name)}">`).join("\n")}
${["docs.js", ...scripts].map((name) => `<script defer src="${addressOf(name)}"></script>`).join("\n")}
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="top">
<button type="button" class="menu" popovertarget="pages">Menu</button>
<a class="home" href="/docs">Postern <span>Docs</span></a>
<form class="search" role="search" data-index="${searchAddress}" hidden>
<input type="search" aria-label="Search the documentation" placeholder="Search" autocomplete="off">
<kbd aria-hidden="true">/</kbd>
<div class="results" hidden><p role="status"></p><ul></ul></div>
</form>
<a href="/console">Console</a>
</header>
<div class="frame">
${navigation(pages, page.name)}
<main id="content">
${main}</main>
</div>
</body>
</html>
`;
}
