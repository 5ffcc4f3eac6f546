/** How a sign-in must have been done, as apps ask for it (OpenID Connect Core 3.1.2.1, `acr_values`). */
import type { AuthMethod } from "../../base/schemas/principal";
import { methodReferences } from "../../identity/sessions/method-references";

const ACR = { oneFactor: "urn:postern:acr:1", twoFactors: "urn:postern:acr:2" } as const;

/** With a second factor; with a passkey, which nobody can be tricked into showing elsewhere. */
export type AcrLevel = "mfa" | "phr";

const LEVELS: Readonly<Record<string, AcrLevel | null>> = {
  [ACR.oneFactor]: null,
  [ACR.twoFactors]: "mfa",
  mfa: "mfa",
  "http://schemas.openid.net/pape/policies/2007/06/multi-factor": "mfa",
  phr: "phr",
};

/** The value that an app prefers, of those that we know; null: none. */
export const preferredAcr = (values: string): string | null =>
  values.split(" ").find((value) => Object.hasOwn(LEVELS, value)) ?? null;

export const levelOf = (acr: string | null): AcrLevel | null => (acr === null ? null : (LEVELS[acr] ?? null));

export function reaches(methods: readonly AuthMethod[], level: AcrLevel | null): boolean {
  if (level === null) return true;
  // In a confined session the tenant's provider has signed the person in; their own factors widen nothing.
  if (methods.includes("sign-on")) return level === "mfa" && methods.includes("trusted-mfa");
  return level === "phr" ? methods.includes("passkey") : methodReferences(methods).includes("mfa");
}

/** The claim: what the app has asked for, if the sign-in is that, in the app's own words. */
export function acrOf(methods: readonly AuthMethod[], asked: string | null): string {
  if (asked !== null && asked !== ACR.oneFactor && reaches(methods, levelOf(asked))) return asked;
  return reaches(methods, "mfa") ? ACR.twoFactors : ACR.oneFactor;
}
