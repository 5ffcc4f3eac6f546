/** API keys, members and invitations of the caller's tenant. */

import type { Call, CallOptions } from "./call";
import { segment } from "./segment";
import type { ApiKey, CreatedApiKey, Invitation, JoinedTenant, Member, NewApiKey, NewInvitation, Role } from "./types";

export function apiKeyMethods(call: Call) {
  return {
    /** The answer's `key` is shown this once. */
    create: (body: NewApiKey, options: CallOptions = {}) =>
      call.data<CreatedApiKey>("POST /api-keys", { ...options, body }),
    list: (options: CallOptions = {}) => call.data<ApiKey[]>("GET /api-keys", options),
    revoke: (id: string, options: CallOptions = {}) => call.message(`DELETE /api-keys/${segment(id)}`, options),
  };
}

export function memberMethods(call: Call) {
  return {
    list: (options: CallOptions = {}) => call.data<Member[]>("GET /members", options),
    /** Throws FORBIDDEN, and CONFLICT for the last owner. */
    changeRole: (userId: string, role: Role, options: CallOptions = {}) =>
      call.data<Member>(`PATCH /members/${segment(userId)}`, { ...options, body: { role } }),
    remove: (userId: string, options: CallOptions = {}) => call.message(`DELETE /members/${segment(userId)}`, options),
  };
}

export function invitationMethods(call: Call) {
  return {
    create: (body: NewInvitation, options: CallOptions = {}) =>
      call.data<Invitation>("POST /invitations", { ...options, body }),
    list: (options: CallOptions = {}) => call.data<Invitation[]>("GET /invitations", options),
    /** Takes the token of the mail; the signed-in address must be the invited one. */
    accept: (token: string, options: CallOptions = {}) =>
      call.data<JoinedTenant>("POST /invitations/accept", { ...options, body: { token } }),
    revoke: (id: string, options: CallOptions = {}) => call.message(`DELETE /invitations/${segment(id)}`, options),
  };
}
