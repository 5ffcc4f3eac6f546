/** `/console`: sign in, and the targets of mail links. */
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { notFound } from "../../base/errors";
import type { AppEnv } from "../../base/http/env";
import { requires, serve } from "../../base/http/operation";
import { operation } from "../../base/operation";
import { invitations } from "../../identity/invitations/api";
import { describeInvitation } from "../../identity/invitations/invite";
import { loginOptions } from "../../identity/passkeys/webauthn/options";
import { recovery } from "../../identity/recovery/api";
import { findClaim } from "../../identity/recovery/email-verification";
import { deleteSessionOfUser } from "../../identity/sessions/store";
import { signIn } from "../../identity/sign-in/api";
import { openRequest } from "../../oauth/authorization/authorize";
import { discovery } from "../../sign-on/discovery/api";
import { withReturnPath } from "../components/address";
import { Say } from "../components/mount";
import { SecondFactor } from "../components/second-factor";
import { captchaFor } from "../http/captcha";
import { getConsoleCookie, setConsoleCookie } from "../http/cookies";
import type { Form } from "../http/form";
import { isForApps } from "../http/mount";
import { canRegister, offersSignOn, providersOf, takesPasswords } from "../http/offers";
import { flash, inOtherWords, page, type Refused, redirectTo, redirectWithFlash } from "../http/page";
import { Pages } from "../http/pages";
import { hasPasskeysHere, readPasskeyAnswer } from "../http/passkeys";
import { requestedReturn, returnPath, safePath } from "../http/paths";
import { findCurrentUser, noteUser, requireUser, signedOut } from "../http/session";
import { startSession } from "../http/start-session";
import { AddressFirst } from "./address";
import * as pages from "./pages";
import { decryptPending, encryptPending } from "./pending";
import { SignIn } from "./sign-in";

/** While passwords are off, answers 404, as for a missing page. */
const wherePasswords = createMiddleware<AppEnv>((c, next) => {
  if (!takesPasswords(c)) throw notFound("Page");
  return next();
});

/** Begins: where tenants sign people on, with the address alone. */
const startPage = async (c: Context<AppEnv>, email: string, to: string): Promise<Response> =>
  (await offersSignOn(c)) ? addressPage(c, email, to) : signInPage(c, email, to);

/** Asks for the address, which may lead to a provider. */
export const addressPage = async (c: Context<AppEnv>, email: string, to: string, refused?: Refused) =>
  page(
    c,
    { title: <Say of="signIn.title" />, refused },
    <AddressFirst {...(await offersOf(c))} email={email} to={to} captcha={captchaFor(c, discovery.leave)} />,
  );

/** Every way to sign in. */
export async function signInPage(c: Context<AppEnv>, email: string, to: string, refused?: Refused): Promise<Response> {
  const view = {
    ...(await offersOf(c)),
    email,
    to,
    // The page knows the address, and so whether a token is needed, only once somebody has tried.
    captcha: refused ? captchaFor(c, signIn.login) : null,
    signsOn: await offersSignOn(c),
  };
  return page(c, { title: <Say of="signIn.title" />, refused: withHint(refused) }, <SignIn {...view} />);
}

const offersOf = async (c: Context<AppEnv>) => ({
  canRegister: canRegister(c),
  mailsCodes: c.get("deps").config.mailCode === "on",
  takesPasswords: takesPasswords(c),
  passkey: hasPasskeysHere(c) ? await loginOptions(c.get("deps")) : null,
  providers: providersOf(c),
});

const withHint = (refused: Refused | undefined): Refused | undefined =>
  refused?.error.code === "EMAIL_NOT_VERIFIED"
    ? inOtherWords(refused, { message: `${refused.failure.message} Check your mail for the link.` })
    : refused;

/** What an app has asked for may be too long for the cookie of the sign-in, so the form has it. */
const codePage = (c: Context<AppEnv>, to: string, refused?: Refused) =>
  page(
    c,
    { title: <Say of="signIn.factor" />, refused },
    <SecondFactor action="/sign-in/code" fields={isForApps(c) ? { to } : {}} />,
  );

async function verifyPage(c: Context<AppEnv>, token: string, refused?: Refused) {
  const claim = refused ? null : await findClaim(c.get("deps"), token);
  return page(c, { title: <Say of="verify.title" />, refused }, <pages.VerifyEmail token={token} claim={claim} />);
}

const forgotPage = (c: Context<AppEnv>, view: { email: string; sent: boolean }, refused?: Refused) =>
  page(
    c,
    { title: <Say of="forgot.title" />, refused },
    <pages.ForgotPassword {...view} captcha={captchaFor(c, recovery.forgotPassword)} />,
  );

const resetPage = (c: Context<AppEnv>, token: string, refused?: Refused) =>
  page(c, { title: <Say of="reset.title" />, refused }, <pages.ResetPassword token={token} />);

async function invitationPage(c: Context<AppEnv>, token: string, email: string | undefined, refused?: Refused) {
  const view = { token, email, invitation: await describeInvitation(c.get("deps"), token) };
  const options = { title: <Say of="invitation.title" />, refused };
  return page(c, options, <pages.AcceptInvitation {...view} />);
}

/** The page for whoever must sign in. For apps, it is the app that asks for that. */
const startOf = (c: Context<AppEnv>) => (isForApps(c) ? "" : "/sign-in");

const signingOut = operation({
  openWhenSuspended: true,
  verb: ({ deps, session }) => deleteSessionOfUser(deps, session, session.sessionId, "auth.logout"),
});

const token = (sent: Form) => sent.texts("token");

/** The address that the app has named. Throws VALIDATION_FAILED for a request that is not ours or is over. */
async function hintedAddress(c: Context<AppEnv>): Promise<string> {
  const request = c.req.query("r");
  const hint = request && (await openRequest(c.get("deps"), request)).params.get("login_hint");
  return hint?.includes("@") ? hint : "";
}

export const accountPages = new Pages()
  .get("/sign-in", async (c) => {
    const to = requestedReturn(c);
    // Somebody who is signed in is sent here by an app that wants another sign-in.
    if (isForApps(c)) return startPage(c, await hintedAddress(c), to);
    return (await findCurrentUser(c)) ? c.redirect(safePath(to), 303) : startPage(c, "", to);
  })
  .form("/sign-in", signIn.startLogin, {
    values: (sent) => ({ ...sent.texts("email", "password", "to"), captchaToken: sent.optional("captchaToken") }),
    done: async (c, started, { to }) => {
      if ("session" in started) return startSession(c, started, to);
      const pending = { ...started, to: isForApps(c) ? "" : safePath(to) };
      const { encrypted, expiresAt } = await encryptPending(c.get("deps"), pending);
      setConsoleCookie(c, "sign-in", encrypted, expiresAt);
      return redirectTo(c, isForApps(c) ? withReturnPath("/sign-in/code", returnPath(c, to)) : "/sign-in/code");
    },
    again: (c, refused, { email, to }) => signInPage(c, email, to, refused),
  })
  .get("/sign-in/passkey/options", ...serve(signIn.startPasskeyLogin, (c, options) => c.json(options)))
  .form("/sign-in/passkey", signIn.loginWithPasskey, {
    values: (sent) => ({ ...readPasskeyAnswer(sent), to: sent.text("to") }),
    done: (c, opened, { to }) => startSession(c, opened, to),
    again: (c, refused, { to }) => signInPage(c, "", to, refused),
  })
  .get("/sign-in/code", (c) =>
    getConsoleCookie(c, "sign-in") ? codePage(c, requestedReturn(c)) : redirectTo(c, "/sign-in"),
  )
  .form("/sign-in/code", signIn.continueLogin, {
    values: async (sent, c) => ({
      ...sent.texts("totp", "to"),
      pending: await decryptPending(c.get("deps"), getConsoleCookie(c, "sign-in") ?? ""),
    }),
    done: (c, opened, { pending, to }) => startSession(c, opened, isForApps(c) ? to : (pending?.to ?? "")),
    again: (c, refused, { pending, to }) =>
      pending ? codePage(c, to, refused) : redirectWithFlash(c, "/sign-in", "signInAgain"),
  })
  .form("/sign-out", signingOut, { first: requireUser, done: signedOut("signedOut") })
  .get("/verify-email", requires(recovery.verifyEmail), (c) => verifyPage(c, c.req.query("token") ?? ""))
  .form("/verify-email", recovery.verifyEmail, {
    first: noteUser,
    values: token,
    done: (c) => redirectWithFlash(c, getConsoleCookie(c, "session") ? "" : startOf(c), "verified"),
    again: (c, refused, values) => verifyPage(c, values.token, refused),
  })
  .use(wherePasswords, "/forgot-password")
  .use(wherePasswords, "/reset-password")
  .get("/forgot-password", (c) => forgotPage(c, { email: "", sent: false }))
  .form("/forgot-password", recovery.forgotPassword, {
    values: (sent) => ({ email: sent.text("email"), captchaToken: sent.optional("captchaToken") }),
    done: (c, _, { email }) => forgotPage(c, { email, sent: true }),
    again: (c, refused, { email }) => forgotPage(c, { email, sent: false }, refused),
  })
  .get("/reset-password", (c) => resetPage(c, c.req.query("token") ?? ""))
  .form("/reset-password", recovery.resetPassword, {
    values: (sent) => ({
      ...sent.texts("token", "newPassword"),
      endCredentials: sent.text("endCredentials") === "yes",
    }),
    done: (c) => redirectWithFlash(c, startOf(c), "passwordReset"),
    again: (c, refused, values) => resetPage(c, values.token, refused),
  })
  .get("/accept-invitation", requires(recovery.verifyEmail), async (c) =>
    invitationPage(c, c.req.query("token") ?? "", (await findCurrentUser(c))?.email),
  )
  .form("/accept-invitation", invitations.accept, {
    first: requireUser,
    values: token,
    done: (c) => redirectWithFlash(c, "", isForApps(c) ? "joinedHere" : "joined"),
    again: (c, refused, values) => invitationPage(c, values.token, c.get("currentUser").email, refused),
  })
  .form("/resend-verification", recovery.resendVerification, {
    first: requireUser,
    done: flash("", "verificationSent"),
  }).router;
