/** `/console/sign-in/mail`: signing in with a code from a mail. The state of the code is in a cookie. */
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { notFound } from "../../base/errors";
import type { AppEnv } from "../../base/http/env";
import { MAIL_CODE_LIFETIME_MS } from "../../identity/email-codes/code";
import { signIn } from "../../identity/sign-in/api";
import { withReturnPath } from "../components/address";
import { Say } from "../components/mount";
import { SecondFactor } from "../components/second-factor";
import { captchaFor } from "../http/captcha";
import { getConsoleCookie, setConsoleCookie } from "../http/cookies";
import { page, type Refused, redirectTo, redirectWithFlash } from "../http/page";
import { Pages } from "../http/pages";
import { requestedReturn, returnPath } from "../http/paths";
import { startSession } from "../http/start-session";
import { EnterCode, RequestCode } from "./pages";

/** 404 where codes are turned off. */
const whereMailCodes = createMiddleware<AppEnv>((c, next) => {
  if (c.get("deps").config.mailCode === "off") throw notFound("Page");
  return next();
});

const requestPage = (c: Context<AppEnv>, email: string, to: string, refused?: Refused) =>
  page(
    c,
    { title: <Say of="code.title" />, refused },
    <RequestCode email={email} to={to} captcha={captchaFor(c, signIn.requestCode)} />,
  );

const codePage = (c: Context<AppEnv>, to: string, refused?: Refused) =>
  page(c, { title: <Say of="code.enterTitle" />, refused }, <EnterCode to={to} />);

/** Asks for the second factor. The code was right; the form sends it again. */
const factorPage = (c: Context<AppEnv>, fields: { code: string; to: string }, refused?: Refused) =>
  page(
    c,
    { title: <Say of="signIn.factor" />, refused },
    <SecondFactor action="/sign-in/mail/code" fields={fields} back={{ to: "/sign-in/mail", text: "code.another" }} />,
  );

const stateOf = (c: Context<AppEnv>) => getConsoleCookie(c, "mail-code");

/** Without the cookie, there is no code to enter. */
const whileAsked = createMiddleware<AppEnv>(async (c, next) =>
  stateOf(c) === undefined ? redirectWithFlash(c, "/sign-in/mail", "codeExpired") : next(),
);

/** Under `/sign-in/mail`. */
export const mailCodePages = new Pages()
  .use(whereMailCodes)
  .get("/", (c) => requestPage(c, "", requestedReturn(c)))
  .form("/", signIn.requestCode, {
    values: (sent) => ({ ...sent.texts("email", "to"), captchaToken: sent.optional("captchaToken") }),
    done: (c, state, { to }) => {
      setConsoleCookie(c, "mail-code", state, c.get("deps").now() + MAIL_CODE_LIFETIME_MS);
      return redirectTo(c, withReturnPath("/sign-in/mail/code", returnPath(c, to)));
    },
    again: (c, refused, { email, to }) => requestPage(c, email, to, refused),
  })
  .get("/code", (c) => (stateOf(c) === undefined ? redirectTo(c, "/sign-in/mail") : codePage(c, requestedReturn(c))))
  .form("/code", signIn.loginWithCode, {
    first: whileAsked,
    values: (sent, c) => ({ ...sent.texts("code", "to"), state: stateOf(c), totp: sent.optional("totp") }),
    done: (c, opened, { to }) => startSession(c, opened, to),
    again: (c, refused, { code, to }) => {
      if (refused.error.code === "TOTP_REQUIRED") return factorPage(c, { code, to });
      return refused.error.code === "INVALID_TOTP" ? factorPage(c, { code, to }, refused) : codePage(c, to, refused);
    },
  }).router;
