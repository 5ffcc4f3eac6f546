/** `/console/oauth`: the page to which a provider sends the browser back. */
import { type Context, Hono } from "hono";
import { createMiddleware } from "hono/factory";
import { CODE_EXCHANGE } from "../../identity/providers/access";
import { FLOW_ERRORS } from "../../identity/providers/failure";
import { hasProviders, RESULT_COOKIE } from "../../identity/providers/providers";
import { loginWithProvider } from "../../identity/providers/sign-in";
import type { SealedResult } from "../../identity/providers/sign-in-result";
import { exchange } from "../../identity/sign-in/schemas";
import { notFound } from "../../platform/errors";
import { clientContextOf } from "../../platform/http/client-context";
import { deleteOwnCookie, getOwnCookie, setOwnCookie } from "../../platform/http/cookies";
import type { AppEnv } from "../../platform/http/env";
import { requires } from "../../platform/http/operation";
import { SecondFactor } from "../components/second-factor";
import { type Failure, parse } from "../failure";
import { readForm } from "../http/form";
import { page, type Refused, redirectWithFlash, rerenderOnError } from "../http/page";
import { findCurrentUser } from "../http/session";
import { startSession } from "../http/start-session";
import { ProviderFailed } from "./pages";

const whereProviders = createMiddleware<AppEnv>((c, next) => {
  if (!hasProviders(c.get("deps").config)) throw notFound("Page");
  return next();
});

async function failedPage(c: Context<AppEnv>, failure: Failure, status: number) {
  const isSignedIn = (await findCurrentUser(c)) !== null;
  return page(
    c,
    { title: "The sign-in did not work", section: null, status },
    <ProviderFailed failure={failure} isSignedIn={isSignedIn} />,
  );
}

const codePage = (c: Context<AppEnv>, fields: { code: string; to: string }, refused?: Refused) =>
  page(
    c,
    { title: "Two-factor code", section: null, status: refused?.status },
    <SecondFactor action="/console/oauth" fields={fields} failure={refused?.failure} />,
  );

/** Opens a session with the code of a sign-in, or asks for the second factor. */
async function finish(c: Context<AppEnv>, code: string, to: string, totp?: string): Promise<Response> {
  return rerenderOnError(
    c,
    async () => {
      const input = parse(exchange, { code, totp });
      const resultCookie = {
        sealed: getOwnCookie(c, RESULT_COOKIE),
        set: ({ sealed, expiresAt }: SealedResult) => setOwnCookie(c, RESULT_COOKIE, sealed, expiresAt),
      };
      const opened = await loginWithProvider(c.get("deps"), input, resultCookie, clientContextOf(c));
      deleteOwnCookie(c, RESULT_COOKIE);
      return startSession(c, opened, to);
    },
    (refused) => {
      if (refused.error.code === "TOTP_REQUIRED") return codePage(c, { code, to });
      if (refused.error.code === "INVALID_TOTP") return codePage(c, { code, to }, refused);
      return failedPage(c, refused.failure, refused.status);
    },
  );
}

export const oauthPages = new Hono<AppEnv>()
  .get("/", requires(CODE_EXCHANGE), whereProviders, async (c) => {
    const { code = "", to = "", error, linked } = c.req.query();
    if (linked !== undefined) return redirectWithFlash(c, "/security", "identityLinked");
    if (error === undefined) return finish(c, code, to);
    const message = Object.hasOwn(FLOW_ERRORS, error) ? FLOW_ERRORS[error as keyof typeof FLOW_ERRORS] : "Try again.";
    return failedPage(c, { message, fields: {} }, 400);
  })
  .post("/", requires(CODE_EXCHANGE), whereProviders, async (c) => {
    const sent = await readForm(c);
    return finish(c, sent.text("code"), sent.text("to"), sent.text("totp"));
  });
