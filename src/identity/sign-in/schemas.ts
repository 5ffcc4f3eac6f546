/** Registration and login in requests and answers. */
import * as z from "zod";
import { answer } from "../../platform/schemas/answer";

import { captchaToken, email, givenPassword, name, newPassword, opaqueToken } from "../../platform/schemas/schemas";
import { tenantName } from "../../tenancy/tenants/name";

import { enteredCode, mailCode, mailCodeState } from "../email-codes/schemas";
import { assertion, attestation, passkeyName, passkeyState } from "../passkeys/webauthn/schemas";

const registrant = z.object({
  email,
  name: name.optional().meta({ examples: ["Ada Lovelace"] }),
  tenantName: tenantName.optional().meta({
    description:
      "The name of the new tenant: at most 64 characters, without a host or URL. Ignored with an invitation.",
    examples: ["Analytical Engines"],
  }),
  invitationToken: opaqueToken.optional().meta({
    description: "The token in the link of an invitation mail. The user joins that tenant instead of creating one.",
    examples: ["c0ffee"],
  }),
  captchaToken,
});

export const registration = registrant
  .extend({ password: newPassword })
  .meta({ id: "Registration", description: "A new account." });

export const passkeyRegistrant = registrant.meta({
  id: "PasskeyRegistrant",
  description: "A new account that gets a passkey in place of a password.",
});

export const passkeyRegistration = z
  .object({ state: passkeyState, response: attestation, name: passkeyName })
  .meta({ id: "PasskeyRegistration", description: "The answer to the options of a registration." });

const totp = opaqueToken.optional().meta({
  description: "A TOTP or recovery code. Required when two-factor authentication is on.",
  examples: ["123456"],
});
const tenantId = opaqueToken.optional().meta({ description: "One of the user's tenants. Missing: the one used last." });

export const credentials = z
  .object({ email, password: givenPassword, totp, tenantId, captchaToken })
  .meta({ id: "Credentials", description: "What proves who signs in." });

/**
 * A login whose password was right and whose second factor is still missing. It stops being valid when the password
 * changes. The digest is keyed, so that it reveals nothing about the password.
 */
const pending = z.object({ userId: z.string(), passwordDigest: z.string() });

export type PendingLogin = z.infer<typeof pending>;

/** The second step of a login. */
export const secondStep = credentials.pick({ totp: true }).required().extend({ pending });

export const codeRequest = z.object({ email, captchaToken }).meta({ id: "CodeRequest" });

export const requestedCode = answer("RequestedCode", "A requested code, which is sent by mail.", () => ({
  state: mailCodeState.meta({ description: "Send it with the code. Keep it on the device that asked for the code." }),
}));

export const codeCredentials = z
  .object({ state: mailCodeState, code: mailCode, totp, tenantId })
  .meta({ id: "CodeCredentials", description: "What proves who signs in with a code from a mail." });

export const passkeyLogin = z
  .object({
    state: passkeyState,
    response: assertion,
    tenantId: opaqueToken.optional().meta({ description: "One of the user's tenants. Missing: the one used last." }),
  })
  .meta({ id: "PasskeyLogin", description: "The answer to the options of a login." });

export const exchange = z
  .object({
    code: opaqueToken.meta({ description: "The `code` that `APP_URL/oauth` was opened with.", examples: ["c0ffee"] }),
    totp: credentials.shape.totp,
    tenantId: credentials.shape.tenantId,
    mailCode: enteredCode.optional().meta({
      description:
        "After `CONFLICT`, a code from `POST /auth/code` for the address: it links the provider to the account that " +
        "has the address, unless LINK_BY_EMAIL is `never`.",
    }),
  })
  .meta({ id: "OauthExchange", description: "The result of a sign-in with a provider." });
