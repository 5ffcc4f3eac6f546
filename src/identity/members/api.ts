/** `/members`: the members of the caller's tenant and their roles. */
import { endpoint, routes } from "../../base/http/endpoint";
import { dataOf } from "../../base/schemas/schemas";
import { iso } from "../../base/time";
import { recentSignInForOwners } from "../step-up/confirm";
import { changeRole, followRules, leaveTenant, removeMember } from "./changes";
import { endedMembership, endedWith } from "./ended-keys";
import { listMembers, type MemberRow } from "./list-store";
import { type Member, memberPage, memberQuery, member as memberSchema, membershipChange, roleBody } from "./schemas";
import { setSubscriptionNotices } from "./store";

const view = ({ userId, email, name, role, joinedAt }: MemberRow): Member => ({
  userId,
  email,
  name,
  role,
  joinedAt: iso(joinedAt),
});

export const members = {
  list: endpoint({
    id: "listMembers",
    summary: "The members of the tenant, oldest first, page by page.",
    description:
      "Without `limit` the first 1,000. A page of a search may be short or empty although more follow: continue " +
      "until `nextCursor` is null.",
    permission: "member.read",
    schema: memberQuery,
    answers: () => ({ 200: { body: memberPage, id: "/data/0/userId" } }),
    verb: ({ deps, principal, input }) => listMembers(deps, principal.tenantId, input),
    answer: (c, { rows, nextCursor }) => c.json({ data: rows.map(view), nextCursor }),
  }),
  changeRole: endpoint({
    id: "changeRole",
    summary:
      "Gives a member another role. Only owners may make or change owners, and the last owner cannot be changed.",
    description:
      "A role that was given so stays, whatever the rules of the tenant's own sign-on say; null lets them give it. " +
      "Making or changing an owner needs a sign-in or a step-up within the last ten minutes.",
    permission: "member.manage",
    limit: { rule: "changeRole", per: "user" },
    schema: roleBody,
    stepUp: recentSignInForOwners,
    errors: ["NOT_FOUND", "CONFLICT"],
    answers: () => ({ 200: dataOf(memberSchema) }),
    verb: ({ deps, session, param, input: { role } }) =>
      role === null ? followRules(deps, session, param("userId")) : changeRole(deps, session, param("userId"), role),
    answer: (c, member) => c.json({ data: view(member) }),
  }),
  remove: endpoint({
    id: "removeMember",
    summary: "Removes a member. Their sessions and API keys in this tenant stop working at once.",
    description: "Removing an owner needs a sign-in or a step-up within the last ten minutes.",
    permission: "member.manage",
    stepUp: recentSignInForOwners,
    errors: ["NOT_FOUND", "CONFLICT"],
    answers: () => ({ 200: endedMembership("Member removed.") }),
    verb: ({ deps, session, param }) => removeMember(deps, session, param("userId")),
    answer: (c, keys) => c.json(endedWith("Member removed.", keys)),
  }),
  leave: endpoint({
    id: "leaveTenant",
    summary: "Leaves the tenant. The caller's sessions and API keys in it stop working at once.",
    description: "An owner needs a sign-in or a step-up within the last ten minutes.",
    inConfinedSession: "open",
    stepUp: recentSignInForOwners,
    errors: ["LAST_OWNER"],
    answers: () => ({ 200: endedMembership("You have left the tenant.") }),
    verb: ({ deps, session }) => leaveTenant(deps, session),
    answer: (c, keys) => c.json(endedWith("You have left the tenant.", keys)),
  }),
  change: endpoint({
    id: "updateMembership",
    summary: "Turns the mails about failing subscriptions on or off for the caller.",
    inConfinedSession: "open",
    schema: membershipChange,
    answers: () => ({ 200: dataOf(membershipChange) }),
    verb: ({ deps, principal, input }) => setSubscriptionNotices(deps, principal, input.alerts),
    answer: (c, _, { alerts }) => c.json({ data: { alerts } }),
  }),
};

export const memberRoutes = routes({
  "GET /": members.list,
  "DELETE /me": members.leave,
  "PATCH /me": members.change,
  "PATCH /:userId": members.changeRole,
  "DELETE /:userId": members.remove,
});
