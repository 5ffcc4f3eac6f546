/** `/auth`: sign-in, the account, its sessions and its second factor. */

import type { Call, CallOptions } from "./call";
import type { Renew } from "./renewal";
import { segment } from "./segment";
import type { TokenStore } from "./token-store";
import type {
  Credentials,
  PasswordChange,
  PasswordReset,
  Profile,
  RecoveryCodes,
  Registration,
  Session,
  TokenPair,
  TwoFactorEnrolment,
} from "./types";

export function authMethods(call: Call, store: TokenStore, renew: Renew) {
  const signIn = async (route: string, body: unknown, options: CallOptions) => {
    const pair = await call.data<TokenPair>(route, { ...options, body, as: "nobody" });
    await store.save(pair);
    return pair;
  };
  const me = (options: CallOptions = {}) => call.data<Profile>("GET /auth/me", options);
  return {
    /** Makes the account and signs it in. Throws EMAIL_TAKEN, VALIDATION_FAILED. */
    register: (body: Registration, options: CallOptions = {}) => signIn("POST /auth/register", body, options),
    /** Throws UNAUTHENTICATED, EMAIL_NOT_VERIFIED, TOTP_REQUIRED (call again with `totp`), INVALID_TOTP, ACCOUNT_LOCKED. */
    login: (body: Credentials, options: CallOptions = {}) => signIn("POST /auth/login", body, options),
    /** Renews the tokens now. No need to: a call whose token has run out does it. Gives null when nobody is signed in. */
    refresh: async (): Promise<TokenPair | null> => {
      const tokens = await store.load();
      if (tokens) await renew(tokens.accessToken);
      return store.load();
    },
    /** Ends the session here and there; here even when the service can't be reached. */
    logout: async (options: CallOptions = {}): Promise<void> => {
      const tokens = await store.load();
      if (!tokens) return;
      await store.save(null);
      const body = { refreshToken: tokens.refreshToken };
      await call.message("POST /auth/logout", { ...options, body, as: "nobody" });
    },
    /** Ends every session of the user. */
    logoutAll: async (options: CallOptions = {}): Promise<string> => {
      const message = await call.message("POST /auth/logout-all", options);
      await store.save(null);
      return message;
    },
    me,
    /** Takes the token of the mail. */
    verifyEmail: (token: string, options: CallOptions = {}) =>
      call.message("POST /auth/verify-email", { ...options, body: { token }, as: "nobody" }),
    resendVerification: (options: CallOptions = {}) => call.message("POST /auth/resend-verification", options),
    /** Answers the same whether or not the account exists. */
    forgotPassword: (email: string, options: CallOptions = {}) =>
      call.message("POST /auth/forgot-password", { ...options, body: { email }, as: "nobody" }),
    /** Ends every session of the user; log in afterwards. */
    resetPassword: (body: PasswordReset, options: CallOptions = {}) =>
      call.message("POST /auth/reset-password", { ...options, body, as: "nobody" }),
    /** Ends every other session. A wrong current password is UNAUTHENTICATED. */
    changePassword: async (body: PasswordChange, options: CallOptions = {}): Promise<string> => {
      // A 401 would not tell a wrong password from a token that has run out, and a password must not be tried twice.
      await me(options);
      return call.message("POST /auth/change-password", { ...options, body, as: "caller once" });
    },
  };
}

export function sessionMethods(call: Call) {
  return {
    list: (options: CallOptions = {}) => call.data<Session[]>("GET /auth/sessions", options),
    revoke: (id: string, options: CallOptions = {}) => call.message(`DELETE /auth/sessions/${segment(id)}`, options),
  };
}

/** `code`: six digits of the authenticator app; `disable` and `renewRecoveryCodes` also take a recovery code. */
export function twoFactorMethods(call: Call) {
  return {
    enable: (options: CallOptions = {}) => call.data<TwoFactorEnrolment>("POST /auth/2fa/enable", options),
    verify: (code: string, options: CallOptions = {}) =>
      call.message("POST /auth/2fa/verify", { ...options, body: { token: code } }),
    disable: (code: string, options: CallOptions = {}) =>
      call.message("POST /auth/2fa/disable", { ...options, body: { token: code } }),
    renewRecoveryCodes: (code: string, options: CallOptions = {}) =>
      call.data<RecoveryCodes>("POST /auth/2fa/recovery-codes", { ...options, body: { token: code } }),
  };
}
