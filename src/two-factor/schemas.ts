/** What crosses the wire about the second factor. */
import { z } from "zod";
import { opaqueToken } from "../wire/schemas";

export const codeBody = z
  .object({ token: opaqueToken.meta({ description: "A 6-digit TOTP code.", examples: ["123456"] }) })
  .meta({ id: "TotpCode" });

export const factorBody = z
  .object({ token: opaqueToken.meta({ description: "A 6-digit TOTP code or a recovery code.", examples: ["123456"] }) })
  .meta({ id: "FactorCode" });

export const enrolment = z
  .object({
    secret: z
      .string()
      .meta({ description: "Base32, to be typed in by hand.", examples: ["JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"] }),
    qrCodeUri: z.string().meta({
      description: "For authenticator apps, as a QR code.",
      examples: ["otpauth://totp/Postern:ada%40example.com?issuer=Postern&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"],
    }),
  })
  .meta({ id: "TwoFactorEnrolment" });

export const recoveryCodes = z
  .object({
    recoveryCodes: z
      .array(z.string())
      .length(10)
      .meta({
        description: "Single-use, shown once.",
        examples: [Array.from({ length: 10 }, () => "JBSW-Y3DP-EHPK-3PXP")],
      }),
  })
  .meta({ id: "RecoveryCodes" });

export type Enrolment = z.infer<typeof enrolment>;
