/** The documents below `/.well-known` that tell other services how to verify access tokens. */
import * as z from "zod";
import { described } from "../../base/schemas/schemas";

const signingKey = { use: z.literal("sig"), kid: z.string() };
const ofCurve = { ...signingKey, x: z.string() };
const publicKey = z.discriminatedUnion("kty", [
  z
    .object({ ...ofCurve, kty: z.literal("OKP"), crv: z.literal("Ed25519"), alg: z.literal("EdDSA") })
    .meta({ id: "EdwardsPublicKey", description: "A key of Ed25519 (RFC 8037)." }),
  z
    .object({ ...ofCurve, kty: z.literal("EC"), crv: z.literal("P-256"), alg: z.literal("ES256"), y: z.string() })
    .meta({ id: "EllipticPublicKey", description: "A key of P-256 (RFC 7518 section 6.2)." }),
  z
    .object({ ...signingKey, kty: z.literal("RSA"), alg: z.literal("RS256"), n: z.string(), e: z.string() })
    .meta({ id: "RsaPublicKey", description: "A key of RSA (RFC 7518 section 6.3)." }),
]);

export const keySet = described("KeySet", "Public keys that verify access tokens (RFC 7517).", () => ({
  keys: z.array(publicKey),
}));

const algorithms = z.array(z.enum(["EdDSA", "ES256", "RS256"]));

const names = z.array(z.string());
/** While apps can sign people in. */
const endpointsOfApps = {
  authorization_endpoint: z.url().optional(),
  token_endpoint: z.url().optional(),
  userinfo_endpoint: z.url().optional(),
  end_session_endpoint: z.url().optional(),
  revocation_endpoint: z.url().optional(),
  introspection_endpoint: z.url().optional(),
  pushed_authorization_request_endpoint: z.url().optional(),
  device_authorization_endpoint: z.url().optional(),
  registration_endpoint: z.url().optional(),
  client_id_metadata_document_supported: z.boolean().optional(),
  scopes_supported: names.optional(),
  response_types_supported: names.optional(),
  response_modes_supported: names.optional(),
  grant_types_supported: names.optional(),
  token_endpoint_auth_methods_supported: names.optional(),
  token_endpoint_auth_signing_alg_values_supported: names.optional(),
  revocation_endpoint_auth_methods_supported: names.optional(),
  introspection_endpoint_auth_methods_supported: names.optional(),
  dpop_signing_alg_values_supported: names.optional(),
  code_challenge_methods_supported: names.optional(),
  prompt_values_supported: names.optional(),
  acr_values_supported: names.optional(),
  request_parameter_supported: z.boolean().optional(),
  request_uri_parameter_supported: z.boolean().optional(),
  claims_parameter_supported: z.boolean().optional(),
  authorization_response_iss_parameter_supported: z.boolean().optional(),
  backchannel_logout_supported: z.boolean().optional(),
  backchannel_logout_session_supported: z.boolean().optional(),
};

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
    ...endpointsOfApps,
    service_documentation: z.url(),
    postern_revoked_uri: z.url(),
  }),
);

export const resourceMetadata = z
  .object({
    resource: z.url(),
    authorization_servers: z.array(z.url()),
    scopes_supported: names,
    bearer_methods_supported: names,
    resource_name: z.string(),
  })
  .meta({ id: "ResourceMetadata", description: "How apps get tokens for this API (RFC 9728)." });
