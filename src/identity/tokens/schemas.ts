/** The documents below `/.well-known` that tell other services how to verify access tokens. */
import * as z from "zod";
import { TOKEN_ALGORITHMS } from "../../base/crypto/signing-keys";
import { described } from "../../base/schemas/schemas";

const signingKey = { use: z.literal("sig"), kid: z.string() };
const ofCurve = { ...signingKey, x: z.string() };
const publicKey = z.union([
  z.object({ ...ofCurve, kty: z.literal("OKP"), crv: z.literal("Ed25519"), alg: z.literal("EdDSA") }),
  z.object({ ...ofCurve, kty: z.literal("EC"), crv: z.literal("P-256"), alg: z.literal("ES256"), y: z.string() }),
  z.object({ ...signingKey, kty: z.literal("RSA"), alg: z.literal("RS256"), n: z.string(), e: z.string() }),
]);

export const keySet = described("KeySet", "Public keys that verify access tokens (RFC 7517).", () => ({
  keys: z.array(publicKey),
}));

const algorithms = z.array(z.enum(TOKEN_ALGORITHMS));

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
