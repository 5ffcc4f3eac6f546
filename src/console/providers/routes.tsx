/** `/console/oauth`: the page to which a provider sends the browser back. */
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { hasSignOn } from "../../base/config/sign-on-settings";
import { type AppError, type ErrorCode, notFound } from "../../base/errors";
import { getOwnCookie } from "../../base/http/cookies";
import type { AppEnv } from "../../base/http/env";
import { perform, requires } from "../../base/http/operation";
import { consume } from "../../base/http/rate-limit";
import { MAIL_CODE_LIFETIME_MS } from "../../identity/email-codes/code";
import { FLOW_ERRORS } from "../../identity/providers/failure";
import { hasProviders, RESULT_COOKIE } from "../../identity/providers/providers";
import type { OpenedSession } from "../../identity/sessions/tokens";
import { signIn } from "../../identity/sign-in/api";
import { providers } from "../../identity/sign-in/providers/api";
import { isAskedForProof, stateOfProof } from "../../identity/sign-in/providers/proof";
import { CONSENT } from "../../identity/sign-in/providers/sign-in";
import { stepUp } from "../../identity/step-up/api";
import { exchange } from "../../sign-on/people/api";
import { readCode } from "../../sign-on/people/exchange";
import { Say } from "../components/mount";
import { SecondFactor } from "../components/second-factor";
import { parse } from "../failure";
import { captchaFor } from "../http/captcha";
import { getConsoleCookie, setConsoleCookie } from "../http/cookies";
import { page, type Refused, redirectTo, redirectWithFlash } from "../http/page";
import { answerForm, type FormPages, Pages } from "../http/pages";
import { requestedReturn } from "../http/paths";
import { findCurrentUser } from "../http/session";
import { goTo, startSession } from "../http/start-session";
import { confirmPage } from "../passkeys/routes";
import { AskForConsent, CONSENT_FIELD, EnterConsent } from "./consent";
import { ProviderFailed } from "./pages";

const whereProviders = createMiddleware<AppEnv>((c, next) => {
  const { config } = c.get("deps");
  if (!hasProviders(config) && !hasSignOn(config)) throw notFound("Page");
  return next();
});

async function failedPage(c: Context<AppEnv>, refused: Pick<Refused, "failure" | "status">) {
  const isSignedIn = (await findCurrentUser(c)) !== null;
  return page(c, { title: <Say of="link.failed" />, refused }, <ProviderFailed isSignedIn={isSignedIn} />);
}

/** The fields of a form that goes on with a sign-in: the code of the sign-in, and the path to redirect to. */
interface Fields {
  code: string;
  to: string;
}

/** What is sent with them: a code from a mail, and the second factor. */
interface Values extends Fields {
  mailCode?: string | undefined;
  totp?: string | undefined;
}

/** A page about the account that has the person's address at the provider. */
async function consentPage(c: Context<AppEnv>, fields: Fields, isMailed: boolean, refused?: Refused) {
  const who = await readCode(c.get("deps"), fields.code, getOwnCookie(c, RESULT_COOKIE));
  const props = { ...who, fields };
  return page(
    c,
    { title: <Say of="link.title" />, refused },
    isMailed ? <EnterConsent {...props} /> : <AskForConsent {...props} captcha={captchaFor(c, signIn.requestCode)} />,
  );
}

/** A page for the code that shows whose the person's address at the provider is. */
function proofPage(c: Context<AppEnv>, fields: Fields, state: string) {
  setConsoleCookie(c, "mail-code", state, c.get("deps").now() + MAIL_CODE_LIFETIME_MS);
  return consentPage(c, fields, true);
}

/** The errors of a mailed code that was typed wrong. */
const NOT_THE_CODE: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["INVALID_CODE", "VALIDATION_FAILED"]);

const needsConsent = ({ code, details }: AppError): boolean => code === "CONFLICT" && details?.[0]?.path === CONSENT;

const codePage = (c: Context<AppEnv>, fields: Readonly<Record<string, string>>, refused?: Refused) =>
  page(c, { title: <Say of="signIn.factor" />, refused }, <SecondFactor action="/oauth" fields={fields} />);

/** Opens a session with the code of a sign-in, or asks for the second factor. */
const finishing: FormPages<Values, OpenedSession> = {
  input: ({ code, totp, mailCode }, c) => ({
    code,
    totp,
    ...(mailCode ? { mailCode: { state: getConsoleCookie(c, "mail-code"), code: mailCode } } : {}),
  }),
  done: (c, opened, { to }) => startSession(c, opened, to),
  again: (c, refused, { code, to, mailCode }) => {
    const typed = { code, to, ...(mailCode ? { [CONSENT_FIELD]: mailCode } : {}) };
    if (refused.error.code === "TOTP_REQUIRED") return codePage(c, typed);
    if (refused.error.code === "INVALID_TOTP") return codePage(c, typed, refused);
    const state = isAskedForProof(refused.error) ? stateOfProof(refused.error) : undefined;
    if (state !== undefined) return proofPage(c, { code, to }, state);
    if (needsConsent(refused.error)) return consentPage(c, { code, to }, false);
    if (mailCode && NOT_THE_CODE.has(refused.error.code)) return consentPage(c, { code, to }, true, refused);
    return failedPage(c, refused);
  },
};

/** Confirms the session with the code of a sign-on that began for that. */
async function confirmSession(c: Context<AppEnv>, fields: Fields) {
  const user = await findCurrentUser(c);
  if (!user) return redirectTo(c, "/sign-in");
  c.set("currentUser", user);
  c.set("principal", user.principal);
  await consume(c, "stepUp", user.principal.userId);
  const confirming: FormPages<Fields, void> = {
    input: ({ code }) => ({ signOn: code }),
    done: (_, __, { to }) => goTo(c, to),
    again: (_, refused, { to }) => confirmPage(c, { to, refused }),
  };
  return answerForm(c, stepUp.confirm, confirming, fields);
}

export const oauthPages = new Pages()
  .get("/", requires(exchange), whereProviders, async (c) => {
    const { code = "", error, linked, purpose } = c.req.query();
    const to = requestedReturn(c);
    if (linked !== undefined) return redirectWithFlash(c, "/security", "identityLinked");
    if (error === undefined && purpose === "step-up") return confirmSession(c, { code, to });
    if (error === undefined) return answerForm(c, exchange, finishing, { code, to });
    const message = Object.hasOwn(FLOW_ERRORS, error) ? FLOW_ERRORS[error as keyof typeof FLOW_ERRORS] : "Try again.";
    return failedPage(c, { failure: { message, fields: {} }, status: 400 });
  })
  .form("/", exchange, {
    ...finishing,
    first: whereProviders,
    values: (sent) => ({
      ...sent.texts("code", "to"),
      mailCode: sent.optional(CONSENT_FIELD),
      totp: sent.optional("totp"),
    }),
  })
  .form("/mail-code", signIn.requestCode, {
    first: whereProviders,
    values: (sent) => ({ ...sent.texts("code", "to"), captcha: sent.optional("captchaToken") }),
    input: async ({ code, captcha }, c) => {
      const { email } = await readCode(c.get("deps"), code, getOwnCookie(c, RESULT_COOKIE));
      return { email, captchaToken: captcha };
    },
    done: (c, state, { code, to }) => {
      setConsoleCookie(c, "mail-code", state, c.get("deps").now() + MAIL_CODE_LIFETIME_MS);
      return consentPage(c, { code, to }, true);
    },
    again: (c, refused, { code, to }) =>
      refused.error.code === "INVALID_TOKEN" ? failedPage(c, refused) : consentPage(c, { code, to }, false, refused),
  }).router;

/** Sends the browser to a provider, from a page for apps. */
export const providerStarts = new Pages().get(
  "/:provider",
  requires(providers.startForApps),
  whereProviders,
  async (c) => {
    const { r, invitationToken } = c.req.query();
    const { schema } = providers.startForApps;
    const sent = schema && parse(schema, { r, invitationToken });
    return c.redirect(await perform(c, providers.startForApps, sent), 303);
  },
).router;
