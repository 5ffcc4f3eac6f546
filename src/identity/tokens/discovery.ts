/** The discovery document of the issuer of access tokens (OpenID Connect Discovery 1.0, RFC 8414). */
import type * as z from "zod";
import type { TokenAlgorithm } from "../../base/crypto/signing-keys";
import type { Deps } from "../../base/deps";
import { AppError } from "../../base/errors";
import { OAUTH_PATH } from "../../base/paths";
import { ASSERTION_ALGORITHMS, DEVICE_GRANT, GRANT_TYPES, SIGN_IN_SCOPES } from "../../base/schemas/client-settings";
import type { discovery } from "./schemas";

const CLAIMS = [
  "iss",
  "aud",
  "sub",
  "sid",
  "tid",
  "role",
  "scope",
  "permissions",
  "metadata",
  "iat",
  "exp",
  "jti",
  "client_id",
  "external_id",
  "tenant_external_id",
  "auth_time",
  "amr",
  "second_factor_due",
];

/** Those of ID tokens and of userinfo. */
const CLAIMS_OF_APPS = [
  "azp",
  "nonce",
  "acr",
  "at_hash",
  "cnf",
  "name",
  "updated_at",
  "ext",
  "email",
  "email_verified",
  "tenant_name",
  "tenant_ext",
];

const PROOFS = ["client_secret_basic", "client_secret_post", "private_key_jwt"];

/** What apps need besides. */
const forApps = ({ tokenIssuer: issuer, oauthClientMetadata, oauthRegistration }: Deps["config"]) => ({
  authorization_endpoint: `${issuer}${OAUTH_PATH}/authorize`,
  token_endpoint: `${issuer}${OAUTH_PATH}/token`,
  userinfo_endpoint: `${issuer}${OAUTH_PATH}/userinfo`,
  end_session_endpoint: `${issuer}${OAUTH_PATH}/logout`,
  revocation_endpoint: `${issuer}${OAUTH_PATH}/revoke`,
  introspection_endpoint: `${issuer}${OAUTH_PATH}/introspect`,
  pushed_authorization_request_endpoint: `${issuer}${OAUTH_PATH}/par`,
  device_authorization_endpoint: `${issuer}${OAUTH_PATH}/device`,
  scopes_supported: [...SIGN_IN_SCOPES],
  response_types_supported: ["code"],
  response_modes_supported: ["query", "form_post"],
  grant_types_supported: GRANT_TYPES.map((type) => (type === "device_code" ? DEVICE_GRANT : type)),
  token_endpoint_auth_methods_supported: [...PROOFS, "none"],
  token_endpoint_auth_signing_alg_values_supported: [...ASSERTION_ALGORITHMS],
  revocation_endpoint_auth_methods_supported: [...PROOFS, "none"],
  introspection_endpoint_auth_methods_supported: PROOFS,
  dpop_signing_alg_values_supported: [...ASSERTION_ALGORITHMS],
  code_challenge_methods_supported: ["S256"],
  prompt_values_supported: ["none", "login", "consent", "select_account", "create"],
  acr_values_supported: ["urn:postern:acr:1", "urn:postern:acr:2", "phr"],
  request_parameter_supported: false,
  // Its default is true.
  request_uri_parameter_supported: false,
  claims_parameter_supported: false,
  authorization_response_iss_parameter_supported: true,
  ...(oauthClientMetadata !== "off" ? { client_id_metadata_document_supported: true } : {}),
  ...(oauthRegistration === "on" ? { registration_endpoint: `${issuer}${OAUTH_PATH}/register` } : {}),
  backchannel_logout_supported: true,
  backchannel_logout_session_supported: true,
});

/**
 * Names no endpoint that there is not, and leaves out what would be empty (RFC 8414 section 3.2).
 * Throws NOT_FOUND unless the issuer is an http or https origin.
 */
export async function discoveryDocument({ config, signers }: Deps): Promise<z.output<typeof discovery>> {
  const issuer = config.tokenIssuer;
  const url = URL.parse(issuer);
  if (!url || !/^https?:$/.test(url.protocol) || url.origin !== issuer) {
    throw new AppError("NOT_FOUND", { message: "Set PUBLIC_URL to publish this." });
  }
  const algorithms: TokenAlgorithm[] = [
    ...new Set((await signers.published()).map(({ alg }) => alg as TokenAlgorithm)),
  ];
  return {
    issuer,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: algorithms,
    access_token_signing_alg_values_supported: algorithms,
    claims_supported: config.oauthServer === "on" ? [...CLAIMS, ...CLAIMS_OF_APPS] : CLAIMS,
    ...(config.oauthServer === "on" ? forApps(config) : {}),
    service_documentation: `${issuer}/docs/verify-tokens`,
    postern_revoked_uri: `${issuer}/.well-known/revoked`,
  };
}
