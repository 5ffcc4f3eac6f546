/** What a signed-in user gives again, in requests. */
import { z } from "zod";
import { givenPassword, opaqueToken } from "../wire/schemas";

const code = opaqueToken.meta({ description: "A TOTP or recovery code.", examples: ["123456"] });

/** For routes that also take a recent sign-in. */
export const proofFields = { password: givenPassword.optional(), totp: code.optional() };

export const stepUpBody = z
  .object(proofFields)
  .refine(({ password, totp }) => password !== undefined || totp !== undefined, {
    path: ["password"],
    message: "Give the password or a code",
  })
  .meta({ id: "StepUp" });
