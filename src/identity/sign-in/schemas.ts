/** Registration and login in requests and answers. */
import * as z from "zod";

import {
  captchaToken,
  chosenTenantId,
  described,
  email,
  givenPassword,
  name,
  newPassword,
  opaqueToken,
} from "../../base/schemas/schemas";
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

export const passkeyRegistration = described(
  "PasskeyRegistration",
  "The answer to the options of a registration.",
  () => ({ state: passkeyState, response: attestation, name: passkeyName }),
);

const totp = z
  .string()
  .max(1000)
  .optional()
  .transform((text) => text || undefined)
  .meta({
    description: "A TOTP or recovery code. Required when two-factor authentication is on.",
    examples: ["123456"],
  });
const tenantId = chosenTenantId
  .optional()
  .meta({ description: "One of the user's tenants. Missing: the one used last." });

export const credentials = described("Credentials", "What proves who signs in.", () => ({
  email,
  password: givenPassword,
  totp,
  tenantId,
  captchaToken,
}));

/**
 * A login whose password was right and whose second factor is still missing. It stops being valid when the password
 * changes. The digest is keyed, so that it reveals nothing about the password.
 */
const pending = z.object({ userId: z.string(), passwordDigest: z.string() });

export type PendingLogin = z.infer<typeof pending>;

/** The second step of a login. */
export const secondStep = z.object({ totp: opaqueToken, pending });

export const codeRequest = z.object({ email, captchaToken }).meta({ id: "CodeRequest" });

export const requestedCode = described("RequestedCode", "A requested code, which is sent by mail.", () => ({
  state: mailCodeState.meta({ description: "Send it with the code. Keep it on the device that asked for the code." }),
}));

export const codeCredentials = described(
  "CodeCredentials",
  "What proves who signs in with a code from a mail.",
  () => ({ state: mailCodeState, code: mailCode, totp, tenantId }),
);

export const passkeyLogin = described("PasskeyLogin", "The answer to the options of a login.", () => ({
  state: passkeyState,
  response: assertion,
  tenantId,
}));

export const exchange = described("OauthExchange", "The result of a sign-in with a provider.", () => ({
  code: opaqueToken.meta({ description: "The `code` that `APP_URL/oauth` was opened with.", examples: ["c0ffee"] }),
  totp,
  tenantId,
  mailCode: enteredCode.optional().meta({
    description:
      "After `EMAIL_NOT_VERIFIED` with `next: email-code`, the code that was mailed: it proves the address. After " +
      "`CONFLICT`, a code from `POST /auth/code` for the address: it links the provider to the account that has the " +
      "address, unless LINK_BY_EMAIL is `never`.",
  }),
}));
