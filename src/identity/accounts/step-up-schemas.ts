/** What a signed-in user gives again, in requests. */
import * as z from "zod";
import { described, givenPassword, opaqueToken } from "../../base/schemas/schemas";
import { enteredCode } from "../email-codes/schemas";
import { assertion, passkeyState } from "../passkeys/webauthn/schemas";

const code = opaqueToken.meta({ description: "A TOTP or recovery code.", examples: ["123456"] });

/** For routes that accept a recent sign-in instead. */
export const stepUpFields = { password: givenPassword.optional(), totp: code.optional() };

/** What the routes that change something say about the confirmation. */
export const CONFIRMED = "Needs a sign-in within the last ten minutes, or the password or a code.";

export const operatorCredentials = described(
  "OperatorConfirmation",
  "What proves again who the operator is: the password, a code, or both.",
  () => stepUpFields,
);

const shownPasskey = described("ShownPasskey", "The answer to request options.", () => ({
  state: passkeyState,
  response: assertion,
}));

export const stepUpBody = z
  .object({
    ...stepUpFields,
    mailCode: enteredCode.optional().meta({ description: "A code from a mail to the user's address." }),
    signOn: opaqueToken.optional().meta({
      description:
        "The code of a sign-on with `purpose=step-up`, in the browser that has it; for sessions that a sign-on has " +
        "opened.",
    }),
    passkey: shownPasskey.optional().meta({ description: "The answer to the options of a confirmation." }),
  })
  .refine((given) => Object.values(given).some((credential) => credential !== undefined), {
    path: ["password"],
    message: "Give the password, a code or a passkey",
  })
  .meta({
    id: "StepUp",
    description:
      "What confirms a session before something that cannot be undone: the password, a code, a passkey, or several " +
      "of them.",
  });
