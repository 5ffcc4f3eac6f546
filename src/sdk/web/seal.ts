/** What the browser keeps for the app, encrypted (AES-256-GCM) with a key that is derived from its secret. */
import { utf8 } from "../../base/crypto/encoding";
import { fromBase64Url, toBase64Url } from "../base64url";

const IV_BYTES = 12;

export interface Seal {
  seal(purpose: string, value: unknown): Promise<string>;
  /** Null for anything that was not sealed with this secret for this purpose. */
  open<T>(purpose: string, sealed: string): Promise<T | null>;
}

export function createSeal(secret: string): Seal {
  let key: Promise<CryptoKey> | undefined;
  const sealing = (purpose: string, iv: Uint8Array<ArrayBuffer>) => ({
    name: "AES-GCM",
    iv,
    additionalData: utf8(`postern web ${purpose}`),
  });
  return {
    async seal(purpose, value) {
      key ??= deriveKey(secret);
      const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
      const sealed = await crypto.subtle.encrypt(sealing(purpose, iv), await key, utf8(JSON.stringify(value)));
      return `${toBase64Url(iv)}.${toBase64Url(new Uint8Array(sealed))}`;
    },
    async open<T>(purpose: string, text: string) {
      key ??= deriveKey(secret);
      const [iv = "", sealed = ""] = text.split(".");
      try {
        const opened = await crypto.subtle.decrypt(
          sealing(purpose, fromBase64Url(iv)),
          await key,
          fromBase64Url(sealed),
        );
        return JSON.parse(new TextDecoder().decode(opened)) as T;
      } catch {
        return null;
      }
    },
  };
}

async function deriveKey(secret: string): Promise<CryptoKey> {
  const root = await crypto.subtle.importKey("raw", utf8(secret), "HKDF", false, ["deriveKey"]);
  const hkdf = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: utf8("postern/web/v1") };
  return crypto.subtle.deriveKey(hkdf, root, { name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
}
