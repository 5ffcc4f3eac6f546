/** What connections by SAML 2.0 have of their own, in requests and answers. */
import * as z from "zod";
import { time } from "../../base/schemas/schemas";
import { change, text } from "./field-schemas";

const MAX_METADATA_CHARACTERS = 128 * 1024;
const MAX_CERTIFICATE_CHARACTERS = 8 * 1024;
const MAX_URL_CHARACTERS = 2_048;
const EXAMPLE_METADATA = "https://acme.okta.com/app/exk1a2b3/sso/saml/metadata";

const entityId = text(1_024).meta({
  description: "What the identity provider calls itself: the issuer of its assertions.",
});
const ssoUrl = text(MAX_URL_CHARACTERS).meta({
  description: "Where people sign in there, by the redirect binding: https.",
});

export const samlChange = z
  .strictObject({
    metadata: change(z.string().min(1).max(MAX_METADATA_CHARACTERS)).meta({
      description: "The provider's metadata (XML). It gives all of the following.",
    }),
    metadataUrl: change(text(MAX_URL_CHARACTERS)).meta({ description: "Where its metadata is, which is read once." }),
    entityId: change(entityId),
    ssoUrl: change(ssoUrl),
    certificates: change(z.array(z.string().min(1).max(MAX_CERTIFICATE_CHARACTERS)).max(2)).meta({
      description:
        "With what it signs assertions: X.509, as PEM or base64, of an RSA key of at least 2,048 bits or of P-256. " +
        "Two for as long as one takes the place of the other.",
    }),
  })
  .meta({
    description: "`metadata`, or `metadataUrl`, or `entityId`, `ssoUrl` and `certificates`.",
    examples: [{ metadataUrl: EXAMPLE_METADATA }],
  });

export type SamlChange = z.infer<typeof samlChange>;

const certificate = z
  .object({
    certificate: z.string().meta({ description: "The certificate (DER) in base64." }),
    notAfter: time,
    fingerprint: z.string().meta({ description: "SHA-256 of the certificate, in hex." }),
  })
  .meta({ id: "SigningCertificate", description: "With what an identity provider signs its assertions." });

export const samlShown = z.object({
  entityId: z.string().nullable(),
  ssoUrl: z.string().nullable(),
  certificates: z.array(certificate),
});

export const samlExported = z.object({
  entityId: z.string().nullable(),
  ssoUrl: z.string().nullable(),
  certificates: z.array(z.string()),
});

export const serviceProvider = z
  .object({ entityId: z.string(), acsUrl: z.url(), metadataUrl: z.url() })
  .meta({ id: "SamlServiceProvider", description: "What is entered at an identity provider that speaks SAML 2.0." });
