/** What a signed-in user gives again, in requests. */
import { z } from "zod";
import { mailCode, mailCodeState } from "../mail-code/schemas";
import { givenPassword, opaqueToken } from "../wire/schemas";

const code = opaqueToken.meta({ description: "A TOTP or recovery code.", examples: ["123456"] });

/** For routes that also take a recent sign-in. */
export const proofFields = { password: givenPassword.optional(), totp: code.optional() };

const enteredCode = z.object({ state: mailCodeState, code: mailCode }).meta({ id: "EnteredCode" });

export const stepUpBody = z
  .object({ ...proofFields, mailCode: enteredCode.optional() })
  .refine(({ password, totp, mailCode }) => password !== undefined || totp !== undefined || mailCode !== undefined, {
    path: ["password"],
    message: "Give the password or a code",
  })
  .meta({ id: "StepUp" });
