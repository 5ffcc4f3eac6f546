/** The TXT record with which a tenant proves that a domain is its own. */
import { Secret } from "otpauth/bare";
import type { KeyRing, KeySet } from "../../base/crypto/keys";

/** 32 characters of base32. */
const VALUE_BITS = 160;

export const challengeName = (domain: string): string => `_postern-challenge.${domain}`;

/**
 * What the record may say, newest first: one value for each entry of `SECRET_KEYS`. No other tenant has the same for
 * this domain, so what one tenant has entered proves nothing for another.
 */
export const challengeValues = (keys: KeyRing, tenantId: string, domain: string): Promise<string[]> =>
  Promise.all(keys.map((key) => challengeValue(key, tenantId, domain)));

/** HKDF is HMAC by a derived key (RFC 5869, section 2.3). */
async function challengeValue({ bytesFor }: KeySet, tenantId: string, domain: string): Promise<string> {
  const bytes = await bytesFor(`domain/${tenantId}/${domain}`, VALUE_BITS);
  return `postern-domain-verification=${new Secret({ buffer: bytes.buffer }).base32}`;
}
