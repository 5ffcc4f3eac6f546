/** What makes the pages livelier; every one of them works without it. */
export const SCRIPT = `"use strict";
const FRESH_MS = 2000;
const QUIET_MS = 10000;
const QUIET_AFTER = 30;
const SAID_MS = 1500;

/** Times in the viewer's zone; the exact UTC stays in the title. */
const format = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const today = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });
function localTimes(root) {
  const day = new Date().toDateString();
  for (const time of root.querySelectorAll("time[datetime]")) {
    const at = new Date(time.dateTime);
    time.textContent = (at.toDateString() === day ? today : format).format(at);
  }
}

function copyButtons(root) {
  for (const button of root.querySelectorAll("[data-copy]")) button.hidden = !navigator.clipboard;
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const words = button.textContent;
  await navigator.clipboard.writeText(button.dataset.copy);
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = words; }, SAID_MS);
});

/** A form is sent once; coming back to the page wakes its buttons again. */
document.addEventListener("submit", (event) => {
  if (event.target.dataset.sent) event.preventDefault();
  else if (event.target.method === "post") event.target.dataset.sent = "yes";
});
addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[data-sent]")) delete form.dataset.sent;
});

/** Parts that change on their own are asked for again while somebody looks, and not while something in them has the focus. */
const seen = new WeakMap();
const isBusy = (part) => document.hidden || part.contains(document.activeElement);
async function refresh(part) {
  if (isBusy(part)) return false;
  const answer = await fetch(part.dataset.live, { headers: { accept: "text/html" } });
  if (!answer.ok || answer.redirected) return false;
  const html = await answer.text();
  if (html === seen.get(part) || isBusy(part)) return false;
  seen.set(part, html);
  part.innerHTML = html;
  enliven(part);
  return true;
}
function follow(part, unchanged) {
  setTimeout(async () => {
    const changed = await refresh(part).catch(() => false);
    follow(part, changed ? 0 : unchanged + 1);
  }, unchanged > QUIET_AFTER ? QUIET_MS : FRESH_MS);
}

function enliven(root) {
  localTimes(root);
  copyButtons(root);
}
enliven(document);
for (const mark of document.querySelectorAll("[data-scripted]")) mark.hidden = false;
for (const part of document.querySelectorAll("[data-live]")) follow(part, 0);
`;
