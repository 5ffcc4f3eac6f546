/** The style sheet of the Markdown pages: a narrow column in the reader's colour scheme; wide tables scroll. */

/** Also used by the API reference, which has a style sheet of its own. */
export const NAVIGATION_STYLE = `.pages { display: flex; flex-wrap: wrap; gap: .25rem 1rem; padding: .75rem 1rem; font: 15px/1.5 system-ui, sans-serif; }
.pages a { color: inherit; }
.pages a[aria-current] { font-weight: 600; text-decoration: none; }
`;

export const DOCUMENT_STYLE = `:root {
  color-scheme: light dark;
  --text: light-dark(#1b1f24, #e3e6ea);
  --ground: light-dark(#fff, #14171b);
  --faint: light-dark(#f3f5f7, #1f2429);
  --line: light-dark(#d5dae0, #3a424b);
  --link: light-dark(#0b57b0, #7db8ff);
}
body { margin: 0; color: var(--text); background: var(--ground); font: 16px/1.6 system-ui, sans-serif; }
${NAVIGATION_STYLE}.pages { border-bottom: 1px solid var(--line); }
main { max-width: 52rem; margin: 0 auto; padding: 1rem 1rem 4rem; overflow-wrap: break-word; }
h1, h2, h3 { line-height: 1.25; margin: 2em 0 .5em; }
h1 { margin-top: .75em; }
main a { color: var(--link); }
code, pre { font: 14px/1.5 ui-monospace, monospace; background: var(--faint); }
code { padding: .1em .3em; border-radius: 3px; }
pre { padding: .75rem 1rem; overflow-x: auto; border-radius: 6px; }
pre code { padding: 0; }
table { display: block; overflow-x: auto; border-collapse: collapse; font-size: 15px; overflow-wrap: normal; }
th, td { padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; min-width: 4rem; }
td code { white-space: nowrap; }
`;
