/** Two-factor authentication in requests and answers. */
import * as z from "zod";
import { described, opaqueToken } from "../../base/schemas/schemas";

export const codeBody = z
  .object({ token: opaqueToken.meta({ description: "A 6-digit TOTP code.", examples: ["123456"] }) })
  .meta({ id: "TotpCode" });

export const factorBody = z
  .object({ token: opaqueToken.meta({ description: "A 6-digit TOTP code or a recovery code.", examples: ["123456"] }) })
  .meta({ id: "FactorCode" });

export const enrolment = described("TwoFactorEnrolment", "What an authenticator app needs.", () => ({
  secret: z
    .string()
    .meta({ description: "Base32, for typing in by hand.", examples: ["JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"] }),
  qrCodeUri: z.string().meta({
    description: "The content of the QR code for authenticator apps.",
    examples: ["otpauth://totp/Postern:ada%40example.com?issuer=Postern&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"],
  }),
}));

export const recoveryCodes = described(
  "RecoveryCodes",
  "Ten codes, each of which replaces the authenticator app once. Show them now: the service cannot return them " +
    "again.",
  () => ({
    recoveryCodes: z
      .array(z.string())
      .length(10)
      .meta({
        description: "Each works once. They are shown only now.",
        examples: [Array.from({ length: 10 }, () => "JBSW-Y3DP-EHPK-3PXP")],
      }),
  }),
);

export type Enrolment = z.infer<typeof enrolment>;
