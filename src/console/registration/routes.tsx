/** `/console/register`, which is `/account/sign-up` for apps: creating an account, with a password or a passkey. */
import type { Context } from "hono";
import type { AppEnv } from "../../base/http/env";
import { signIn } from "../../identity/sign-in/api";
import { Say } from "../components/mount";
import { captchaFor } from "../http/captcha";
import type { Form } from "../http/form";
import { isForApps } from "../http/mount";
import { canRegister, providersOf, takesPasswords } from "../http/offers";
import { page, type Refused } from "../http/page";
import { Pages } from "../http/pages";
import { hasPasskeysHere, readPasskeyAnswer } from "../http/passkeys";
import { requestedReturn } from "../http/paths";
import { startSession } from "../http/start-session";
import { Register, RegisterPasskey, type RegisterValues, RegistrationClosed } from "./page";

const NOBODY: RegisterValues = { email: "", name: "", tenantName: "", invitationToken: "", to: "" };

function registerPage(c: Context<AppEnv>, values: RegisterValues, refused?: Refused) {
  const isClosed = values.invitationToken === "" && !canRegister(c);
  const content = isClosed ? (
    <RegistrationClosed />
  ) : (
    <Register
      values={values}
      captcha={captchaFor(c, signIn.register)}
      providers={providersOf(c)}
      takesPasswords={takesPasswords(c)}
      takesPasskeys={hasPasskeysHere(c)}
    />
  );
  return page(c, { title: <Say of="register.title" />, refused }, content);
}

/** Who registers, as the form says. */
const registrantIn = (sent: Form) => ({
  email: sent.text("email"),
  name: sent.optional("name"),
  tenantName: sent.optional("tenantName"),
  invitationToken: sent.optional("invitationToken"),
  captchaToken: sent.optional("captchaToken"),
  to: sent.text("to"),
});

function registerAgain(c: Context<AppEnv>, refused: Refused, sent: ReturnType<typeof registrantIn>) {
  const { email, name = "", tenantName = "", invitationToken = "", to } = sent;
  return registerPage(c, { email, name, tenantName, invitationToken, to }, refused);
}

/** The console opens its overview. */
const returnFor = (c: Context<AppEnv>) => (isForApps(c) ? requestedReturn(c) : "");

export const registrationPages = new Pages()
  .get("/", (c) => registerPage(c, { ...NOBODY, to: returnFor(c), invitationToken: c.req.query("invitation") ?? "" }))
  .form("/", signIn.register, {
    values: (sent) => ({ ...registrantIn(sent), password: sent.text("password") }),
    done: (c, opened, { to }) => startSession(c, opened, to, "welcome"),
    again: registerAgain,
  })
  .form("/passkey/options", signIn.startPasskeyRegistration, {
    values: registrantIn,
    done: (c, start) => page(c, { title: <Say of="register.passkeyTitle" /> }, <RegisterPasskey start={start} />),
    again: registerAgain,
  })
  .form("/passkey", signIn.registerWithPasskey, {
    values: (sent) => ({ ...readPasskeyAnswer(sent), name: sent.text("name") }),
    done: (c, opened) => startSession(c, opened, returnFor(c), "welcome"),
    // The state, which knows who registers, works once.
    again: (c, refused) => registerPage(c, NOBODY, refused),
  }).router;
