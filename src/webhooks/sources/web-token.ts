/** JSON Web Tokens (RFC 7519) that sign a call: they have the SHA-256 of its body in a claim. */
import { errors, importSPKI, type JWTPayload, jwtVerify } from "jose";
import { fromAnyBase64, sha256OfBytes, toHex } from "../../base/crypto/encoding";
import type { InboundCall, WebToken } from "./inbound-call";
import type { SourceOptions } from "./option-schemas";
import { keyOf } from "./secrets";

/** What FusionAuth and Plaid call it. */
const BODY_CLAIM = "request_body_sha256";
const PEM = "-----BEGIN PUBLIC KEY-----";
/** By what the secret is: a token chooses among these only, so that nobody makes an HMAC with a public key. */
const OF_SECRETS = ["HS256", "HS384", "HS512"];
const OF_PUBLIC_KEYS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"];
/** One of each kind of key. */
const KINDS = ["RS256", "ES256", "ES384", "ES512", "EdDSA"];

type Verdict = "signature" | "timestamp" | null;

/** Returns why the token of a call is refused, or null. Any of the secrets may have signed it. */
export async function refusalOfToken(
  given: WebToken,
  { options, secrets }: { options: SourceOptions; secrets: readonly string[] },
  body: InboundCall["body"],
  nowMs: number,
): Promise<Verdict> {
  const bodySha256 = await sha256OfBytes(body);
  const verdicts = await Promise.all(
    secrets.map((secret) => refusalBy(given, { options, secret }, { bodySha256, nowMs })),
  );
  return verdicts.includes(null) ? null : (verdicts.find((one) => one === "timestamp") ?? "signature");
}

async function refusalBy(
  { jwt }: WebToken,
  { options, secret }: { options: SourceOptions; secret: string },
  { bodySha256, nowMs }: { bodySha256: string; nowMs: number },
): Promise<Verdict> {
  const { toleranceSeconds = 0, bodyClaim = BODY_CLAIM } = options.verification ?? {};
  try {
    const rules = { currentDate: new Date(nowMs), clockTolerance: toleranceSeconds };
    const { payload } = isPublicKey(secret)
      ? await jwtVerify(jwt, ({ alg }) => importSPKI(secret, alg), { ...rules, algorithms: OF_PUBLIC_KEYS })
      : await jwtVerify(jwt, keyOf("hmac", options, secret).bytes, { ...rules, algorithms: OF_SECRETS });
    if (!isHash(payload[bodyClaim], bodySha256)) return "signature";
    return isTimely(payload, nowMs / 1000, toleranceSeconds) ? null : "timestamp";
  } catch (error) {
    const isLate = error instanceof errors.JWTExpired || error instanceof errors.JWTClaimValidationFailed;
    return isLate ? "timestamp" : "signature";
  }
}

/** Whether a token was made now, if it says when. */
const isTimely = ({ iat }: JWTPayload, nowSeconds: number, toleranceSeconds: number): boolean =>
  iat === undefined || Math.abs(Math.floor(nowSeconds) - iat) <= toleranceSeconds;

/** Whether a claim is the hash, in hexadecimal or base64. */
function isHash(claim: unknown, sha256: string): boolean {
  if (typeof claim !== "string") return false;
  if (claim.toLowerCase() === sha256) return true;
  try {
    return toHex(fromAnyBase64(claim)) === sha256;
  } catch {
    return false;
  }
}

const isPublicKey = (secret: string): boolean => secret.startsWith(PEM);

/** Throws for a secret that is neither in the form that secretEncoding says nor a public key as PEM. */
export async function checkTokenSecret(options: SourceOptions, secret: string): Promise<void> {
  if (!isPublicKey(secret)) keyOf("hmac", options, secret);
  else await Promise.any(KINDS.map((algorithm) => importSPKI(secret, algorithm)));
}
