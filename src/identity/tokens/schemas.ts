/** The documents below `/.well-known` that tell other services how to verify access tokens. */
import * as z from "zod";
import { described } from "../../base/schemas/schemas";

const signingKey = { use: z.literal("sig"), kid: z.string(), x: z.string() };
const publicKey = z.union([
  z.object({ ...signingKey, kty: z.literal("OKP"), crv: z.literal("Ed25519"), alg: z.literal("EdDSA") }),
  z.object({ ...signingKey, kty: z.literal("EC"), crv: z.literal("P-256"), alg: z.literal("ES256"), y: z.string() }),
]);

export const keySet = described("KeySet", "Public keys that verify access tokens (RFC 7517).", () => ({
  keys: z.array(publicKey),
}));

const algorithms = z.array(z.enum(["EdDSA", "ES256"]));

export const discovery = described(
  "Discovery",
  "Who issues access tokens. It names no endpoint that there is not.",
  () => ({
    issuer: z.url(),
    jwks_uri: z.url(),
    subject_types_supported: z.array(z.literal("public")),
    id_token_signing_alg_values_supported: algorithms,
    access_token_signing_alg_values_supported: algorithms,
    claims_supported: z.array(z.string()),
    service_documentation: z.url(),
    postern_revoked_uri: z.url(),
  }),
);
