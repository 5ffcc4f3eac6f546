/** What a tenant's identity provider has said of a person, once it is verified; it travels to the exchange sealed. */
import type { Role } from "../base/schemas/roles";

/** The role that the connection gives. `unchanged`: the provider could not list all groups, so nothing is decided. */
export type JudgedRole =
  | {
      /** Null: the person gets none, so there is no way in. */
      role: Role | null;
      /** The rule that has decided, counted from 0; null: the default. */
      rule: number | null;
    }
  | "unchanged";

export interface SignedOn {
  connectionId: string;
  tenantId: string;
  /** Those of the connection when the flow began: at the exchange they must still be the present ones. */
  generation: number;
  version: number;
  /** What the provider calls the person, of 1 to 255 characters. */
  subject: string;
  /** In the form that identifies accounts; null: none that an account can have. */
  email: string | null;
  /** What the provider says of it; null: nothing, which is yes within a proved domain. */
  emailVerified: boolean | null;
  /** Google's domain of an organisation; null: none. */
  hostedDomain: string | null;
  name: string | null;
  /** As far as the claims alone decide: the groups are those of a claim. */
  role: JudgedRole;
  /** The first rule about a claim that fits, counted from 0; null: none. */
  claimRule: number | null;
  /** How the person signed in there: the claims `acr` and `amr`. */
  acr: string | null;
  amr: readonly string[];
  /** Whether that was with a second factor, and the connection trusts it. */
  hasTrustedMfa: boolean;
  /** When that was, Unix ms; null: the provider does not say. */
  authenticatedAt: number | null;
  /** The provider's own session, for its logout; null: it names none. */
  sid: string | null;
  /** Under which the use of the assertion of SAML is stored that says all this; missing: none does. */
  assertionId?: string;
  /** When the session ends at the latest, Unix ms. */
  endsAt: number;
  /** The hash of the token of an invitation that the person accepts; null for none. */
  invitationHash: string | null;
}
