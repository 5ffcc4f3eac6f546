/** How people register and sign in. */
import { operation } from "../../base/operation";
import { requestCode } from "../email-codes/request";
import { loginOptions } from "../passkeys/webauthn/options";
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
  secondStep,
} from "./schemas";
import { register } from "./signup";

const LOGIN = { callers: "anybody", limit: { rule: "login", per: "IP address" } } as const;
const PASSWORD = { ...LOGIN, captcha: loginCaptcha, schema: credentials };

export const signIn = {
  register: operation({
    callers: "anybody",
    limit: { rule: "register", per: "IP address" },
    captcha: captchaFor("register"),
    schema: registration,
    verb: ({ deps, input, client }) => register(deps, input, client),
  }),
  startPasskeyRegistration: operation({
    callers: "anybody",
    limit: { rule: "register", per: "IP address" },
    captcha: captchaFor("register"),
    schema: passkeyRegistrant,
    verb: ({ deps, input }) => startPasskeyRegistration(deps, input),
  }),
  registerWithPasskey: operation({
    callers: "anybody",
    limit: { rule: "register", per: "IP address" },
    schema: passkeyRegistration,
    verb: ({ deps, input, client }) => registerWithPasskey(deps, input, client),
  }),
  login: operation({ ...PASSWORD, verb: ({ deps, input, client }) => login(deps, input, client) }),
  /** The first of two steps: the second one takes the two-factor code. */
  startLogin: operation({ ...PASSWORD, verb: ({ deps, input, client }) => startLogin(deps, input, client) }),
  /** The second step. Whoever serves the first one keeps `pending` in between. */
  continueLogin: operation({
    ...LOGIN,
    schema: secondStep,
    verb: ({ deps, input, client }) => continueLogin(deps, input.pending, input.totp, client),
  }),
  requestCode: operation({
    callers: "anybody",
    limit: { rule: "requestCode", per: "IP address" },
    captcha: captchaFor("code"),
    schema: codeRequest,
    verb: ({ deps, input, client }) => requestCode(deps, input.email, client),
  }),
  loginWithCode: operation({
    callers: "anybody",
    limit: { rule: "verifyCode", per: "IP address" },
    schema: codeCredentials,
    verb: ({ deps, input, client }) => loginWithCode(deps, input, client),
  }),
  startPasskeyLogin: operation({ ...LOGIN, verb: ({ deps }) => loginOptions(deps) }),
  loginWithPasskey: operation({
    ...LOGIN,
    schema: passkeyLogin,
    verb: ({ deps, input, client }) => loginWithPasskey(deps, input, client),
  }),
};
