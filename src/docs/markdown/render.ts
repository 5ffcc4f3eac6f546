/**
 * Renders our own Markdown as HTML: headings get anchors, and links to another Markdown file lead to its page under
 * `/docs`. Pictures are left out, because the Worker does not carry them.
 */
import { Marked } from "marked";
import { pathOf } from "./catalogue";

/** A link to the file of another page, relative to that of its own, as in the repository. */
const PAGE_FILE = /^((?:\.\.\/)?(?:[a-z-]+\/)?[a-z-]+)\.md(#.*)?$/;

/** The code as HTML in which its words are marked with classes. Throws for a language that it does not know. */
export type Highlighter = (code: string, language: string) => string;

const markedWith = (page: string, highlighted: Highlighter) =>
  new Marked({
    renderer: {
      code({ text, lang }) {
        // It takes the focus, as tables do, so that it can be scrolled with the keyboard.
        return `<pre tabindex="0"><code>${lang ? highlighted(text, lang) : escaped(text)}</code></pre>\n`;
      },
      heading({ tokens, depth, text }) {
        return `<h${depth} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      image: () => "",
      link({ href, tokens }) {
        const target = href.replace(
          PAGE_FILE,
          (_file, name: string, anchor = "") => `${pathOf(resolved(name, page))}${anchor}`,
        );
        return `<a href="${target.replaceAll('"', "&quot;")}">${this.parser.parseInline(tokens)}</a>`;
      },
    },
  });

/** The name of the page that the page `from` calls `name`. */
const resolved = (name: string, from: string) => new URL(name, `file:///${from}`).pathname.slice(1);

/** As text in HTML. */
export const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** The anchor that GitHub gives a heading, so that the same links work in the repository. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, "")
    .replaceAll(/\s/g, "-");

/** The HTML of the body of the page `name`. `markdown` must be ours: HTML in it is not escaped. */
export const renderMarkdown = (name: string, markdown: string, highlighted: Highlighter): string =>
  markedWith(name, highlighted)
    .parse(markdown, { async: false })
    .replaceAll("<table>", '<div class="scroll" tabindex="0"><table>')
    .replaceAll("</table>", "</table></div>");
