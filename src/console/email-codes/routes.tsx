/** `/console/sign-in/mail`: signing in with a code from a mail. The state of the code is in a cookie. */
import { type Context, Hono } from "hono";
import { createMiddleware } from "hono/factory";
import { MAIL_CODE_LIFETIME_MS } from "../../identity/email-codes/code";
import { requestCode } from "../../identity/email-codes/request";
import { loginWithCode } from "../../identity/sign-in/code-login";
import { codeCredentials, codeRequest } from "../../identity/sign-in/schemas";
import { requireCaptcha } from "../../identity/turnstile/captcha";
import { notFound } from "../../platform/errors";
import { clientContextOf } from "../../platform/http/client-context";
import type { AppEnv } from "../../platform/http/env";
import { limit } from "../../platform/http/rate-limit";
import { type Failure, parse } from "../failure";
import { captchaFor } from "../http/captcha";
import { getConsoleCookie, setConsoleCookie } from "../http/cookies";
import { readForm } from "../http/form";
import { page, redirectTo, redirectWithFlash, rerenderOnError } from "../http/page";
import { safePath } from "../http/paths";
import { startSession } from "../http/start-session";
import { EnterCode, RequestCode } from "./pages";

/** 404 where codes are turned off. */
const whereMailCodes = createMiddleware<AppEnv>((c, next) => {
  if (c.get("deps").config.mailCode === "off") throw notFound("Page");
  return next();
});

const requestPage = (c: Context<AppEnv>, email: string, to: string, failure?: Failure, status = 200) =>
  page(
    c,
    { title: "Sign in with a code", section: null, status },
    <RequestCode email={email} to={to} captcha={captchaFor(c, "code")} failure={failure} />,
  );

interface CodeView {
  to: string;
  rightCode: string | null;
  failure?: Failure;
}

const codePage = (c: Context<AppEnv>, view: CodeView, status = 200) =>
  page(
    c,
    { title: view.rightCode === null ? "Enter the code" : "Two-factor code", section: null, status },
    <EnterCode {...view} />,
  );

/** Under `/sign-in/mail`. */
export const mailCodePages = new Hono<AppEnv>()
  .use(whereMailCodes)
  .get("/", (c) => requestPage(c, "", c.req.query("to") ?? ""))
  .post("/", limit("requestCode", "IP address"), async (c) => {
    const form = await readForm(c);
    const [email, to] = [form.text("email"), form.text("to")];
    return rerenderOnError(
      c,
      async () => {
        const deps = c.get("deps");
        const input = parse(codeRequest, { email, captchaToken: form.optional("captchaToken") });
        await requireCaptcha(deps, "code", input.captchaToken);
        const state = await requestCode(deps, input.email);
        setConsoleCookie(c, "mail-code", state, deps.now() + MAIL_CODE_LIFETIME_MS);
        return redirectTo(c, `/sign-in/mail/code?to=${encodeURIComponent(safePath(to))}`);
      },
      (failure, status) => requestPage(c, email, to, failure, status),
    );
  })
  .get("/code", (c) =>
    getConsoleCookie(c, "mail-code") === undefined
      ? redirectTo(c, "/sign-in/mail")
      : codePage(c, { to: c.req.query("to") ?? "", rightCode: null }),
  )
  .post("/code", limit("verifyCode", "IP address"), async (c) => {
    const state = getConsoleCookie(c, "mail-code");
    if (state === undefined) return redirectWithFlash(c, "/sign-in/mail", "codeExpired");
    const form = await readForm(c);
    const [code, totp, to] = [form.text("code"), form.optional("totp"), form.text("to")];
    return rerenderOnError(
      c,
      async () => {
        const opened = await loginWithCode(
          c.get("deps"),
          parse(codeCredentials, { state, code, totp }),
          clientContextOf(c),
        );
        return startSession(c, opened, to);
      },
      (failure, status, error) => {
        if (error.code === "TOTP_REQUIRED") return codePage(c, { to, rightCode: code });
        return codePage(c, { to, rightCode: error.code === "INVALID_TOTP" ? code : null, failure }, status);
      },
    );
  });
