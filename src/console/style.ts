/** The console's one style sheet. Spacings and colours stand at the top; the rest names them. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --s1: 4px; --s2: 8px; --s3: 16px; --s4: 24px; --s5: 40px;
  --radius: 6px;
  --bg: #f6f6f4; --surface: #ffffff; --sunken: #f0f0ed; --line: #d9d9d3; --control: #8b8d86;
  --text: #1b1d1a; --muted: #5a5d56;
  --accent: #1d5aa8; --on-accent: #ffffff;
  --ok: #17693c; --ok-soft: #e2f1e8; --bad: #b0281f; --bad-soft: #fbe7e5; --wait: #7a5600; --wait-soft: #fbf0d5;
  --note-soft: #e5edf8;
}
@media (prefers-color-scheme: dark) {
  :root {
    --bg: #131416; --surface: #1b1d20; --sunken: #23262a; --line: #34383d; --control: #7d838b;
    --text: #e7e8e6; --muted: #a5a9af;
    --accent: #8ab6f5; --on-accent: #0f1a2a;
    --ok: #76d29b; --ok-soft: #1a2f23; --bad: #ff8f84; --bad-soft: #3a1f1d; --wait: #e8c35c; --wait-soft: #352b12;
    --note-soft: #1c2a3d;
  }
}
* { box-sizing: border-box; }
html { font: 16px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--bg); color: var(--text); overflow-wrap: break-word; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 var(--s3); }
h2 { font-size: 1.0625rem; margin: 0 0 var(--s3); }
h1, h2 { font-weight: 600; text-wrap: balance; }
p { margin: 0 0 var(--s3); }
a { color: var(--accent); text-underline-offset: 2px; }
code, pre, .mono { font: 0.875rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
code { overflow-wrap: anywhere; }
pre { margin: 0; padding: var(--s3); background: var(--sunken); border-radius: var(--radius); white-space: pre-wrap; overflow-wrap: anywhere; }
time { font-variant-numeric: tabular-nums; }
.muted, .hint { color: var(--muted); }
.hint, .small { font-size: 0.875rem; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
.skip { position: absolute; left: -999px; }
.skip:focus { left: var(--s2); top: var(--s2); padding: var(--s2) var(--s3); background: var(--surface); z-index: 1; }

.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }

/* The frame */
.brand { display: inline-flex; align-items: center; gap: var(--s2); font-weight: 650; color: var(--text); text-decoration: none; }
.mark { fill: var(--accent); }
.inside .bar { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: center; gap: 0 var(--s3); padding: var(--s3); background: var(--surface); border-bottom: 1px solid var(--line); }
.inside nav { order: 1; flex: 1 0 100%; margin: 0 calc(-1 * var(--s2)); }
.inside nav ul { list-style: none; display: flex; flex-wrap: wrap; gap: var(--s1); margin: var(--s2) 0 0; padding: 0; }
.inside nav a { display: block; padding: var(--s1) var(--s2); border-radius: var(--radius); color: var(--muted); text-decoration: none; }
.inside nav a:hover { color: var(--text); background: var(--sunken); }
.inside nav a[aria-current] { color: var(--text); background: var(--sunken); font-weight: 600; }
.account { display: flex; align-items: center; gap: var(--s3); min-width: 0; font-size: 0.875rem; }
.account p { margin: 0; min-width: 0; }
.account p > * { display: block; overflow-wrap: anywhere; }
.account .muted { display: none; }
main { padding: var(--s4) var(--s3) var(--s5); min-width: 0; }
main:focus { outline: none; }
.outside { display: flex; flex-direction: column; align-items: center; padding: var(--s5) var(--s3); }
.outside main { width: 100%; max-width: 400px; padding: var(--s4); margin-top: var(--s4); background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius); }
@media (min-width: 900px) {
  .inside { display: grid; grid-template-columns: 224px minmax(0, 1fr); min-height: 100vh; }
  .inside .bar { flex-direction: column; flex-wrap: nowrap; justify-content: start; align-items: stretch; gap: var(--s3); border-bottom: 0; border-right: 1px solid var(--line); padding: var(--s4) var(--s3); position: sticky; top: 0; height: 100vh; }
  .inside .brand { padding: 0 var(--s2); }
  .inside nav { order: 0; flex: none; margin: 0; }
  .inside nav ul { flex-direction: column; margin: 0; }
  .account { display: block; margin: auto 0 0; padding: 0 var(--s2); }
  .account p { margin-bottom: var(--s2); }
  .account .muted { display: block; }
  .inside main { padding: var(--s4) var(--s5) var(--s5); max-width: 1120px; }
}

/* Blocks */
.head { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: start; gap: var(--s2) var(--s3); margin-bottom: var(--s3); }
.head h1, .head h2 { margin: 0; }
.trail { margin: 0 0 var(--s1); font-size: 0.875rem; }
.row { display: flex; flex-wrap: wrap; gap: var(--s2); align-items: center; }
.card { background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius); padding: var(--s3); margin: 0 0 var(--s3); }
.card > :last-child { margin-bottom: 0; }
.center { justify-content: center; }
.columns { display: grid; gap: 0 var(--s3); grid-template-columns: repeat(auto-fit, minmax(min(100%, 320px), 1fr)); align-items: start; }
.figures { display: grid; gap: var(--s3); grid-template-columns: repeat(auto-fit, minmax(120px, 1fr)); margin: 0 0 var(--s3); }
.figures div { background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius); padding: var(--s2) var(--s3); }
.figures dt { color: var(--muted); font-size: 0.875rem; }
.figures dd { margin: 0; font-size: 1.375rem; font-weight: 600; font-variant-numeric: tabular-nums; }
.facts { display: grid; grid-template-columns: minmax(96px, max-content) minmax(0, 1fr); gap: var(--s1) var(--s3); margin: 0 0 var(--s3); }
.facts dt { color: var(--muted); }
.facts dd { margin: 0; overflow-wrap: anywhere; }
.banner { padding: 12px var(--s3); margin: 0 0 var(--s3); border-radius: var(--radius); border-left: 4px solid; overflow-wrap: anywhere; }
.banner > :last-child { margin-bottom: 0; }
.banner.ok { background: var(--ok-soft); border-color: var(--ok); }
.banner.bad { background: var(--bad-soft); border-color: var(--bad); }
.banner.note { background: var(--note-soft); border-color: var(--accent); }
.banner form { justify-content: space-between; }
.banner p { margin-bottom: var(--s2); }
.badge { display: inline-block; padding: 0 var(--s2); border-radius: 99px; font-size: 0.8125rem; line-height: 1.5rem; white-space: nowrap; font-weight: 550; }
.badge.ok { color: var(--ok); background: var(--ok-soft); }
.badge.bad { color: var(--bad); background: var(--bad-soft); }
.badge.wait { color: var(--wait); background: var(--wait-soft); }
.badge.calm { color: var(--muted); background: var(--sunken); }
.empty { padding: var(--s5) var(--s3); text-align: center; }
.empty > :last-child { margin-bottom: 0; }
.empty-title { font-weight: 600; margin-bottom: var(--s1); }
.copyable { display: inline-flex; flex-wrap: wrap; align-items: center; gap: var(--s2); max-width: 100%; }
.list { list-style: none; margin: 0; padding: 0; }
.list > li { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: center; gap: var(--s2) var(--s3); padding: var(--s2) 0; border-top: 1px solid var(--line); }
.list > li:first-child { border-top: 0; padding-top: 0; }
.list > li:last-child { padding-bottom: 0; }
.list > li > div:first-child { min-width: 0; flex: 1 1 200px; overflow-wrap: anywhere; }
.codes { columns: 2 200px; margin: 0 0 var(--s3); padding: 0; list-style: none; }
.qr { display: block; width: 208px; height: 208px; background: #ffffff; border-radius: var(--radius); margin: 0 0 var(--s3); }

/* Tables */
.scroll { overflow: auto; max-height: 560px; }
.scroll:has(table) { max-height: none; }
table { width: 100%; border-collapse: collapse; }
th { text-align: left; font-size: 0.8125rem; font-weight: 550; color: var(--muted); }
th, td { padding: var(--s2); vertical-align: middle; border-bottom: 1px solid var(--line); }
tbody tr:last-child td { border-bottom: 0; }
tbody tr:hover { background: var(--sunken); }
td.break { overflow-wrap: anywhere; min-width: 120px; }
.num { text-align: right; font-variant-numeric: tabular-nums; }
@media (max-width: 639px) { .facts.mono { display: block; } .facts.mono dd { margin-bottom: var(--s2); } }
@media (min-width: 640px) { .slim { display: none; } }
@media (max-width: 639px) { .wide { display: none; } th, td { padding: var(--s2) var(--s1); } }

/* Forms */
.field { margin: 0 0 var(--s3); padding: 0; border: 0; min-width: 0; }
.field label, legend { display: block; font-weight: 550; margin: 0 0 var(--s1); padding: 0; }
.field .check { display: flex; gap: var(--s2); align-items: center; font-weight: 400; margin: 0; padding: 2px 0; }
input, select, textarea { font: inherit; color: inherit; background: var(--surface); border: 1px solid var(--control); border-radius: var(--radius); padding: 7px var(--s2); }
input:not([type=checkbox]), select { height: 38px; }
.field input:not([type=checkbox]), .field select, .field textarea { width: 100%; }
input[type=checkbox] { width: 18px; height: 18px; margin: 0; accent-color: var(--accent); }
textarea { resize: vertical; }
textarea.mono { font: 0.875rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
[aria-invalid] { border-color: var(--bad); }
.hint, .error { margin: var(--s1) 0 0; font-size: 0.875rem; }
.error { color: var(--bad); font-weight: 550; }
.narrow { max-width: 520px; }
.inline { display: inline-flex; flex-wrap: wrap; gap: var(--s2); align-items: center; }
.inline .field { margin: 0; }
.filters { display: flex; flex-wrap: wrap; gap: var(--s2); align-items: end; margin: 0 0 var(--s3); }
.filters .field { margin: 0; flex: 1 1 140px; max-width: 260px; }
.button { display: inline-block; font: inherit; font-weight: 550; line-height: 1.5; padding: 6px 14px; border: 1px solid transparent; border-radius: var(--radius); cursor: pointer; text-decoration: none; white-space: nowrap; }
.button[hidden] { display: none; }
.button.main { background: var(--accent); color: var(--on-accent); }
.button.plain { background: var(--surface); color: var(--text); border-color: var(--control); }
.button.quiet { background: none; color: var(--accent); padding: 2px 6px; font-size: 0.875rem; text-decoration: underline; text-underline-offset: 2px; }
.button.danger { background: var(--surface); color: var(--bad); border-color: var(--bad); }
.button:hover { filter: brightness(0.94); }
@media (prefers-color-scheme: dark) { .button:hover { filter: brightness(1.15); } }
.account .button.quiet, .copyable .button.quiet { padding-left: 0; padding-right: 0; }
.outside .button.main { width: 100%; }

/* Charts */
.figure { margin: 0; }
.plot { position: relative; border-bottom: 1px solid var(--line); border-top: 1px dashed var(--line); }
.plot > span { position: absolute; left: 0; top: 0; padding: 0 var(--s1); background: var(--surface); }
.chart { display: block; width: 100%; height: 160px; }
.axis { display: flex; justify-content: space-between; margin-top: var(--s1); }
.hover { fill: transparent; }
.chart g:hover .hover { fill: var(--sunken); }
.spark { display: block; width: 96px; height: 24px; }
.success { fill: var(--ok); } .failed { fill: var(--bad); } .pending { fill: var(--wait); } .none { fill: var(--line); }
.legend { display: flex; flex-wrap: wrap; gap: var(--s1) var(--s3); margin: 0 0 var(--s2); padding: 0; list-style: none; font-size: 0.875rem; }
.legend svg { width: 10px; height: 10px; margin-right: var(--s1); }
@media (prefers-reduced-motion: no-preference) { .button { transition: filter 0.1s; } }
`;
