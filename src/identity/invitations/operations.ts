/** What people do with invitations. */
import { operation } from "../../base/operation";
import { recentSignIn } from "../step-up/confirm";
import { acceptInvitation, invite, refuseInviter, revokeInvitation } from "./invite";
import { acceptanceBody, invitationBody } from "./schemas";
import { listInvitations } from "./store";

export const invitations = {
  invite: operation({
    permission: "member.manage",
    limit: { rule: "invite", per: "tenant" },
    schema: invitationBody,
    refuse: ({ deps, session, input }) => refuseInviter(deps, session, input.role),
    stepUp: { ...recentSignIn, when: ({ role }) => role === "owner" },
    verb: ({ deps, session, input }) => invite(deps, session, input),
  }),
  list: operation({
    permission: "member.read",
    verb: ({ deps, principal }) => listInvitations(deps, principal.tenantId, deps.now()),
  }),
  accept: operation({
    schema: acceptanceBody,
    verb: ({ deps, session, input }) => acceptInvitation(deps, session, input.token),
  }),
  revoke: operation({
    permission: "member.manage",
    verb: ({ deps, principal, param }) => revokeInvitation(deps, principal, param("id")),
  }),
};
