/** `/invitations`: inviting people into the caller's tenant, and accepting an invitation. */
import * as z from "zod";
import { endpoint, routes } from "../../base/http/endpoint";
import { saying } from "../../base/http/operation";
import { limitedInside } from "../../base/http/rate-limit";
import { dataOf } from "../../base/schemas/schemas";
import { iso } from "../../base/time";
import { recentSignIn } from "../step-up/confirm";
import { acceptInvitation, invite, refuseInviter, revokeInvitation } from "./invite";
import {
  acceptanceBody,
  type Invitation,
  invitationBody,
  invitation as invitationSchema,
  joined as joinedSchema,
} from "./schemas";
import { listInvitations, type NewInvitation } from "./store";

const view = ({ id, email: address, role, invitedBy, createdAt, expiresAt }: NewInvitation): Invitation => ({
  id,
  email: address,
  role,
  invitedBy,
  createdAt: iso(createdAt),
  expiresAt: iso(expiresAt),
});

export const invitations = {
  invite: endpoint({
    id: "invite",
    summary: "Mails an invitation to join the tenant. It is valid for 7 days.",
    description: "Inviting an owner needs a sign-in or a step-up within the last ten minutes.",
    permission: "member.manage",
    limit: { rule: "invite", per: "tenant" },
    schema: invitationBody,
    refuse: ({ deps, session, input }) => refuseInviter(deps, session, input.role),
    stepUp: { ...recentSignIn, when: ({ role }) => role === "owner" },
    errors: ["CONFLICT", "EMAIL_NOT_VERIFIED"],
    answers: () => ({ 201: { body: dataOf(invitationSchema), id: "/data/id" } }),
    first: limitedInside("inviteAddress", "tenant and email address"),
    verb: ({ deps, session, input }) => invite(deps, session, input),
    answer: (c, invitation) => c.json({ data: view(invitation) }, 201),
  }),
  list: endpoint({
    id: "listInvitations",
    summary: "The open invitations of the tenant, newest first.",
    permission: "member.read",
    answers: () => ({ 200: dataOf(z.array(invitationSchema)) }),
    verb: ({ deps, principal }) => listInvitations(deps, principal.tenantId, deps.now()),
    answer: (c, rows) => c.json({ data: rows.map(view) }),
  }),
  accept: endpoint({
    id: "acceptInvitation",
    summary: "Joins the tenant of an invitation that was sent to the caller's address.",
    schema: acceptanceBody,
    errors: ["INVALID_TOKEN", "CONFLICT"],
    answers: () => ({ 200: dataOf(joinedSchema) }),
    verb: ({ deps, session, input }) => acceptInvitation(deps, session, input.token),
    answer: (c, { tenantId, tenantName, role }) =>
      c.json({ data: { tenant: { id: tenantId, name: tenantName }, role } }),
  }),
  revoke: endpoint({
    id: "revokeInvitation",
    summary: "Revokes an open invitation.",
    permission: "member.manage",
    errors: ["NOT_FOUND"],
    verb: ({ deps, principal, param }) => revokeInvitation(deps, principal, param("id")),
    answer: saying("Invitation revoked."),
  }),
};

export const invitationRoutes = routes({
  "POST /": invitations.invite,
  "GET /": invitations.list,
  "POST /accept": invitations.accept,
  "DELETE /:id": invitations.revoke,
});
