/** People in an import: as a row describes them, and as they are in the database. */
import type { Role } from "../../base/schemas/roles";
import type { ProviderName } from "../../base/schemas/schemas";

export interface NewIdentity {
  provider: ProviderName;
  issuer: string;
  subject: string;
  email: string | null;
}

export interface ImportedPasskey {
  /** In base64url. */
  id: string;
  /** JWK in JSON. */
  publicKey: string;
  counter: number;
  transports: string[];
  name: string;
}

/** A valid row. Times are Unix ms. */
export interface Row {
  email: string;
  externalId: string | null;
  isVerified: boolean;
  name: string | null;
  createdAt: number | null;
  isSuspended: boolean;
  /** As `users.password_hash` stores it; empty: none. */
  passwordHash: string;
  /** In base32. */
  totpSecret: string | null;
  identities: NewIdentity[];
  passkeys: ImportedPasskey[];
  /** `tenant` is an id, or `ext:` and the product's own id. */
  memberships: { tenant: string; role: Role }[];
}

/** Somebody with an account, with what decides about a row. */
export interface Person {
  id: string;
  email: string;
  externalId: string | null;
  name: string | null;
  isVerified: boolean;
  /** An imported hash as it is stored, "own" for one of ours, "" for none. */
  password: string;
  /** Whether anybody has ever signed in as this person. */
  isUsed: boolean;
  hasTotp: boolean;
  /** By `identityKey`. */
  identities: string[];
  /** Ids. */
  passkeys: string[];
  /** Roles by tenant, in the tenants that rows name and in those that the person has made. */
  memberships: Record<string, Role>;
  /** The tenants that the person has made and is a member of. */
  ownTenants: string[];
}

/** Issuers have no spaces. */
export const identityKey = ({ issuer, subject }: Pick<NewIdentity, "issuer" | "subject">): string =>
  `${issuer} ${subject}`;
