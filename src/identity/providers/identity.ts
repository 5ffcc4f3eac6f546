/** Who has signed in at a provider, as the provider says. */
import type { IDToken, JsonObject } from "oauth4webapi";
import { email as emailSchema, name as nameSchema, type ProviderName } from "../../base/schemas/schemas";
import { FlowError } from "./failure";
import { isMicrosoftIssuer } from "./providers";

/** OpenID Connect Core, section 2. */
const MAX_SUBJECT_CHARACTERS = 255;

export interface ProviderIdentity {
  provider: ProviderName;
  /** Together with `sub`, identifies the person. The address does not, because it can change hands. */
  issuer: string;
  sub: string;
  /** Null when the provider gives no address that an account can have. */
  email: string | null;
  /** Whether the provider gives any address. */
  givenEmail: boolean;
  /** Whether the provider says that the person has this address. */
  emailVerified: boolean;
  name: string | null;
}

interface Profile {
  email: unknown;
  emailVerified: boolean;
  name: unknown;
}

/** Makes an identity from a profile. Throws FlowError for an invalid subject. */
export function identityOf(
  provider: ProviderName,
  { issuer, sub }: { issuer: string; sub: string },
  profile: Profile,
): ProviderIdentity {
  if (sub === "" || sub.length > MAX_SUBJECT_CHARACTERS) throw new FlowError("invalid_response", "not a subject");
  const email = emailSchema.safeParse(profile.email).data ?? null;
  return {
    provider,
    issuer,
    sub,
    email,
    givenEmail: typeof profile.email === "string" && profile.email !== "",
    emailVerified: profile.emailVerified && isAsSpelled(profile.email, email),
    name: nameSchema.safeParse(inOneLine(profile.name)).data ?? null,
  };
}

/**
 * Whether an address is the claim itself, up to the case of ASCII letters. The provider has verified what it wrote, and
 * Unicode normalisation could make it the address of somebody else.
 */
const isAsSpelled = (claim: unknown, email: string | null): boolean =>
  typeof claim === "string" && claim.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()) === email;

/**
 * The profile in the claims of an ID token of this issuer, or of its userinfo endpoint. `isTrusted`: whatever address
 * the issuer gives counts as verified.
 */
export const profileOf = (
  provider: ProviderName,
  issuer: string,
  claims: IDToken | JsonObject,
  isTrusted: boolean,
): Profile => ({
  email: claims.email || listedEmail(claims),
  emailVerified: isTrusted || (Boolean(claims.email) && isVerified(provider, issuer, claims)),
  name: claims.name || nameOfParts(claims),
});

const inOneLine = (name: unknown): unknown => (typeof name === "string" ? name.replaceAll(/[\s\p{Cc}]+/gu, " ") : name);

/** Azure AD B2C has a list, about which `email_verified` says nothing. */
const listedEmail = ({ emails }: IDToken | JsonObject): unknown => (Array.isArray(emails) ? emails[0] : undefined);

/** Some providers have the parts of a name alone (OpenID Connect Core, section 5.1). */
const nameOfParts = ({ given_name: first, family_name: last }: IDToken | JsonObject): string =>
  [first, last].filter((part) => typeof part === "string" && part !== "").join(" ");

/**
 * Anybody can put any address into an account of their own Microsoft tenant, so `email_verified` is not enough there:
 * `xms_edov` says that the tenant owns the domain. Google verifies other addresses only once, and they can change hands
 * afterwards: it speaks for those of Gmail and, with `hd`, for those of Workspace.
 */
function isVerified(provider: ProviderName, issuer: string, claims: IDToken | JsonObject): boolean {
  if (provider === "google" && !isOfGoogle(claims)) return false;
  if (provider !== "microsoft" && isTrue(claims.email_verified)) return true;
  return isMicrosoftIssuer(issuer) && isTrue(claims.xms_edov);
}

/** Some providers send booleans as text or as numbers. */
const isTrue = (claim: unknown): boolean =>
  claim === true || claim === 1 || (typeof claim === "string" && /^(?:true|1)$/i.test(claim));

const isOfGoogle = ({ email, hd }: IDToken | JsonObject): boolean =>
  (typeof hd === "string" && hd !== "") || (typeof email === "string" && /@gmail\.com$/i.test(email));
