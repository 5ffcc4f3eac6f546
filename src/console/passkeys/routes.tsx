/** `/console/security/passkeys` and `/console/security/confirm`: the user's own passkeys, and step-up. */
import type { Context } from "hono";
import type { AppEnv } from "../../base/http/env";
import { perform, requires } from "../../base/http/operation";
import { passkeys } from "../../identity/enrolment/passkeys/api";
import { listPasskeysOfUser } from "../../identity/passkeys/store";
import { stepUp } from "../../identity/step-up/api";
import { startConfirmation } from "../../identity/step-up/confirm";
import { Say } from "../components/mount";
import { orConfirm } from "../http/form";
import { confirmingSignOn, takesPasswords } from "../http/offers";
import { flash, inOtherWords, page, type Refused } from "../http/page";
import { Pages } from "../http/pages";
import { hasPasskeysHere, readPasskeyAnswer } from "../http/passkeys";
import { goTo } from "../http/start-session";
import { type Confirmed, ConfirmSession, NewPasskeyPage } from "./pages";

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
    { title: <Say of="passkey.add" />, section: SECTION, refused: inWords(refused) },
    <NewPasskeyPage start={start} name={name} />,
  );
}

interface Confirming {
  /** The address to go to afterwards. */
  to: string;
  refused?: Refused;
  /** The app that asks for it. */
  app?: Confirmed;
}

/** The page that confirms the session. */
export async function confirmPage(c: Context<AppEnv>, { to, refused, app }: Confirming) {
  const deps = c.get("deps");
  const { email, twoFactorEnabled, principal } = c.get("currentUser");
  const hasPasskeys = (await listPasskeysOfUser(deps, principal.userId)).length > 0;
  const start = hasPasskeys && hasPasskeysHere(c) ? await startConfirmation(deps, principal) : null;
  const signOn = confirmingSignOn(c, principal, to);
  const shown = { to, email, twoFactorEnabled, hasPasskeys, takesPasswords: takesPasswords(c), start, app, signOn };
  return page(
    c,
    { title: <Say of="confirm.title" />, section: SECTION, refused: inWords(refused) },
    <ConfirmSession {...shown} />,
  );
}

/** Under `/security/passkeys`: a new one. */
export const newPasskeyPages = new Pages()
  .get("/new", requires(passkeys.start), (c) => orConfirm(c, NEW_PAGE, () => newPasskeyPage(c, "")))
  .form("/", passkeys.add, {
    values: (sent) => ({ ...readPasskeyAnswer(sent), name: sent.text("name") }),
    confirmedAt: () => NEW_PAGE,
    done: flash(OWN_PAGE, "passkeyAdded"),
    again: (c, refused, { name }) => newPasskeyPage(c, name, refused),
  }).router;

/** Under `/security/passkeys`: those that there are. */
export const passkeyPages = new Pages()
  .form("/:id/rename", passkeys.rename, {
    values: (sent) => sent.texts("name"),
    done: flash(OWN_PAGE, "changed"),
  })
  .form("/:id/remove", passkeys.remove, {
    confirmedAt: () => OWN_PAGE,
    done: flash(OWN_PAGE, "passkeyRemoved"),
  }).router;

/** Under `/security/confirm`. */
export const confirmPages = new Pages()
  .get("/", requires({ openWhenSuspended: true, inConfinedSession: "open" }), (c) =>
    confirmPage(c, { to: c.req.query("to") ?? "" }),
  )
  .form("/", stepUp.confirm, {
    values: (sent) => ({
      to: sent.text("to"),
      password: sent.optional("password"),
      totp: sent.optional("totp"),
      passkey: sent.optional("response") ? readPasskeyAnswer(sent) : undefined,
    }),
    done: (c, _, { to }) => goTo(c, to),
    again: (c, refused, { to }) => confirmPage(c, { to, refused }),
  }).router;
