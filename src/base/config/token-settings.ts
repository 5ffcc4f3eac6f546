/** The settings of access tokens: what they say of who issued them, and how they are signed. */
import * as z from "zod";
import { TOKEN_ALGORITHMS } from "../crypto/signing-keys";
import { commaList, wholeNumber } from "../schemas/settings";

/** A key of the public metadata of a user, a tenant or a member, such as "tenant.plan". */
const METADATA_KEY = /^(user|tenant|member)\.[\w-]{1,64}$/;

/** The default of `TOKEN_ISSUER` before it could be empty. */
const FORMER_ISSUER = "postern";

export const ISSUER_VARIABLES = {
  TOKEN_ISSUER: {
    description:
      "The `iss` claim of access tokens, below which other services look for the keys. Empty: the origin of " +
      "`PUBLIC_URL`, or of `APP_URL` if that is empty. A new value is used after `TOKEN_KEY_DELAY_SECONDS`, and " +
      "tokens with the former one stay valid.",
    must: "be at most 200 characters, or empty",
    schema: z.string().trim().max(200).prefault(""),
  },
} as const;

export const TOKEN_VARIABLES = {
  ...ISSUER_VARIABLES,
  TOKEN_AUDIENCE: {
    description: "The `aud` claim of access tokens. Changing it invalidates the tokens in use; clients refresh.",
    must: "be 1 to 200 characters",
    schema: z.string().min(1).max(200),
  },
  TOKEN_ALGORITHM: {
    description:
      "How [tokens](tokens.md) are signed: `ES256` (ECDSA with P-256), `RS256` (RSA), which some libraries and " +
      "gateways want, or `EdDSA` (Ed25519), which [fewer libraries](verify-tokens.md#libraries) verify.",
    must: 'be "ES256", "RS256" or "EdDSA"',
    schema: z.enum(TOKEN_ALGORITHMS).prefault("ES256"),
  },
  TOKEN_RSA_KEY: {
    description:
      "The RSA key that signs with `RS256`, as PKCS #8 PEM, in place of one that the service makes itself. A secret, " +
      "not a variable; optional.",
    must: "be an RSA key of 2,048 to 4,096 bits as PKCS #8 PEM, or missing",
    schema: z.string().trim().optional(),
  },
  TOKEN_KEY_DELAY_SECONDS: {
    description:
      "How many seconds a new key, algorithm or issuer is published before it signs tokens, so that services that " +
      "keep a copy of the keys have it in time.",
    must: "be a whole number from 0 to 86400",
    schema: wholeNumber(0, 86_400).prefault("1200"),
  },
  TOKEN_METADATA: {
    description:
      "Which [public metadata](platform-api.md#metadata) access tokens carry: `user.<key>`, `tenant.<key>` or " +
      "`member.<key>`. Empty: none.",
    must: "be at most 20 comma-separated names such as tenant.plan, or empty",
    schema: commaList.pipe(z.array(z.string().regex(METADATA_KEY)).max(20)).prefault(""),
  },
} as const;

export interface Issuers {
  /** The issuer of new tokens. */
  tokenIssuer: string;
  /** The issuer of the tokens of versions that did not write down who signs. */
  formerTokenIssuer: string;
}

/** Returns the issuers. `url` is where the service is reached; undefined if that setting is malformed. */
export function readIssuers(read: (name: "TOKEN_ISSUER") => string, url: string | undefined): Issuers {
  const issuer = read("TOKEN_ISSUER");
  return {
    tokenIssuer: issuer || (URL.parse(url ?? "")?.origin ?? ""),
    formerTokenIssuer: issuer || FORMER_ISSUER,
  };
}
