/** The signature headers of a signature profile, in the form of another provider. */
import { toBase64, toHex, utf8 } from "../../base/crypto/encoding";
import { base64Key, hmac, signBody, signStandard } from "../../base/crypto/webhook-signature";
import type { SignatureProfile } from "../options/signature-profile";

interface Signed {
  /** The secrets that sign, newest first. */
  secrets: readonly string[];
  /** The values of `webhook-id` and `webhook-timestamp`. */
  id: string;
  timestampSeconds: number;
  body: string;
}

/**
 * Returns the headers of the profile; none without a secret. While a rotation overlaps, the forms of Svix and Stripe
 * carry a signature of each secret. The others have room for one, that of the newest secret.
 */
export async function profileHeaders(profile: SignatureProfile, signed: Signed): Promise<Record<string, string>> {
  const [newest] = signed.secrets;
  if (newest === undefined) return {};
  const { body, secrets, id, timestampSeconds } = signed;
  switch (profile.kind) {
    case "svix": {
      const signatures = await Promise.all(secrets.map((secret) => signStandard(secret, id, timestampSeconds, body)));
      const [idHeader, timestamp] = [id, String(timestampSeconds)];
      return { "svix-id": idHeader, "svix-timestamp": timestamp, "svix-signature": signatures.join(" ") };
    }
    case "stripe": {
      const signatures = await Promise.all(secrets.map((secret) => signBody(secret, `${timestampSeconds}.${body}`)));
      const value = [`t=${timestampSeconds}`, ...signatures.map((signature) => `v1=${signature}`)].join(",");
      return { [profile.header ?? "Stripe-Signature"]: value };
    }
    case "github":
      return { [profile.header ?? "X-Hub-Signature-256"]: `sha256=${await signBody(newest, body)}` };
    case "custom":
      return customHeaders(profile, newest, signed);
  }
}

async function customHeaders(
  profile: SignatureProfile & { kind: "custom" },
  secret: string,
  { id, timestampSeconds, body }: Signed,
): Promise<Record<string, string>> {
  const values: Record<string, string> = { id, timestamp: String(timestampSeconds), body };
  const content = profile.content.replaceAll(/\{(id|timestamp|body)\}/g, (_, name: string) => values[name] ?? "");
  const key = profile.key === "base64" ? base64Key(secret) : utf8(secret);
  const signature = await hmac(profile.algorithm === "sha512" ? "SHA-512" : "SHA-256", key, content);
  const encoded = profile.encoding === "hex" ? toHex(signature) : toBase64(signature);
  return {
    [profile.header]: `${profile.prefix ?? ""}${encoded}`,
    ...(profile.idHeader === undefined ? {} : { [profile.idHeader]: id }),
    ...(profile.timestampHeader === undefined ? {} : { [profile.timestampHeader]: String(timestampSeconds) }),
  };
}
