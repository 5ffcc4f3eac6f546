/** The methods of a session in the words of RFC 8176, which the claim `amr` of its access tokens uses. */
import type { AuthMethod } from "../../base/schemas/principal";

const REFERENCES: Record<AuthMethod, readonly string[]> = {
  password: ["pwd"],
  code: ["otp"],
  totp: ["otp", "mfa"],
  recovery: ["otp", "mfa"],
  passkey: ["hwk", "user", "mfa"],
  "synced-passkey": ["swk"],
  // Which methods the provider has used is unknown.
  provider: [],
  "sign-on": [],
  "trusted-mfa": ["mfa"],
};

/** Each reference once, in the order of the methods. A backed-up passkey is held by software, not by one device. */
export function methodReferences(methods: readonly AuthMethod[]): string[] {
  const references = new Set(methods.flatMap((method) => REFERENCES[method] ?? []));
  if (references.has("swk")) references.delete("hwk");
  return [...references];
}
