/** What an API is registered with, besides its identifier and its name. */
import type { TokenAlgorithm } from "../crypto/signing-keys";

export interface ResourceScope {
  name: string;
  /** What people read who are asked for it. */
  description: string;
  /** Whether an app gets it that names none. */
  default?: boolean | undefined;
  /** Whether people must have signed in within ten minutes to allow it. */
  sensitive?: boolean | undefined;
}

export interface ResourceSettings {
  scopes: readonly ResourceScope[];
  /** The only clients that get its tokens; null: all that are registered for it. */
  clients: readonly string[] | null;
  /** Whether clients get its tokens that nobody has registered. */
  unlisted: boolean;
  /** Whether clients of tenants get its tokens. */
  forTenants: boolean;
  /** Null: that of `TOKEN_ALGORITHM`. */
  algorithm: TokenAlgorithm | null;
  /** Whether each of its tokens names a tenant. */
  tenantRequired: boolean;
}
