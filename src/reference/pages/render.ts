/** Markdown of ours to HTML: headings get anchors, and a link to another page's file leads to where it is served. */
import { Marked } from "marked";

const PAGE_FILE = /^([a-z-]+)\.md(#.*)?$/;

const marked = new Marked({
  renderer: {
    heading({ tokens, depth, text }) {
      return `<h${depth} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    link({ href, tokens }) {
      const target = href.replace(PAGE_FILE, (_file, name: string, anchor = "") => `/docs/${name}${anchor}`);
      return `<a href="${target.replaceAll('"', "&quot;")}">${this.parser.parseInline(tokens)}</a>`;
    },
  },
});

/** As code hosts make them, so that a link works there too. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, "")
    .replaceAll(/\s/g, "-");

/** The HTML of a page's body. */
export const renderMarkdown = (markdown: string): string => marked.parse(markdown, { async: false });
