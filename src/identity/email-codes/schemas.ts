/** Mailed codes in requests. */
import { described, opaqueToken } from "../../base/schemas/schemas";

export const mailCode = opaqueToken.meta({ description: "The six digits from the mail.", examples: ["123456"] });

/** Encrypted: two thirds of it are base64 of the address, of at most 254 characters. */
export const mailCodeState = opaqueToken.meta({
  description: "From the answer to the request for the code.",
  examples: ["1f2e3d4c.AAAA.BBBB"],
});

export const enteredCode = described("EnteredCode", "A code from a mail.", () => ({
  state: mailCodeState,
  code: mailCode,
}));
