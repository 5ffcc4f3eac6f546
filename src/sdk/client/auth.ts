/** `/auth`: signing in and out, and the password of an account. */

import type { Call, CallOptions } from "./call";
import type {
  AccountDeletion,
  CodeCredentials,
  Credentials,
  Registration,
  RequestedCode,
  TokenPair,
} from "./generated";
import type { AuthEndpoints } from "./generated-methods";
import { authEndpoints } from "./generated-requests";
import type { Renew } from "./renewal";
import type { TokenStore } from "./token-store";

/** For calls that mail somebody. */
export interface CaptchaOptions extends CallOptions {
  /** From the Turnstile widget, where the service asks for one. */
  captchaToken?: string | undefined;
}

/**
 * `client.auth`.
 *
 * @example
 * await client.auth.login({ email: "ada@example.com", password });
 * const { tenant, role } = await client.auth.me();
 */
export interface AuthMethods extends AuthEndpoints {
  /**
   * Creates an account, signs it in and mails a verification link. Returns the tokens, which the client has already
   * stored. Throws EMAIL_TAKEN, VALIDATION_FAILED, CAPTCHA_REQUIRED, FORBIDDEN if registration is closed, and
   * INVALID_TOKEN for an invitation that is not open for this address.
   */
  register(body: Registration, options?: CallOptions): Promise<TokenPair>;
  /**
   * Opens a session. Returns its tokens, which the client has already stored.
   * Throws UNAUTHENTICATED (wrong email or password), EMAIL_NOT_VERIFIED, TOTP_REQUIRED (call again with `totp`),
   * INVALID_TOTP, ACCOUNT_LOCKED, CAPTCHA_REQUIRED, and NOT_FOUND for a tenant that the user does not belong to.
   */
  login(body: Credentials, options?: CallOptions): Promise<TokenPair>;
  /**
   * Mails a code to sign in with, if the account exists; at most three in 15 minutes. Returns what `loginWithCode`
   * needs with the code. Throws VALIDATION_FAILED, CAPTCHA_REQUIRED, and NOT_FOUND where codes are turned off.
   */
  requestCode(email: string, options?: CaptchaOptions): Promise<RequestedCode>;
  /**
   * Opens a session with a mailed code, which also verifies the address. An account whose address was unverified first
   * loses its password and all that was set up. Returns the session's tokens, which the client has already stored.
   * Throws INVALID_CODE, TOTP_REQUIRED (call again with the same code and `totp`), INVALID_TOTP, ACCOUNT_LOCKED, and
   * NOT_FOUND for a tenant that the user does not belong to.
   */
  loginWithCode(body: CodeCredentials, options?: CallOptions): Promise<TokenPair>;
  /**
   * Renews the tokens now; calls do this automatically when the access token has expired. Returns the new tokens, or
   * null when nobody is signed in. Throws REFRESH_TOKEN_INVALID, REFRESH_TOKEN_EXPIRED or REFRESH_TOKEN_REUSED when the
   * session has ended; the stored tokens are then removed.
   */
  refresh(): Promise<TokenPair | null>;
  /**
   * Removes the stored tokens, then ends the session at the service. Throws NETWORK_ERROR or TIMEOUT when the service
   * cannot be reached; the tokens are removed even then.
   */
  logout(options?: CallOptions): Promise<void>;
  /** Ends every session of the user, this one too. Returns the service's confirmation. Throws UNAUTHENTICATED. */
  logoutAll(options?: CallOptions): Promise<string>;
  /**
   * Verifies an email address with the token from the mail. In a session of the account, it keeps the passkey or the
   * provider that the account was created with, which is removed otherwise. Returns the service's confirmation. Throws
   * INVALID_TOKEN.
   */
  verifyEmail(token: string, options?: CallOptions): Promise<string>;
  /**
   * Mails a reset link. Returns the service's confirmation, which is the same whether or not the account exists.
   * Throws VALIDATION_FAILED, CAPTCHA_REQUIRED.
   */
  forgotPassword(email: string, options?: CaptchaOptions): Promise<string>;
  /**
   * Deletes the user's account and the stored tokens. Returns the service's confirmation. Throws WRONG_PASSWORD,
   * TOTP_REQUIRED, INVALID_TOTP, ACCOUNT_LOCKED, LAST_OWNER while other members need the user as an owner, and CONFLICT
   * for the only member of a tenant without `deleteTenants`.
   */
  deleteAccount(body: AccountDeletion, options?: CallOptions): Promise<string>;
}

/** The request that mails somebody. */
const toAddress = (email: string, { captchaToken, ...options }: CaptchaOptions = {}) =>
  ({ ...options, body: { email, captchaToken }, as: "nobody" }) as const;

export function authMethods(call: Call, store: TokenStore, renew: Renew): AuthMethods {
  const signIn = async (route: string, body: unknown, options?: CallOptions) => {
    const pair = await call.data<TokenPair>(route, { ...options, body, as: "nobody" });
    await store.save(pair);
    return pair;
  };
  return {
    ...authEndpoints(call),
    register: (body, options) => signIn("POST /auth/register", body, options),
    login: (body, options) => signIn("POST /auth/login", body, options),
    requestCode: (email, options) => call.data("POST /auth/code", toAddress(email, options)),
    loginWithCode: (body, options) => signIn("POST /auth/code/verify", body, options),
    refresh: async () => {
      const tokens = await store.load();
      if (tokens) await renew(tokens.accessToken);
      return store.load();
    },
    logout: async (options) => {
      const tokens = await store.load();
      if (!tokens) return;
      await store.save(null);
      const body = { refreshToken: tokens.refreshToken };
      await call.message("POST /auth/logout", { ...options, body, as: "nobody" });
    },
    logoutAll: async (options) => {
      const message = await call.message("POST /auth/logout-all", options);
      await store.save(null);
      return message;
    },
    verifyEmail: async (token, options) => {
      const tokens = await store.load();
      // An expired access token would not show whose session this is, and nothing would say so.
      const isHolder = tokens !== null && (await renew(tokens.accessToken).catch(() => null)) !== null;
      const as = isHolder ? "caller" : "nobody";
      return call.message("POST /auth/verify-email", { ...options, body: { token }, as });
    },
    forgotPassword: (email, options) => call.message("POST /auth/forgot-password", toAddress(email, options)),
    deleteAccount: async (body, options) => {
      const message = await call.message("DELETE /auth/me", { ...options, body });
      await store.save(null);
      return message;
    },
  };
}
