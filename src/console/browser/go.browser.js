/** Ctrl-K, or Cmd-K: goes to a page of the menu by a part of its name. */

/** Our texts in the language of the page, by the English ones. */
/** @type {Readonly<Record<string, string>>} */
const said = JSON.parse(document.body.dataset.texts ?? "{}");

/** The links of the menu, by what they say. */
const destinations = () =>
  [...document.querySelectorAll("nav a")].flatMap((link) =>
    link instanceof HTMLAnchorElement ? [{ name: link.textContent.trim(), href: link.href }] : [],
  );

/** @param {string} text */
function matching(text) {
  const wanted = text.trim().toLowerCase();
  return destinations().filter(({ name }) => name.toLowerCase().includes(wanted));
}

function makePalette() {
  const dialog = document.createElement("dialog");
  dialog.className = "keys";
  dialog.ariaLabel = said["go to a page"] ?? "Go to a page";
  const input = document.createElement("input");
  input.type = "search";
  input.ariaLabel = said.Page ?? "Page";
  input.placeholder = said["Go to"] ?? "Go to";
  const list = document.createElement("ul");
  list.className = "plain-list after-list";
  const show = () => {
    list.replaceChildren(
      ...matching(input.value).map(({ name, href }) => {
        const [item, link] = [document.createElement("li"), document.createElement("a")];
        link.href = href;
        link.textContent = name;
        item.append(link);
        return item;
      }),
    );
  };
  input.addEventListener("input", show);
  input.addEventListener("keydown", ({ key }) => {
    if (key === "Enter") list.querySelector("a")?.click();
  });
  dialog.addEventListener("close", () => {
    input.value = "";
  });
  dialog.append(input, list);
  document.body.append(dialog);
  return { dialog, show };
}

/** @type {ReturnType<typeof makePalette> | undefined} */
let palette;

document.addEventListener("keydown", (event) => {
  if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
  if (destinations().length === 0 || document.querySelector("dialog[open]")) return;
  event.preventDefault();
  palette ??= makePalette();
  palette.show();
  palette.dialog.showModal();
});
