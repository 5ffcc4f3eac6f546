/** `/auth/2fa`: the second factor of the user. */

import type { Call, CallOptions } from "./call";
import type { RecoveryCodes, TwoFactorEnrolment } from "./generated";

/**
 * `client.twoFactor`, for signed-in users; an API key gets UNAUTHENTICATED.
 *
 * @example
 * const { qrCodeUri } = await client.twoFactor.enable();
 * // Show it as a QR code, then ask for the app's code.
 * await client.twoFactor.verify("123456");
 * const { recoveryCodes } = await client.twoFactor.renewRecoveryCodes("654321");
 */
export interface TwoFactorMethods {
  /** Starts enrolment; nothing is on until `verify`. Returns what the app needs. Throws TWO_FACTOR_ALREADY_ENABLED. */
  enable(options?: CallOptions): Promise<TwoFactorEnrolment>;
  /**
   * Turns the second factor on with six digits from the app. Returns the service's confirmation.
   * Throws INVALID_TOTP, TWO_FACTOR_NOT_STARTED, TWO_FACTOR_ALREADY_ENABLED.
   */
  verify(code: string, options?: CallOptions): Promise<string>;
  /**
   * Turns the second factor off with six digits from the app or a recovery code. Returns the service's confirmation.
   * Throws INVALID_TOTP, TWO_FACTOR_NOT_ENABLED.
   */
  disable(code: string, options?: CallOptions): Promise<string>;
  /**
   * Replaces the recovery codes; takes six digits from the app or an old recovery code. Returns the new codes.
   * Throws INVALID_TOTP, TWO_FACTOR_NOT_ENABLED.
   */
  renewRecoveryCodes(code: string, options?: CallOptions): Promise<RecoveryCodes>;
  /**
   * Turns a lost second factor off with the token of a mailed link; needs no sign-in, and ends all sessions. Returns
   * the service's confirmation. Throws INVALID_TOKEN.
   */
  removeLost(token: string, options?: CallOptions): Promise<string>;
}

export const twoFactorMethods = (call: Call): TwoFactorMethods => ({
  enable: (options) => call.data("POST /auth/2fa/enable", options),
  verify: (code, options) => call.message("POST /auth/2fa/verify", { ...options, body: { token: code } }),
  disable: (code, options) => call.message("POST /auth/2fa/disable", { ...options, body: { token: code } }),
  renewRecoveryCodes: (code, options) =>
    call.data("POST /auth/2fa/recovery-codes", { ...options, body: { token: code } }),
  removeLost: (token, options) => call.message("POST /auth/2fa/remove", { ...options, body: { token }, as: "nobody" }),
});
