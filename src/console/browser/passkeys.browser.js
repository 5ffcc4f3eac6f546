/** Signs in with passkeys, adds them and confirms with them. Every page works without it, by password. */

/** A challenge expires after five minutes. */
const FRESH_MS = 4 * 60_000;

/** Our texts in the language of the page, by the English ones. */
/** @type {Readonly<Record<string, string>>} */
const said = JSON.parse(document.body.dataset.texts ?? "{}");

const PROBLEMS = new Map([
  ["NotAllowedError", "No passkey was used. You can try again."],
  ["InvalidStateError", "This device has a passkey for your account already."],
]);
const OTHER_PROBLEM = "Passkeys do not work here. Use another way.";

/** When the options of each form were created. */
const madeAt = new WeakMap();

/** Ends the suggestions: a browser asks for one passkey at a time. */
const pressed = new AbortController();

/**
 * @param {HTMLFormElement} form
 * @param {string} name
 */
function field(form, name) {
  const input = form.elements.namedItem(name);
  if (!(input instanceof HTMLInputElement)) throw new TypeError(`no field ${name}`);
  return input;
}

/**
 * The options of a form; new ones when they are old and the form says where to get them.
 * @param {HTMLFormElement} form
 */
async function optionsOf(form) {
  const { renew } = form.dataset;
  if (renew && Date.now() - madeAt.get(form) > FRESH_MS) {
    const answer = await fetch(renew, { headers: { accept: "application/json" } });
    if (!answer.ok) throw new Error(`options answered ${answer.status}`);
    const { state, options } = await answer.json();
    field(form, "state").value = state;
    form.dataset.options = JSON.stringify(options);
    madeAt.set(form, Date.now());
  }
  return JSON.parse(form.dataset.options ?? "");
}

/**
 * Lets the browser create or use a passkey, and sends the form with it.
 * @param {HTMLFormElement} form
 * @param {Omit<CredentialRequestOptions, "publicKey">} how
 */
async function ask(form, how = {}) {
  const options = await optionsOf(form);
  const credential =
    form.dataset.passkey === "create"
      ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
      : await navigator.credentials.get({
          ...how,
          publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options),
        });
  field(form, "response").value = JSON.stringify(credential);
  form.submit();
}

/** @param {HTMLFormElement} form */
function listen(form) {
  const problem = form.querySelector("[role=alert]");
  let busy = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    event.stopPropagation();
    if (busy) return;
    busy = true;
    pressed.abort();
    if (problem) problem.textContent = "";
    try {
      await ask(form);
    } catch (error) {
      const name = error instanceof Error ? error.name : "";
      if (problem) {
        const text = PROBLEMS.get(name) ?? OTHER_PROBLEM;
        problem.textContent = said[text] ?? text;
      }
    }
    busy = false;
  });
}

/**
 * Offers passkeys where the browser fills in the address, for as long as the page is open.
 * @param {HTMLFormElement} form
 */
async function suggest(form) {
  if (!(await PublicKeyCredential.isConditionalMediationAvailable())) return;
  while (!pressed.signal.aborted) {
    const limit = AbortSignal.timeout(FRESH_MS);
    try {
      await ask(form, { mediation: "conditional", signal: AbortSignal.any([pressed.signal, limit]) });
      return;
    } catch {
      if (!limit.aborted) return;
    }
  }
}

const isSupported = "PublicKeyCredential" in globalThis && "parseRequestOptionsFromJSON" in PublicKeyCredential;
for (const form of isSupported ? document.querySelectorAll("form") : []) {
  if (!form.dataset.passkey) continue;
  madeAt.set(form, Date.now());
  listen(form);
  form.hidden = false;
  if (form.dataset.renew) suggest(form).catch(() => {});
}

// A passkey that was removed is still on its device, which would offer it at the next sign-in.
const accepted = document.querySelector("[data-accepted]")?.getAttribute("data-accepted");
if (accepted && isSupported && "signalAllAcceptedCredentials" in PublicKeyCredential) {
  PublicKeyCredential.signalAllAcceptedCredentials(JSON.parse(accepted)).catch(() => {});
}
