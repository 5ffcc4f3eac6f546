/** Who operates the service: the people whose addresses the setting `OPERATORS` names. */
import type { Config } from "./config/config";
import type { SessionPrincipal } from "./schemas/principal";

/**
 * Whether the account is an operator's, even without a second factor. A mail of ours must have verified the address:
 * neither somebody who registers it nor a sign-in provider can claim it. No tenant's provider vouches for one.
 */
export const isOperator = (
  { operators }: Pick<Config, "operators">,
  { account, connectionId }: SessionPrincipal,
): boolean =>
  connectionId === null &&
  account.emailVerifiedAt !== null &&
  account.isProvenByMail === 1 &&
  operators.includes(account.email);
