/** `/console/security/passkeys` and `/console/security/confirm`: the user's own passkeys, and step-up. */
import { type Context, Hono } from "hono";
import { addPasskey, removePasskey, renamePasskey, startPasskey } from "../../identity/passkeys/own";
import { newPasskey, passkeyChange } from "../../identity/passkeys/schemas";
import { listPasskeysOfUser } from "../../identity/passkeys/store";
import { confirm, startConfirmation } from "../../identity/step-up/confirm";
import { stepUpBody } from "../../identity/step-up/schemas";
import type { AppEnv } from "../../platform/http/env";
import { sessionOf } from "../../platform/http/permissions";
import { limit } from "../../platform/http/rate-limit";
import { type Failure, parse } from "../failure";
import { orConfirm } from "../http/confirm";
import { type Form, readForm } from "../http/form";
import { page, redirectTo, redirectWithFlash, rerenderOnError } from "../http/page";
import { hasPasskeysHere, shownIn } from "../http/passkeys";
import { safePath } from "../http/paths";
import { Confirm, NewPasskey } from "./pages";

const SECTION = "security";
const OWN_PAGE = "/console/security";
const NEW_PAGE = `${OWN_PAGE}/passkeys/new`;

const limited = limit("passkeys", "user");

/** No field of the page can show the error of a refused passkey. */
const inWords = (failure: Failure): Failure =>
  failure.fields.response || failure.fields.passkey || failure.fields.state
    ? { ...failure, message: "The passkey was not accepted. Please try again." }
    : failure;

async function newPasskeyPage(c: Context<AppEnv>, name: string, failure?: Failure, status = 200) {
  const start = await startPasskey(c.get("deps"), sessionOf(c));
  return page(
    c,
    { title: "Add a passkey", section: SECTION, status },
    <NewPasskey start={start} name={name} failure={failure} />,
  );
}

async function confirmPage(c: Context<AppEnv>, to: string, failure?: Failure, status = 200) {
  const deps = c.get("deps");
  const { email, twoFactorEnabled, principal } = c.get("currentUser");
  const canShow = hasPasskeysHere(c) && (await listPasskeysOfUser(deps, principal.userId)).length > 0;
  const start = canShow ? await startConfirmation(deps, principal) : null;
  return page(
    c,
    { title: "Confirm that it is you", section: SECTION, status },
    <Confirm to={to} email={email} twoFactorEnabled={twoFactorEnabled} start={start} failure={failure} />,
  );
}

const proofIn = (form: Form) => ({
  password: form.optional("password"),
  totp: form.optional("totp"),
  passkey: form.optional("response") ? shownIn(form) : undefined,
});

/** Under `/security`. */
export const passkeyPages = new Hono<AppEnv>()
  .get("/passkeys/new", limited, (c) => orConfirm(c, NEW_PAGE, () => newPasskeyPage(c, "")))
  .post("/passkeys", limited, async (c) => {
    const form = await readForm(c);
    const name = form.text("name");
    return orConfirm(c, NEW_PAGE, () =>
      rerenderOnError(
        c,
        async () => {
          await addPasskey(c.get("deps"), sessionOf(c), parse(newPasskey, { ...shownIn(form), name }));
          return redirectWithFlash(c, "/security", "passkeyAdded");
        },
        (failure, status, error) => {
          if (error.code === "STEP_UP_REQUIRED") throw error;
          return newPasskeyPage(c, name, inWords(failure), status);
        },
      ),
    );
  })
  .post("/passkeys/:id/rename", limited, async (c) => {
    const { name } = parse(passkeyChange, { name: (await readForm(c)).text("name") });
    await renamePasskey(c.get("deps"), sessionOf(c), c.req.param("id"), name);
    return redirectWithFlash(c, "/security", "changed");
  })
  .post("/passkeys/:id/remove", limited, (c) =>
    orConfirm(c, OWN_PAGE, async () => {
      await removePasskey(c.get("deps"), sessionOf(c), c.req.param("id"));
      return redirectWithFlash(c, "/security", "passkeyRemoved");
    }),
  )
  .get("/confirm", (c) => confirmPage(c, c.req.query("to") ?? ""))
  .post("/confirm", limit("stepUp", "user"), async (c) => {
    const form = await readForm(c);
    const to = form.text("to");
    return rerenderOnError(
      c,
      async () => {
        await confirm(c.get("deps"), sessionOf(c), parse(stepUpBody, proofIn(form)));
        return redirectTo(c, safePath(to));
      },
      (failure, status) => confirmPage(c, to, inWords(failure), status),
    );
  });
