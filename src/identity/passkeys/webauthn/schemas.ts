/** Passkeys in requests and answers. Options and responses have the JSON form of WebAuthn level 3. */
import * as z from "zod";
import { described, name, opaqueToken, time } from "../../../base/schemas/schemas";

const EXAMPLE_ID = "mX1Zc2Vjb25kLXBhc3NrZXk";
const EXAMPLE_CHALLENGE = "b1Vh0n2lT5yq3k8cJw7xRr4dQe6sZpMfUgHaLtNvYkE";

/** In base64url, the 1,023 bytes that a credential id has at most. */
const MAX_ID_CHARACTERS = 1364;
const MAX_TRANSPORTS = 10;

const base64url = (maxCharacters: number) =>
  z
    .string()
    .min(1)
    .max(maxCharacters)
    .regex(/^[A-Za-z0-9_-]+$/, "Must be base64url without padding");

const credentialId = base64url(MAX_ID_CHARACTERS).meta({
  description: "The id that the authenticator gave the passkey, in base64url.",
  examples: [EXAMPLE_ID],
});

const transport = z.string().min(1).max(32);
const publicKeyType = z.literal("public-key");

export const attestation = described(
  "PasskeyAttestation",
  "What `navigator.credentials.create` returned, as its `toJSON()`.",
  () => ({
    id: credentialId,
    type: publicKeyType,
    response: z.object({
      clientDataJSON: base64url(4096),
      attestationObject: base64url(16_384),
      transports: z.array(transport).max(MAX_TRANSPORTS).optional(),
    }),
  }),
);

export type Attestation = z.infer<typeof attestation>;

export const assertion = described(
  "PasskeyAssertion",
  "What `navigator.credentials.get` returned, as its `toJSON()`.",
  () => ({
    id: credentialId,
    type: publicKeyType,
    response: z.object({
      clientDataJSON: base64url(4096),
      authenticatorData: base64url(4096),
      signature: base64url(2048),
      userHandle: base64url(128).nullish(),
    }),
  }),
);

export type Assertion = z.infer<typeof assertion>;

export const passkeyState = opaqueToken.meta({
  description: "The `state` that came with the options. It works once, within five minutes.",
  examples: ["3f1c09ab.c3RhdGU=.c2VhbGVk"],
});

const challenge = base64url(64).meta({ examples: [EXAMPLE_CHALLENGE] });
const named = z.array(z.object({ type: publicKeyType, id: credentialId, transports: z.array(transport) }));
const timeout = z.int().meta({ description: "In milliseconds.", examples: [300_000] });
const userVerification = z.literal("required");
const host = z.string().meta({ description: "The host of `APP_URL`.", examples: ["app.example.com"] });
const state = z
  .string()
  .meta({ description: "Send it back with the answer.", examples: ["3f1c09ab.c3RhdGU=.c2VhbGVk"] });

const expiresAt = time.meta({ description: "Until when the answer is accepted." });

export const creationOptions = described("PasskeyCreationOptions", "The options for making a passkey.", () => ({
  state,
  options: z
    .object({
      rp: z.object({ id: host, name: z.string().meta({ examples: ["Postern"] }) }),
      user: z.object({ id: base64url(128), name: z.string(), displayName: z.string() }),
      challenge,
      pubKeyCredParams: z.array(z.object({ type: publicKeyType, alg: z.int() })),
      timeout,
      excludeCredentials: named,
      authenticatorSelection: z.object({
        residentKey: z.literal("required"),
        requireResidentKey: z.literal(true),
        userVerification,
      }),
      attestation: z.literal("none"),
    })
    .meta({ description: "For `PublicKeyCredential.parseCreationOptionsFromJSON`." }),
  expiresAt,
}));

export type CreationOptions = z.infer<typeof creationOptions>;

export const requestOptions = described(
  "PasskeyRequestOptions",
  "The options for signing in or confirming with a passkey.",
  () => ({
    state,
    options: z
      .object({ challenge, rpId: host, timeout, allowCredentials: named, userVerification })
      .meta({ description: "For `PublicKeyCredential.parseRequestOptionsFromJSON`." }),
    expiresAt,
  }),
);

export type RequestOptions = z.infer<typeof requestOptions>;

export const passkeyName = name
  .max(64)
  .meta({ description: "1 to 64 characters in one line.", examples: ["Ada's phone"] });

export const passkey = described("Passkey", "A passkey of the user.", () => ({
  id: credentialId,
  name: z.string().meta({ examples: ["Ada's phone"] }),
  backedUp: z.boolean().meta({ description: "Whether it is synchronised to the user's other devices." }),
  transports: z.array(z.string()).meta({
    description: "How the browser reaches the authenticator, such as `internal`, `hybrid` or `usb`.",
    examples: [["internal", "hybrid"]],
  }),
  aaguid: z.string().meta({
    description: "The model of the authenticator, in hex; zeros if it does not say, empty for an imported passkey.",
    examples: ["fbfc3007154e4ecc8c0b6e020557d7bd"],
  }),
  createdAt: time,
  lastUsedAt: time.nullable().meta({ description: "Null: never." }),
}));

export type Passkey = z.infer<typeof passkey>;
