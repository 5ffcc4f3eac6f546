/** `/members`: the people of the caller's tenant. */

import type { Call, CallOptions } from "./call";
import type { Member, MembershipChange, Role } from "./generated";
import { type Listed, listed } from "./pages";
import { segment } from "./path";

/**
 * `client.members`, for signed-in users; an API key gets UNAUTHENTICATED.
 *
 * @example
 * const members = await client.members.list();
 * const ada = members.find(({ email }) => email === "ada@example.com");
 * if (ada) await client.members.changeRole(ada.userId, "developer");
 */
export interface MemberMethods {
  /** Returns the members, oldest membership first. Throws FORBIDDEN. */
  list(options?: CallOptions): Listed<Member>;
  /**
   * Gives a member another role and returns the member. Only owners may make or change owners.
   * Throws FORBIDDEN, NOT_FOUND, CONFLICT for the last owner, and STEP_UP_REQUIRED if the old or the new role is owner
   * and the sign-in was more than ten minutes ago.
   */
  changeRole(userId: string, role: Role, options?: CallOptions): Promise<Member>;
  /**
   * Turns the mails about failing subscriptions on or off for the caller. Returns the setting. Throws
   * VALIDATION_FAILED.
   */
  setAlerts(alerts: boolean, options?: CallOptions): Promise<MembershipChange>;
  /**
   * Removes a member; their sessions and API keys in this tenant stop working at once. Returns the service's
   * confirmation. Throws FORBIDDEN, NOT_FOUND, CONFLICT for the last owner, and STEP_UP_REQUIRED for any owner if the
   * sign-in was more than ten minutes ago.
   */
  remove(userId: string, options?: CallOptions): Promise<string>;
  /**
   * Leaves the tenant of this session; the user's sessions and API keys in it stop working at once, this session too.
   * Returns the service's confirmation. Throws LAST_OWNER, and STEP_UP_REQUIRED for an owner whose sign-in was more
   * than ten minutes ago.
   */
  leave(options?: CallOptions): Promise<string>;
}

export const memberMethods = (call: Call): MemberMethods => ({
  list: (options) => listed(call.data("GET /members", options)),
  changeRole: (userId, role, options) => call.data(`PATCH /members/${segment(userId)}`, { ...options, body: { role } }),
  setAlerts: (alerts, options) => call.data("PATCH /members/me", { ...options, body: { alerts } }),
  leave: (options) => call.message("DELETE /members/me", options),
  remove: (userId, options) => call.message(`DELETE /members/${segment(userId)}`, options),
});
