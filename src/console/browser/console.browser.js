/** Adds local times, copy buttons and live updates to the console. Every page works without it. */

const REFRESH_MS = 2_000;
const IDLE_REFRESH_MS = 10_000;
/** After this many refreshes without a change, a part is refreshed at the slower rate. */
const IDLE_AFTER_REFRESHES = 30;
const COPIED_LABEL_MS = 1_500;
const TYPING_PAUSE_MS = 200;

// A mailed token stays in the form of its page, but not in the address bar, where it would get into the history and
// into screenshots.
const parameters = new URLSearchParams(location.search);
const hasToken = ["token", "invitation"].some((name) => parameters.has(name));
// The path to return to after a sign-in is in the form too, and may have such a token.
if (hasToken || parameters.get("to")?.includes("token=")) history.replaceState(null, "", location.pathname);

/** Our texts in the language of the page, by the English ones. */
/** @type {Readonly<Record<string, string>>} */
const said = JSON.parse(document.body.dataset.texts ?? "{}");

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "long" });
const relative = new Intl.RelativeTimeFormat(document.documentElement.lang, { numeric: "auto", style: "short" });

/** The units of a relative time and their lengths in seconds. */
/** @type {readonly (readonly [Intl.RelativeTimeFormatUnit, number])[]} */
const UNITS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1],
];

/**
 * "2 min. ago", or "in 3 days".
 * @param {number} timeMs
 */
function fromNow(timeMs) {
  const seconds = (timeMs - Date.now()) / 1000;
  const [unit, length] = UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? ["second", 1];
  return relative.format(Math.trunc(seconds / length), unit);
}

/**
 * @param {ParentNode} root
 * @param {string} selector
 * @returns {NodeListOf<HTMLElement>}
 */
const findAll = (root, selector) => root.querySelectorAll(selector);

/** The times whose text is not how long ago they are: those in a sentence after "since", and the labels of an axis. */
/** @type {Readonly<Record<string, Intl.DateTimeFormat>>} */
const FORMATS = {
  moment: new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" }),
  hour: new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" }),
  day: new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" }),
};

/**
 * Shows how long ago times are. The title has the time in the viewer's zone, and in UTC.
 * @param {ParentNode} root
 */
function localizeTimes(root) {
  for (const element of root.querySelectorAll("time")) {
    const time = new Date(element.dateTime);
    const format = FORMATS[element.dataset.show ?? ""];
    if (format) {
      element.textContent = format.format(time);
      continue;
    }
    element.textContent = fromNow(time.getTime());
    element.dataset.utc ??= element.title;
    element.title = `${exact.format(time)} (${element.dataset.utc})`;
  }
}
setInterval(() => localizeTimes(document), 30_000);

/** Buttons that copy their own text, or the text of the element that they name. */
const COPIES = "[data-copy], [data-copy-from]";

/**
 * The clipboard exists in secure contexts only.
 * @param {ParentNode} root
 */
function showCopyButtons(root) {
  for (const button of findAll(root, COPIES)) button.hidden = !navigator.clipboard;
}

document.addEventListener("click", async ({ target }) => {
  const button = target instanceof Element ? target.closest(COPIES) : null;
  if (!(button instanceof HTMLElement)) return;
  const label = button.textContent;
  const { copy, copyFrom = "" } = button.dataset;
  await navigator.clipboard.writeText(copy ?? document.getElementById(copyFrom)?.textContent ?? "");
  button.textContent = said.Copied ?? "Copied";
  setTimeout(() => {
    button.textContent = label;
  }, COPIED_LABEL_MS);
});

// A second click must not send a form twice. A page that the Back button restores may send its forms again.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!(form instanceof HTMLFormElement)) return;
  if (form.dataset.sent) event.preventDefault();
  else if (form.method === "post") form.dataset.sent = "yes";
});
addEventListener("pageshow", () => {
  for (const form of findAll(document, "form[data-sent]")) delete form.dataset.sent;
});

/**
 * The one place that may make HTML of text, where the browser has Trusted Types: for parts of pages that we render.
 * @type {{ createHTML(html: string): string }}
 */
const ownHtml = Reflect.get(globalThis, "trustedTypes")?.createPolicy("postern", {
  createHTML: (/** @type {string} */ html) => html,
}) ?? { createHTML: (html) => html };

/** The HTML that each live part shows. */
const shown = new WeakMap();

/**
 * A refresh waits while nobody looks at the page and while something in the part has the focus.
 * @param {HTMLElement} part
 */
const mustWait = (part) => document.hidden || part.contains(document.activeElement);

/**
 * Fetches a live part again. Returns whether it has changed.
 * @param {HTMLElement} part
 */
async function refresh(part) {
  if (mustWait(part)) return false;
  const answer = await fetch(part.dataset.live ?? "", { headers: { accept: "text/html" } });
  if (!answer.ok || answer.redirected) return false;
  const html = await answer.text();
  if (html === shown.get(part) || mustWait(part)) return false;
  shown.set(part, html);
  part.innerHTML = ownHtml.createHTML(html);
  enhance(part);
  return true;
}

/**
 * @param {HTMLElement} part
 * @param {number} unchangedRefreshes in a row
 */
function keepFresh(part, unchangedRefreshes) {
  const delayMs = unchangedRefreshes > IDLE_AFTER_REFRESHES ? IDLE_REFRESH_MS : REFRESH_MS;
  setTimeout(async () => {
    const changed = await refresh(part).catch(() => false);
    keepFresh(part, changed ? 0 : unchangedRefreshes + 1);
  }, delayMs);
}

/**
 * Shows the calendar of the schedule that is chosen or typed. Only the answer to the latest request is shown.
 * @param {HTMLElement} calendar
 */
function followSchedule(calendar) {
  const form = calendar.closest("form");
  let asked = "";
  form?.addEventListener("input", async ({ target }) => {
    const isSchedule =
      (target instanceof HTMLSelectElement || target instanceof HTMLInputElement) &&
      ["schedule", "delivery"].includes(target.name);
    if (!isSchedule) return;
    const fields = new FormData(form);
    const schedule = ["schedule", "delivery"].map((name) => [name, String(fields.get(name))]);
    const question = `${calendar.dataset.calendar}?${new URLSearchParams(schedule)}`;
    asked = question;
    await new Promise((resolve) => setTimeout(resolve, TYPING_PAUSE_MS));
    if (asked !== question) return;
    const answer = await fetch(question, { headers: { accept: "text/html" } });
    const html = await answer.text();
    if (answer.ok && !answer.redirected && asked === question) calendar.innerHTML = ownHtml.createHTML(html);
  });
}

/**
 * The button of a search shows once something in it has changed. Enter always works.
 * @param {HTMLElement} form
 */
function hideUntilChanged(form) {
  form.classList.add("unchanged");
  for (const kind of ["input", "change"]) form.addEventListener(kind, () => form.classList.remove("unchanged"));
}

/** @param {ParentNode} root */
function enhance(root) {
  localizeTimes(root);
  showCopyButtons(root);
}

enhance(document);
const atOnce = document.querySelector("form[data-at-once]");
if (atOnce instanceof HTMLFormElement) atOnce.requestSubmit();
for (const element of findAll(document, "[data-scripted]")) element.hidden = false;
for (const part of findAll(document, "[data-live]")) keepFresh(part, 0);
for (const form of findAll(document, "form.filters, form.inline:has(select)")) hideUntilChanged(form);
for (const calendar of findAll(document, "[data-calendar]")) followSchedule(calendar);
