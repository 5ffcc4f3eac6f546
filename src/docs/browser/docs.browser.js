/** Copy buttons beside code, and the search. Without this script, the pages lack both and nothing else. */

const DONE_MS = 1_500;
const MAX_RESULTS = 8;
const SNIPPET_CHARACTERS = 140;

for (const pre of document.querySelectorAll("pre")) {
  const block = document.createElement("div");
  block.className = "block";
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(pre.textContent ?? "");
    button.textContent = "Copied";
    button.classList.add("done");
    setTimeout(() => {
      button.textContent = "Copy";
      button.classList.remove("done");
    }, DONE_MS);
  });
  pre.replaceWith(block);
  block.append(pre, button);
}

/**
 * A section of a page: its address, the title of the page, the heading, the text.
 *
 * @typedef {[address: string, title: string, heading: string, text: string]} Entry
 */

/**
 * How well an entry fits: 0 if it lacks a word. Titles and headings count more than text.
 *
 * @param {Entry} entry
 * @param {string[]} words
 */
function scoreOf([, title, heading, text], words) {
  const fields = /** @type {const} */ ([
    [heading === "" ? title : heading, 20],
    [title, 5],
    [text, 1],
  ]);
  let total = 0;
  for (const word of words) {
    // At the start of a word only, so that "mail" is not found in "email".
    const pattern = new RegExp(`(?<![a-z0-9])${word.replace(/[^a-z0-9]/g, "\\$&")}`, "i");
    const score = fields.reduce((sum, [field, weight]) => sum + (pattern.test(field) ? weight : 0), 0);
    if (score === 0) return 0;
    total += score;
  }
  return total;
}

/**
 * The part of the text around the first word that is searched for.
 *
 * @param {string} text
 * @param {string[]} words
 */
function snippetOf(text, words) {
  const folded = text.toLowerCase();
  const places = words.map((word) => folded.indexOf(word)).filter((place) => place >= 0);
  const start = Math.max(0, Math.min(...places, text.length) - SNIPPET_CHARACTERS / 2);
  const from = start === 0 || places.length === 0 ? 0 : text.indexOf(" ", start) + 1;
  const part = text.slice(from, from + SNIPPET_CHARACTERS);
  return `${from > 0 ? "… " : ""}${part}${from + SNIPPET_CHARACTERS < text.length ? " …" : ""}`;
}

/**
 * @param {Entry} entry
 * @param {string[]} words
 */
function resultOf([address, title, heading, text], words) {
  const item = document.createElement("li");
  const link = document.createElement("a");
  link.href = address;
  const name = document.createElement("strong");
  name.textContent = heading === "" ? title : `${title}: ${heading}`;
  const snippet = document.createElement("span");
  snippet.textContent = snippetOf(text, words);
  link.append(name, snippet);
  item.append(link);
  return item;
}

/**
 * @param {KeyboardEvent} event
 * @param {HTMLInputElement} input
 */
function focusByKey(event, input) {
  const isTyping = event.target instanceof Element && event.target.matches("input, textarea, select");
  const isModified = event.ctrlKey || event.metaKey;
  const isSlash = event.key === "/" && !isTyping && !isModified;
  const isCtrlK = event.key.toLowerCase() === "k" && isModified && !event.shiftKey;
  if (event.altKey || !(isSlash || isCtrlK)) return;
  event.preventDefault();
  input.focus();
}

/** @param {HTMLFormElement} form */
function search(form) {
  const input = /** @type {HTMLInputElement} */ (form.querySelector("input"));
  const box = /** @type {HTMLElement} */ (form.querySelector(".results"));
  const status = /** @type {HTMLElement} */ (box.querySelector("p"));
  const list = /** @type {HTMLElement} */ (box.querySelector("ul"));
  /** @type {Promise<Entry[]> | undefined} */
  let index;
  const load = () => {
    index ??= fetch(form.dataset.index ?? "").then((response) => response.json());
    return index;
  };

  async function show() {
    const text = input.value.trim().toLowerCase();
    const words = text.split(/\s+/);
    const entries = text === "" ? [] : await load();
    if (input.value.trim().toLowerCase() !== text) return; // More was typed meanwhile.
    const scored = entries.map((entry) => ({ entry, score: scoreOf(entry, words) })).filter(({ score }) => score > 0);
    const best = scored.sort((a, b) => b.score - a.score).slice(0, MAX_RESULTS);
    box.hidden = text === "";
    status.textContent = best.length === 0 ? "Nothing found." : `${scored.length} found`;
    list.replaceChildren(...best.map(({ entry }) => resultOf(entry, words)));
  }

  /** @param {number} step */
  function move(step) {
    const stops = [input, ...list.querySelectorAll("a")];
    const at = stops.indexOf(/** @type {HTMLInputElement} */ (document.activeElement));
    stops[Math.max(0, Math.min(stops.length - 1, at + step))]?.focus();
  }

  form.hidden = false;
  input.addEventListener("focus", load, { once: true });
  input.addEventListener("input", show);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    list.querySelector("a")?.click();
  });
  form.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") {
      box.hidden = true;
      input.focus();
    } else if (step !== undefined) {
      event.preventDefault();
      move(step);
    }
  });
  list.addEventListener("click", () => {
    box.hidden = true;
  });
  document.addEventListener("keydown", (event) => focusByKey(event, input));
  document.addEventListener("click", (event) => {
    if (event.target instanceof Node && !form.contains(event.target)) box.hidden = true;
  });
}

const form = document.querySelector("form.search");
if (form instanceof HTMLFormElement) search(form);
