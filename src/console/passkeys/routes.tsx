/** `/console/security/passkeys` and `/console/security/confirm`: the user's own passkeys, and step-up. */
import type { Context } from "hono";
import type { AppEnv } from "../../base/http/env";
import { perform, requires } from "../../base/http/operation";
import { passkeys } from "../../identity/enrolment/passkeys/api";
import { listPasskeysOfUser } from "../../identity/passkeys/store";
import { stepUp } from "../../identity/step-up/api";
import { startConfirmation } from "../../identity/step-up/confirm";
import { orConfirm } from "../http/form";
import { flash, inOtherWords, page, type Refused } from "../http/page";
import { Pages } from "../http/pages";
import { hasPasskeysHere, readPasskeyAnswer } from "../http/passkeys";
import { safePath } from "../http/paths";
import { ConfirmSession, NewPasskeyPage } from "./pages";

const SECTION = "security";
const OWN_PAGE = "/security";
const NEW_PAGE = `${OWN_PAGE}/passkeys/new`;

/** No field of the page can show the error of a refused passkey. */
function inWords(refused: Refused | undefined): Refused | undefined {
  const { response, passkey, state } = refused?.failure.fields ?? {};
  if (!refused || !(response || passkey || state)) return refused;
  return inOtherWords(refused, { message: "The passkey was not accepted. Please try again." });
}

async function newPasskeyPage(c: Context<AppEnv>, name: string, refused?: Refused) {
  const start = await perform(c, passkeys.start, undefined);
  return page(
    c,
    { title: "Add a passkey", section: SECTION, refused: inWords(refused) },
    <NewPasskeyPage start={start} name={name} />,
  );
}

async function confirmPage(c: Context<AppEnv>, to: string, refused?: Refused) {
  const deps = c.get("deps");
  const { email, twoFactorEnabled, principal } = c.get("currentUser");
  const hasPasskeys = (await listPasskeysOfUser(deps, principal.userId)).length > 0;
  const start = hasPasskeys && hasPasskeysHere(c) ? await startConfirmation(deps, principal) : null;
  const takesPasswords = deps.config.passwords === "on";
  const shown = { to, email, twoFactorEnabled, hasPasskeys, takesPasswords, start };
  return page(
    c,
    { title: "Confirm that it is you", section: SECTION, refused: inWords(refused) },
    <ConfirmSession {...shown} />,
  );
}

/** Under `/security`. */
export const passkeyPages = new Pages()
  .get("/passkeys/new", requires(passkeys.start), (c) => orConfirm(c, NEW_PAGE, () => newPasskeyPage(c, "")))
  .form("/passkeys", passkeys.add, {
    values: (sent) => ({ ...readPasskeyAnswer(sent), name: sent.text("name") }),
    confirmedAt: () => NEW_PAGE,
    done: flash("/security", "passkeyAdded"),
    again: (c, refused, { name }) => newPasskeyPage(c, name, refused),
  })
  .form("/passkeys/:id/rename", passkeys.rename, {
    values: (sent) => sent.texts("name"),
    done: flash("/security", "changed"),
  })
  .form("/passkeys/:id/remove", passkeys.remove, {
    confirmedAt: () => OWN_PAGE,
    done: flash("/security", "passkeyRemoved"),
  })
  .get("/confirm", requires({ openWhenSuspended: true }), (c) => confirmPage(c, c.req.query("to") ?? ""))
  .form("/confirm", stepUp.confirm, {
    values: (sent) => ({
      to: sent.text("to"),
      password: sent.optional("password"),
      totp: sent.optional("totp"),
      passkey: sent.optional("response") ? readPasskeyAnswer(sent) : undefined,
    }),
    done: (c, _, { to }) => c.redirect(safePath(to), 303),
    again: (c, refused, { to }) => confirmPage(c, to, refused),
  }).router;
