/** `/invitations`: asking people to join the caller's tenant, and joining. */

import type { Call, CallOptions } from "./call";
import type { Invitation, JoinedTenant, NewInvitation } from "./generated";
import { type Listed, listed } from "./pages";
import { segment } from "./path";

/**
 * `client.invitations`, for signed-in users; an API key gets UNAUTHENTICATED.
 *
 * @example
 * await client.invitations.create({ email: "grace@example.com", role: "developer" });
 * // The invited person, signed in with that address and with the token from the mail:
 * const { tenant } = await client.invitations.accept(token);
 * await client.auth.login({ email, password, tenantId: tenant.id });
 */
export interface InvitationMethods {
  /**
   * Mails an invitation into the tenant, valid for 7 days, and returns it. Only owners may invite owners.
   * Throws FORBIDDEN, VALIDATION_FAILED, CONFLICT when the person is already a member, and STEP_UP_REQUIRED for the
   * role owner if the sign-in was more than ten minutes ago.
   */
  create(body: NewInvitation, options?: CallOptions): Promise<Invitation>;
  /** Returns the open invitations, newest first. Throws FORBIDDEN. */
  list(options?: CallOptions): Listed<Invitation>;
  /**
   * Joins the tenant with the token from the mail. The signed-in user's address must be the invited one. Returns the
   * tenant and the role in it. Throws INVALID_TOKEN.
   */
  accept(token: string, options?: CallOptions): Promise<JoinedTenant>;
  /** Revokes an open invitation. Returns the service's confirmation. Throws FORBIDDEN, NOT_FOUND. */
  revoke(id: string, options?: CallOptions): Promise<string>;
}

export const invitationMethods = (call: Call): InvitationMethods => ({
  create: (body, options) => call.data("POST /invitations", { ...options, body }),
  list: (options) => listed(call.data("GET /invitations", options)),
  accept: (token, options) => call.data("POST /invitations/accept", { ...options, body: { token } }),
  revoke: (id, options) => call.message(`DELETE /invitations/${segment(id)}`, options),
});
