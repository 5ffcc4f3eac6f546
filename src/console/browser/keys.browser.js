/** Keys for people who do not want the mouse. Every page works without them. */

/** Our texts in the language of the page, by the English ones. */
/** @type {Readonly<Record<string, string>>} */
const said = JSON.parse(document.body.dataset.texts ?? "{}");

/** What has rows: tables, and lists in which each entry leads to a page. */
const ROWS = "main tbody tr, main .list > li";
const SEARCH = 'main input[type="search"], main .filters input';

const KEYS = [
  ["/", "search on this page"],
  ["j", "next row"],
  ["k", "previous row"],
  ["Enter", "open the row"],
  ["Ctrl K", "go to a page"],
  ["?", "show these keys"],
];

/** The first link of each row that has one. */
const rowLinks = () => [...document.querySelectorAll(ROWS)].flatMap((row) => row.querySelector("a") ?? []);

/**
 * Moves the focus to the row after or before the one that has it; from elsewhere, to the first row. The link in the
 * row gets the focus, so that Enter opens it.
 * @param {1 | -1} step
 */
function move(step) {
  const links = rowLinks();
  const row = document.activeElement?.closest(ROWS);
  const at = row ? links.findIndex((link) => row.contains(link)) : -1;
  const link = links[at === -1 ? 0 : Math.min(Math.max(at + step, 0), links.length - 1)];
  link?.focus();
}

/** Puts the cursor into the search, with what is in it selected. */
function search() {
  const field = document.querySelector(SEARCH);
  if (!(field instanceof HTMLInputElement)) return;
  field.focus();
  field.select();
}

/**
 * An element with a text.
 * @param {string} name
 * @param {string} text
 */
function element(name, text) {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

function makeHelp() {
  const dialog = document.createElement("dialog");
  dialog.className = "keys";
  dialog.setAttribute("aria-labelledby", "keys-title");
  const title = element("h2", said.Keys ?? "Keys");
  title.id = "keys-title";
  const list = document.createElement("dl");
  list.className = "facts";
  for (const [key = "", does = ""] of KEYS) {
    const term = document.createElement("dt");
    term.append(element("kbd", key));
    list.append(term, element("dd", said[does] ?? does));
  }
  const close = element("button", said.Close ?? "Close");
  close.className = "button plain";
  close.addEventListener("click", () => dialog.close());
  dialog.append(title, list, close);
  document.body.append(dialog);
  return dialog;
}

/** @type {HTMLDialogElement | undefined} */
let help;

function showHelp() {
  help ??= makeHelp();
  if (!help.open) help.showModal();
}

/** @type {Readonly<Record<string, () => void>>} */
const ACTIONS = { "/": search, j: () => move(1), k: () => move(-1), "?": showHelp };

document.addEventListener("keydown", (event) => {
  const isTyping = event.target instanceof Element && event.target.closest("input, textarea, select, dialog[open]");
  const action = ACTIONS[event.key];
  if (!action || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  action();
});
