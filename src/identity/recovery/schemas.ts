/** Email verification, password reset and password change in requests. */
import * as z from "zod";
import { captchaToken, described, email, givenPassword, newPassword, opaqueToken } from "../../base/schemas/schemas";

const mailedToken = opaqueToken.meta({ description: "The token in the mailed link.", examples: ["c0ffee".repeat(10)] });

export const verificationBody = z.object({ token: mailedToken }).meta({ id: "EmailVerification" });
export const notMeBody = z.object({ token: mailedToken }).meta({ id: "NotMeReport" });
export const factorRemoval = z.object({ token: mailedToken }).meta({ id: "TwoFactorRemoval" });
export const forgotBody = z.object({ email, captchaToken }).meta({ id: "PasswordResetRequest" });

const endCredentials = z
  .boolean()
  .default(false)
  .meta({
    description:
      "Also ends all API keys, passkeys and sign-ins with providers. Those from before the address was verified " +
      "always end.",
  });

export const resetBody = described(
  "PasswordReset",
  "A new password for an account whose password is forgotten.",
  () => ({
    token: mailedToken,
    newPassword,
    endCredentials,
  }),
);
export const changeBody = described("PasswordChange", "A new password for the signed-in account.", () => ({
  currentPassword: givenPassword,
  newPassword,
}));
