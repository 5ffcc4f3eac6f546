/** `/auth`: registration and login. */

import { createMiddleware } from "hono/factory";
import { notFound } from "../../base/errors";
import { endpoint, routes } from "../../base/http/endpoint";
import type { AppEnv } from "../../base/http/env";
import { documented } from "../../base/http/route-docs";
import { operation } from "../../base/operation";
import { dataOf } from "../../base/schemas/schemas";
import { requestCode } from "../email-codes/request";
import { loginOptions } from "../passkeys/webauthn/options";
import { creationOptions, requestOptions } from "../passkeys/webauthn/schemas";
import { tokenPair } from "../sessions/schemas";
import { captchaFor, loginCaptcha } from "../turnstile/captcha";
import { loginWithCode } from "./code-login";
import { continueLogin, login, startLogin } from "./login";
import { loginWithPasskey } from "./passkey-login";
import { registerWithPasskey, startPasskeyRegistration } from "./passkey-signup";
import {
  codeCredentials,
  codeRequest,
  credentials,
  passkeyLogin,
  passkeyRegistrant,
  passkeyRegistration,
  registration,
  requestedCode,
  secondStep,
} from "./schemas";
import { register } from "./signup";

/** While mailed codes are turned off, answers 404, as for a missing route. */
const whereMailCodes = documented(
  createMiddleware<AppEnv>((c, next) => {
    if (c.get("deps").config.mailCode === "off") throw notFound("Route");
    return next();
  }),
  { errors: ["NOT_FOUND"] },
);

const LOGIN = { callers: "anybody", limit: { rule: "login", per: "IP address" } } as const;
const PASSWORD = { ...LOGIN, captcha: loginCaptcha, schema: credentials };

export const signIn = {
  register: endpoint({
    id: "register",
    summary: "Creates a user with a tenant of their own, or in the tenant of an invitation.",
    description: "The first session works at once. Later logins need a verified email.",
    callers: "anybody",
    limit: { rule: "register", per: "IP address" },
    captcha: captchaFor("register"),
    schema: registration,
    errors: ["CAPTCHA_REQUIRED", "FORBIDDEN", "EMAIL_TAKEN", "CONFLICT", "INVALID_TOKEN", "SIGN_ON_REQUIRED"],
    answers: () => ({ 201: dataOf(tokenPair) }),
    verb: ({ deps, input, client }) => register(deps, input, client),
    answer: (c, { tokens }) => c.json({ data: tokens }, 201),
  }),
  startPasskeyRegistration: endpoint({
    id: "startPasskeyRegistration",
    summary: "What a page gives to `navigator.credentials.create` to register with a passkey.",
    description: "Nothing is stored yet. The answer does not tell whether the address is taken.",
    callers: "anybody",
    limit: { rule: "register", per: "IP address" },
    captcha: captchaFor("register"),
    schema: passkeyRegistrant,
    errors: ["CAPTCHA_REQUIRED", "FORBIDDEN"],
    answers: () => ({ 200: dataOf(creationOptions) }),
    verb: ({ deps, input }) => startPasskeyRegistration(deps, input),
    answer: (c, data) => c.json({ data }),
  }),
  registerWithPasskey: endpoint({
    id: "registerWithPasskey",
    summary: "Creates a user as `register` does, with a passkey in place of a password.",
    description: "The first session works at once. Later logins need a verified email.",
    callers: "anybody",
    limit: { rule: "register", per: "IP address" },
    schema: passkeyRegistration,
    errors: ["FORBIDDEN", "EMAIL_TAKEN", "CONFLICT", "INVALID_TOKEN", "SIGN_ON_REQUIRED"],
    answers: () => ({ 201: dataOf(tokenPair) }),
    verb: ({ deps, input, client }) => registerWithPasskey(deps, input, client),
    answer: (c, { tokens }) => c.json({ data: tokens }, 201),
  }),
  login: endpoint({
    id: "login",
    summary: "Opens a session.",
    description:
      "Ten wrong passwords in a row lock an email for 15 minutes; each further lock lasts twice as long. Where " +
      "Turnstile is set up, a login needs `captchaToken` after three wrong passwords.",
    ...PASSWORD,
    errors: [
      "UNAUTHENTICATED",
      "FORBIDDEN",
      "INVALID_TOTP",
      "EMAIL_NOT_VERIFIED",
      "CAPTCHA_REQUIRED",
      "TOTP_REQUIRED",
      "NOT_FOUND",
      "ACCOUNT_LOCKED",
      "SIGN_ON_REQUIRED",
    ],
    answers: () => ({ 200: dataOf(tokenPair) }),
    verb: ({ deps, input, client }) => login(deps, input, client),
    answer: (c, { tokens }) => c.json({ data: tokens }),
  }),
  /** The first of two steps: the second one takes the two-factor code. */
  startLogin: operation({ ...PASSWORD, verb: ({ deps, input, client }) => startLogin(deps, input, client) }),
  /** The second step. Whoever serves the first one keeps `pending` in between. */
  continueLogin: operation({
    ...LOGIN,
    schema: secondStep,
    verb: ({ deps, input, client }) => continueLogin(deps, input.pending, input.totp, client),
  }),
  requestCode: endpoint({
    id: "requestCode",
    summary: "Mails a code to sign in with, if the account exists.",
    description: "An address gets at most three mails in 15 minutes; the answer stays the same after that.",
    callers: "anybody",
    limit: { rule: "requestCode", per: "IP address" },
    captcha: captchaFor("code"),
    schema: codeRequest,
    errors: ["CAPTCHA_REQUIRED"],
    answers: () => ({ 200: dataOf(requestedCode) }),
    first: whereMailCodes,
    verb: ({ deps, input, client }) => requestCode(deps, input.email, client),
    answer: (c, state) => c.json({ data: { state } }),
  }),
  loginWithCode: endpoint({
    id: "loginWithCode",
    summary: "Opens a session with a mailed code.",
    description:
      "A code works once, for 10 minutes, and five wrong ones use it up. It verifies the address. An account " +
      "whose address was unverified loses its password, sessions, API keys, second factor and tenants first, " +
      "because somebody else may have registered it.",
    callers: "anybody",
    limit: { rule: "verifyCode", per: "IP address" },
    schema: codeCredentials,
    errors: [
      "INVALID_CODE",
      "FORBIDDEN",
      "INVALID_TOTP",
      "TOTP_REQUIRED",
      "NOT_FOUND",
      "ACCOUNT_LOCKED",
      "SIGN_ON_REQUIRED",
    ],
    answers: () => ({ 200: dataOf(tokenPair) }),
    first: whereMailCodes,
    verb: ({ deps, input, client }) => loginWithCode(deps, input, client),
    answer: (c, { tokens }) => c.json({ data: tokens }),
  }),
  startPasskeyLogin: endpoint({
    id: "startPasskeyLogin",
    summary: "What a page gives to `navigator.credentials.get` to sign in with a passkey.",
    description: "The same for everybody: the authenticator knows whose passkeys it has.",
    ...LOGIN,
    answers: () => ({ 200: dataOf(requestOptions) }),
    verb: ({ deps }) => loginOptions(deps),
    answer: (c, data) => c.json({ data }),
  }),
  loginWithPasskey: endpoint({
    id: "loginWithPasskey",
    summary: "Opens a session with a passkey, which counts as two factors.",
    description: "A locked password does not lock passkeys.",
    ...LOGIN,
    schema: passkeyLogin,
    errors: ["UNAUTHENTICATED", "FORBIDDEN", "EMAIL_NOT_VERIFIED", "NOT_FOUND", "SIGN_ON_REQUIRED"],
    answers: () => ({ 200: dataOf(tokenPair) }),
    verb: ({ deps, input, client }) => loginWithPasskey(deps, input, client),
    answer: (c, { tokens }) => c.json({ data: tokens }),
  }),
};

export const publicAuthRoutes = routes({
  "POST /register": signIn.register,
  "POST /register/passkey/options": signIn.startPasskeyRegistration,
  "POST /register/passkey": signIn.registerWithPasskey,
  "POST /login": signIn.login,
  "POST /code": signIn.requestCode,
  "POST /code/verify": signIn.loginWithCode,
  "POST /passkeys/login/options": signIn.startPasskeyLogin,
  "POST /passkeys/login": signIn.loginWithPasskey,
});
