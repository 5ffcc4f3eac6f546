/** A click anywhere in a row opens what its first link opens. Links, buttons and marked text keep their own meaning. */

const CONTROLS = "a, button, input, label, select, summary, textarea";

document.addEventListener("click", (event) => {
  const { target } = event;
  if (!(target instanceof Element) || target.closest(CONTROLS) || getSelection()?.toString()) return;
  const link = target.closest("main table.opens tbody tr")?.querySelector("a");
  if (!(link instanceof HTMLAnchorElement)) return;
  if (event.ctrlKey || event.metaKey) open(link.href, "_blank", "noopener");
  else link.click();
});
