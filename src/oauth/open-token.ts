/** Reading the tokens that apps show us. */
import { errors, type JWTPayload, jwtVerify } from "jose";
import { TOKEN_ALGORITHMS } from "../base/crypto/signing-keys";
import type { Deps } from "../base/deps";

/** What a token of ours says; null for anything else. Each place takes its own `typ` and audience only. */
export async function openToken(
  deps: Deps,
  token: string,
  { typ, audience, isExpiredToo = false }: { typ: string; audience?: string; isExpiredToo?: boolean },
): Promise<JWTPayload | null> {
  const keyOf = async (header: { kid?: string; alg?: string }) => {
    const key = await deps.signers.keyOf(header);
    if (!key) throw new errors.JWKSNoMatchingKey();
    return key.publicKey;
  };
  try {
    const { payload } = await jwtVerify(token, keyOf, {
      algorithms: [...TOKEN_ALGORITHMS],
      typ,
      issuer: deps.config.tokenIssuer,
      ...(audience === undefined ? {} : { audience }),
      requiredClaims: ["sub", "sid", "iat", "exp"],
      currentDate: new Date(isExpiredToo ? 0 : deps.now()),
    });
    return payload;
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError) return null;
    throw error;
  }
}
