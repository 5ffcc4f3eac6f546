/** Shows the event types of a subscription as tags. Without it, they are lines of a text field. */

/** Our texts in the language of the page, by the English ones. */
/** @type {Readonly<Record<string, string>>} */
const said = JSON.parse(document.body.dataset.texts ?? "{}");

// A space is a mistake in a type, which the form says, and not the end of one.
const SEPARATOR = /[\n,]+/;

/**
 * The field that is typed in, in place of the text area.
 * @param {HTMLTextAreaElement} area
 */
function inputFor(area) {
  const input = document.createElement("input");
  for (const name of ["aria-describedby", "aria-invalid"]) {
    const value = area.getAttribute(name);
    if (value !== null) input.setAttribute(name, value);
  }
  input.id = area.id;
  input.autocomplete = "off";
  input.spellcheck = false;
  area.removeAttribute("id");
  area.hidden = true;
  return input;
}

/**
 * @param {string} type
 * @param {() => void} remove
 */
function tagButton(type, remove) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "tag";
  button.textContent = type;
  button.ariaLabel = (said["Remove {what}"] ?? "Remove {what}").replace("{what}", () => type);
  button.addEventListener("click", remove);
  return button;
}

/** @param {HTMLTextAreaElement} area */
function tagsOf(area) {
  const types = area.value.split("\n").filter((type) => type !== "");
  const box = document.createElement("div");
  box.className = "tag-box";
  const input = inputFor(area);
  area.after(box);

  const show = () => {
    area.value = types.join("\n");
    box.replaceChildren(...types.map(tag), input);
  };
  /** @param {string} type */
  const tag = (type) =>
    tagButton(type, () => {
      types.splice(types.indexOf(type), 1);
      show();
      input.focus();
    });
  /** Turns what is typed into tags; the last word only when `all`. */
  const take = (all = true) => {
    const words = input.value.split(SEPARATOR).map((word) => word.trim());
    const rest = all ? "" : (words.pop() ?? "");
    const added = words.filter((word) => word !== "" && !types.includes(word));
    if (added.length === 0 && rest === input.value) return;
    types.push(...new Set(added));
    input.value = rest;
    show();
  };
  input.addEventListener("input", () => {
    if (!SEPARATOR.test(input.value)) return;
    take(false);
    input.focus();
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && input.value !== "") {
      event.preventDefault();
      take();
      input.focus();
    }
    if (event.key === "Backspace" && input.value === "" && types.length > 0) {
      types.pop();
      show();
      input.focus();
    }
  });
  // Not when the focus leaves: a box that grows would move the button away from under the pointer.
  area.form?.addEventListener("submit", () => take(), { capture: true });
  box.addEventListener("click", ({ target }) => {
    if (target === box) input.focus();
  });
  show();
  if (area.autofocus) input.focus();
}

for (const area of document.querySelectorAll("textarea.tags")) {
  if (area instanceof HTMLTextAreaElement) tagsOf(area);
}
