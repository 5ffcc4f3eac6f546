/** What people do with memberships: those of others, and their own. */
import { operation } from "../../base/operation";
import { recentSignInForOwners } from "../step-up/confirm";
import { changeRole, leaveTenant, removeMember } from "./changes";
import { membershipChange, roleBody } from "./schemas";
import { listMembers, setSubscriptionNotices } from "./store";

export const members = {
  list: operation({
    permission: "member.read",
    verb: ({ deps, principal }) => listMembers(deps, principal.tenantId),
  }),
  changeRole: operation({
    permission: "member.manage",
    limit: { rule: "changeRole", per: "user" },
    schema: roleBody,
    stepUp: recentSignInForOwners,
    verb: ({ deps, session, param, input }) => changeRole(deps, session, param("userId"), input.role),
  }),
  remove: operation({
    permission: "member.manage",
    stepUp: recentSignInForOwners,
    verb: ({ deps, session, param }) => removeMember(deps, session, param("userId")),
  }),
  leave: operation({ stepUp: recentSignInForOwners, verb: ({ deps, session }) => leaveTenant(deps, session) }),
  change: operation({
    schema: membershipChange,
    verb: ({ deps, principal, input }) => setSubscriptionNotices(deps, principal, input.alerts),
  }),
};
