/** The discovery document of the issuer of access tokens (OpenID Connect Discovery 1.0, RFC 8414). */
import type * as z from "zod";
import type { TokenAlgorithm } from "../../base/crypto/signing-keys";
import type { Deps } from "../../base/deps";
import { AppError } from "../../base/errors";
import type { discovery } from "./schemas";

const CLAIMS = [
  "iss",
  "aud",
  "sub",
  "sid",
  "tid",
  "role",
  "scope",
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
  const algorithms = [...new Set((await signers.published()).map(({ alg }) => alg as TokenAlgorithm))];
  return {
    issuer,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: algorithms,
    access_token_signing_alg_values_supported: algorithms,
    claims_supported: CLAIMS,
    service_documentation: `${issuer}/docs/verify-tokens`,
    postern_revoked_uri: `${issuer}/.well-known/revoked`,
  };
}
