/** Password hashes as frameworks store them, in the form that an import takes. */
import { toBase64, utf8 } from "../../../base/crypto/encoding";

/** What stands before a hash where several kinds are stored: `{bcrypt}` of Spring, `{BLF-CRYPT}` of Dovecot. */
const SCHEME = /^\{[\w@.-]{1,40}\}(?=\$)/;

/** The hash as an import takes it; others as they are. */
export const inOwnForm = (hash: string): string =>
  ofPasslib(hash) ?? scryptOfWerkzeug(hash) ?? pbkdf2OfWerkzeug(hash) ?? hash.replace(SCHEME, "");

/** Passlib, of Flask and FastAPI, writes a dot for the plus of Base64. */
function ofPasslib(hash: string): string | undefined {
  const [, kind, rounds, ...rest] =
    hash.match(/^\$pbkdf2((?:-sha256|-sha512)?)\$(\d+)\$([./A-Za-z0-9]+)\$([./A-Za-z0-9]+)$/) ?? [];
  if (rounds === undefined) return undefined;
  const [salt, key] = rest.map((part) => part.replaceAll(".", "+"));
  return `$pbkdf2${kind}$i=${rounds}$${salt}$${key}`;
}

/** Flask's default: the salt as text, and the key in hexadecimal. */
export function scryptOfWerkzeug(hash: string): string | undefined {
  const [, n, r, p, salt, key] = hash.match(/^scrypt:(\d+):(\d+):(\d+)\$([^$]+)\$([0-9a-f]+)$/i) ?? [];
  const logN = Math.log2(Number(n));
  if (!salt || !key || !Number.isInteger(logN)) return undefined;
  return `$scrypt$ln=${logN},r=${r},p=${p}$${toBase64(utf8(salt))}$${base64OfHex(key)}`;
}

function pbkdf2OfWerkzeug(hash: string): string | undefined {
  const [, digest, rounds, salt, key] = hash.match(/^pbkdf2:(sha1|sha256|sha512):(\d+)\$([^$]+)\$([0-9a-f]+)$/) ?? [];
  return salt && key && `$pbkdf2-${digest}$i=${rounds}$${toBase64(utf8(salt))}$${base64OfHex(key)}`;
}

export const base64OfHex = (hex: string): string =>
  btoa(String.fromCharCode(...(hex.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16))));
