/** `/console`: sign in, register, and the targets of mail links. */
import { type Context, Hono } from "hono";
import { acceptInvitation } from "../../identity/invitations/invite";
import { acceptanceBody } from "../../identity/invitations/schemas";
import { loginOptions } from "../../identity/passkeys/webauthn/options";
import { findClaim, resendVerification, verifyEmail } from "../../identity/recovery/email-verification";
import { forgotPassword, resetPassword } from "../../identity/recovery/password";
import { forgotBody, resetBody, verificationBody } from "../../identity/recovery/schemas";
import { deleteSessionOfUser } from "../../identity/sessions/store";
import { continueLogin, startLogin } from "../../identity/sign-in/login";
import { loginWithPasskey } from "../../identity/sign-in/passkey-login";
import { credentials, passkeyLogin, registration } from "../../identity/sign-in/schemas";
import { register } from "../../identity/sign-in/signup";
import { requireCaptcha, requireLoginCaptcha } from "../../identity/turnstile/captcha";
import type { AppError } from "../../platform/errors";
import { clientContextOf } from "../../platform/http/client-context";
import type { AppEnv } from "../../platform/http/env";
import { requires } from "../../platform/http/operation";
import { originOf } from "../../platform/http/origin";
import { sessionOf } from "../../platform/http/permissions";
import { limit } from "../../platform/http/rate-limit";
import { type Failure, parse } from "../failure";
import { captchaFor } from "../http/captcha";
import { deleteConsoleCookie, getConsoleCookie, setConsoleCookie } from "../http/cookies";
import { readForm } from "../http/form";
import { page, redirectTo, redirectWithFlash, rerenderOnError } from "../http/page";
import { hasPasskeysHere, shownIn } from "../http/passkeys";
import { safePath } from "../http/paths";
import { findCurrentUser, requireUser } from "../http/session";
import { startSession } from "../http/start-session";
import { offeredProviders } from "../providers/providers";
import * as pages from "./pages";
import { decryptPending, encryptPending } from "./pending";
import { Register, type RegisterValues, RegistrationClosed } from "./registration";
import { SignIn } from "./sign-in";

/** Whether people can register without an invitation. */
const canRegister = (c: Context<AppEnv>) => c.get("deps").config.registration.for !== "invited";

const providersOf = (c: Context<AppEnv>) => offeredProviders(c.get("deps").config);

async function signInPage(c: Context<AppEnv>, email: string, to: string, failure?: Failure, status = 200) {
  const passkey = hasPasskeysHere(c) ? await loginOptions(c.get("deps")) : null;
  const view = {
    email,
    to,
    canRegister: canRegister(c),
    mailsCodes: c.get("deps").config.mailCode === "on",
    // The page knows the address, and so whether a token is needed, only once somebody has tried.
    captcha: failure ? captchaFor(c, "login") : null,
    passkey,
    providers: providersOf(c),
  };
  return page(c, { title: "Sign in", section: null, status }, <SignIn {...view} failure={failure} />);
}

const codePage = (c: Context<AppEnv>, failure?: Failure, status = 200) =>
  page(c, { title: "Two-factor code", section: null, status }, <pages.SignInCode failure={failure} />);

function registerPage(c: Context<AppEnv>, values: RegisterValues, failure?: Failure, status = 200) {
  const isClosed = values.invitationToken === "" && !canRegister(c);
  const content = isClosed ? (
    <RegistrationClosed />
  ) : (
    <Register values={values} captcha={captchaFor(c, "register")} providers={providersOf(c)} failure={failure} />
  );
  return page(c, { title: "Create an account", section: null, status }, content);
}

async function verifyPage(c: Context<AppEnv>, token: string, failure?: Failure, status = 200) {
  const claim = failure ? null : await findClaim(c.get("deps"), token);
  return page(
    c,
    { title: "Verify your email", section: null, status },
    <pages.VerifyEmail token={token} claim={claim} failure={failure} />,
  );
}

const forgotPage = (c: Context<AppEnv>, view: { email: string; sent: boolean; failure?: Failure }, status = 200) =>
  page(
    c,
    { title: "Forgot your password?", section: null, status },
    <pages.ForgotPassword {...view} captcha={captchaFor(c, "forgot-password")} />,
  );

const resetPage = (c: Context<AppEnv>, token: string, failure?: Failure, status = 200) =>
  page(
    c,
    { title: "Set a new password", section: null, status },
    <pages.ResetPassword token={token} failure={failure} />,
  );

const invitationPage = (
  c: Context<AppEnv>,
  token: string,
  email: string | undefined,
  failure?: Failure,
  status = 200,
) =>
  page(
    c,
    { title: "You are invited", section: null, status },
    <pages.AcceptInvitation token={token} email={email} failure={failure} />,
  );

const withHint = (failure: Failure, { code }: AppError): Failure =>
  code === "EMAIL_NOT_VERIFIED" ? { ...failure, message: `${failure.message} Check your mail for the link.` } : failure;

const codeForm = credentials.pick({ totp: true }).required();

const signIn = new Hono<AppEnv>()
  .get("/sign-in", async (c) => {
    const to = c.req.query("to") ?? "";
    return (await findCurrentUser(c)) ? redirectTo(c, safePath(to)) : signInPage(c, "", to);
  })
  .post("/sign-in", limit("login", "IP address"), async (c) => {
    const form = await readForm(c);
    const [email, password, to] = [form.text("email"), form.text("password"), form.text("to")];
    return rerenderOnError(
      c,
      async () => {
        const deps = c.get("deps");
        const input = parse(credentials, { email, password, captchaToken: form.optional("captchaToken") });
        await requireLoginCaptcha(deps, input.email, input.captchaToken);
        const started = await startLogin(deps, input, clientContextOf(c));
        if ("session" in started) return startSession(c, started, to);
        const { encrypted, expiresAt } = await encryptPending(deps, { ...started, to: safePath(to) });
        setConsoleCookie(c, "sign-in", encrypted, expiresAt);
        return redirectTo(c, "/sign-in/code");
      },
      (failure, status, error) => signInPage(c, email, to, withHint(failure, error), status),
    );
  })
  .get("/sign-in/passkey/options", limit("login", "IP address"), async (c) => c.json(await loginOptions(c.get("deps"))))
  .post("/sign-in/passkey", limit("login", "IP address"), async (c) => {
    const form = await readForm(c);
    const to = form.text("to");
    return rerenderOnError(
      c,
      async () => {
        const input = parse(passkeyLogin, shownIn(form));
        return startSession(c, await loginWithPasskey(c.get("deps"), input, clientContextOf(c)), to);
      },
      (failure, status, error) => signInPage(c, "", to, withHint(failure, error), status),
    );
  })
  .get("/sign-in/code", (c) => (getConsoleCookie(c, "sign-in") ? codePage(c) : redirectTo(c, "/sign-in")))
  .post("/sign-in/code", limit("login", "IP address"), async (c) => {
    const deps = c.get("deps");
    const pending = await decryptPending(deps, getConsoleCookie(c, "sign-in") ?? "");
    if (!pending) return redirectWithFlash(c, "/sign-in", "signInAgain");
    const form = await readForm(c);
    return rerenderOnError(
      c,
      async () => {
        const { totp } = parse(codeForm, { totp: form.text("totp") });
        return startSession(c, await continueLogin(deps, pending, totp, clientContextOf(c)), pending.to);
      },
      (failure, status) => codePage(c, failure, status),
    );
  })
  .post("/sign-out", requires({ openWhenSuspended: true }), requireUser, async (c) => {
    const session = sessionOf(c);
    await deleteSessionOfUser(c.get("deps"), session, session.sessionId, "auth.logout");
    deleteConsoleCookie(c, "session");
    return redirectWithFlash(c, "/sign-in", "signedOut");
  });

const registering = new Hono<AppEnv>()
  .get("/register", (c) =>
    registerPage(c, { email: "", name: "", tenantName: "", invitationToken: c.req.query("invitation") ?? "" }),
  )
  .post("/register", limit("register", "IP address"), async (c) => {
    const form = await readForm(c);
    const [email, name, tenantName] = [form.text("email"), form.text("name"), form.text("tenantName")];
    const invitationToken = form.text("invitationToken");
    return rerenderOnError(
      c,
      async () => {
        const input = parse(registration, {
          email,
          password: form.text("password"),
          name: form.optional("name"),
          tenantName: form.optional("tenantName"),
          invitationToken: form.optional("invitationToken"),
          captchaToken: form.optional("captchaToken"),
        });
        const deps = c.get("deps");
        await requireCaptcha(deps, "register", input.captchaToken);
        return startSession(c, await register(deps, input, clientContextOf(c)), "", "welcome");
      },
      (failure, status) => registerPage(c, { email, name, tenantName, invitationToken }, failure, status),
    );
  });

const mailLinks = new Hono<AppEnv>()
  .get("/verify-email", limit("verifyEmail", "IP address"), (c) => verifyPage(c, c.req.query("token") ?? ""))
  .post("/verify-email", limit("verifyEmail", "IP address"), async (c) => {
    const token = (await readForm(c)).text("token");
    return rerenderOnError(
      c,
      async () => {
        await verifyEmail(c.get("deps"), parse(verificationBody, { token }).token, originOf(c));
        return redirectWithFlash(c, getConsoleCookie(c, "session") ? "" : "/sign-in", "verified");
      },
      (failure, status) => verifyPage(c, token, failure, status),
    );
  })
  .get("/forgot-password", (c) => forgotPage(c, { email: "", sent: false }))
  .post("/forgot-password", limit("forgotPassword", "IP address"), async (c) => {
    const form = await readForm(c);
    const email = form.text("email");
    return rerenderOnError(
      c,
      async () => {
        const deps = c.get("deps");
        const input = parse(forgotBody, { email, captchaToken: form.optional("captchaToken") });
        await requireCaptcha(deps, "forgot-password", input.captchaToken);
        await forgotPassword(deps, input.email, originOf(c));
        return forgotPage(c, { email, sent: true });
      },
      (failure, status) => forgotPage(c, { email, sent: false, failure }, status),
    );
  })
  .get("/reset-password", (c) => resetPage(c, c.req.query("token") ?? ""))
  .post("/reset-password", limit("resetPassword", "IP address"), async (c) => {
    const form = await readForm(c);
    const token = form.text("token");
    return rerenderOnError(
      c,
      async () => {
        const input = parse(resetBody, { token, newPassword: form.text("newPassword") });
        await resetPassword(c.get("deps"), input.token, input.newPassword, originOf(c));
        return redirectWithFlash(c, "/sign-in", "passwordReset");
      },
      (failure, status) => resetPage(c, token, failure, status),
    );
  })
  .get("/accept-invitation", async (c) =>
    invitationPage(c, c.req.query("token") ?? "", (await findCurrentUser(c))?.email),
  )
  .post("/accept-invitation", requireUser, async (c) => {
    const token = (await readForm(c)).text("token");
    const { email, principal } = c.get("currentUser");
    return rerenderOnError(
      c,
      async () => {
        await acceptInvitation(c.get("deps"), principal, parse(acceptanceBody, { token }).token);
        return redirectWithFlash(c, "", "joined");
      },
      (failure, status) => invitationPage(c, token, email, failure, status),
    );
  })
  .post("/resend-verification", requireUser, limit("resendVerification", "user"), async (c) => {
    await resendVerification(c.get("deps"), c.get("principal").userId);
    return redirectWithFlash(c, "", "verificationSent");
  });

export const accountPages = new Hono<AppEnv>().route("/", signIn).route("/", registering).route("/", mailLinks);
