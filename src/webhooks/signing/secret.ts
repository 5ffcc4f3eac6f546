/** The secrets of subscriptions that are generated here. */
import { randomBytes, toBase64 } from "../../base/crypto/encoding";

const SECRET_BYTES = 32;

/** A random secret in the format of Standard Webhooks: `whsec_` and base64. */
export const newSecret = (): string => `whsec_${toBase64(randomBytes(SECRET_BYTES))}`;
