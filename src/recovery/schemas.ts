/** What crosses the wire about verification, reset and change of the password. */
import { z } from "zod";
import { email, givenPassword, newPassword, opaqueToken } from "../wire/schemas";

const mailedToken = opaqueToken.meta({ description: "From the mail.", examples: ["c0ffee".repeat(10)] });

export const verificationBody = z.object({ token: mailedToken }).meta({ id: "EmailVerification" });
export const forgotBody = z.object({ email }).meta({ id: "PasswordResetRequest" });
export const resetBody = z.object({ token: mailedToken, newPassword }).meta({ id: "PasswordReset" });
export const changeBody = z.object({ currentPassword: givenPassword, newPassword }).meta({ id: "PasswordChange" });
