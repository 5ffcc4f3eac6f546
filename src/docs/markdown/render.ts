/**
 * Renders our own Markdown as HTML: headings get anchors, and links to another Markdown file lead to its page under
 * `/docs`. Pictures are left out, because the Worker does not carry them.
 */
import { Marked } from "marked";

const PAGE_FILE = /^([a-z-]+)\.md(#.*)?$/;

const marked = new Marked({
  renderer: {
    heading({ tokens, depth, text }) {
      return `<h${depth} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    image: () => "",
    link({ href, tokens }) {
      const target = href.replace(PAGE_FILE, (_file, name: string, anchor = "") => `${pathOf(name)}${anchor}`);
      return `<a href="${target.replaceAll('"', "&quot;")}">${this.parser.parseInline(tokens)}</a>`;
    },
  },
});

const pathOf = (fileName: string) => (fileName === "index" ? "/docs" : `/docs/${fileName}`);

/** The anchor that GitHub gives a heading, so that the same links work in the repository. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, "")
    .replaceAll(/\s/g, "-");

/** The HTML of a page's body. `markdown` must be ours: HTML in it is not escaped. */
export const renderMarkdown = (markdown: string): string => marked.parse(markdown, { async: false });
