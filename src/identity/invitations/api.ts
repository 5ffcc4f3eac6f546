/** `/invitations`: inviting people into a tenant, and accepting an invitation. */
import * as z from "zod";
import { endpoint, routes } from "../../base/http/endpoint";
import { saying } from "../../base/http/operation";
import { limitedInside } from "../../base/http/rate-limit";
import { dataOf } from "../../base/schemas/schemas";
import { iso } from "../../base/time";
import { ofTenant } from "../../tenancy/directory/paths";
import { recentSignIn } from "../step-up/confirm";
import { acceptInvitation, invite, inviteBy, lookUpInvitation, refuseInviter, revokeInvitation } from "./invite";
import {
  acceptanceBody,
  type Invitation,
  invitationBody,
  invitationLookUp,
  invitation as invitationSchema,
  joined as joinedSchema,
} from "./schemas";
import { listInvitations, type NewInvitation } from "./store";

const view = ({ id, email: address, role, invitedBy, createdAt, expiresAt }: NewInvitation): Invitation => ({
  id,
  email: address,
  role,
  invitedBy: invitedBy || null,
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
  lookUp: endpoint({
    id: "lookUpInvitation",
    summary: "What the invitation of a mailed link says, for the page that the link opens.",
    callers: "anybody",
    limit: { rule: "verifyEmail", per: "IP address" },
    schema: acceptanceBody,
    errors: ["INVALID_TOKEN"],
    answers: () => ({ 200: dataOf(invitationLookUp) }),
    verb: ({ deps, input }) => lookUpInvitation(deps, input.token),
    answer: (c, { tenantName, ...invitation }) => c.json({ data: { tenant: { name: tenantName }, ...invitation } }),
  }),
  ofProduct: endpoint({
    id: "createPlatformInvitation",
    summary: "Mails an invitation to join a tenant, in the name of the product. It is valid for 7 days.",
    description: "Any role can be given. Somebody who has an account accepts it after signing in.",
    scope: "members.write",
    limit: { rule: "platformWrite", per: "platform key" },
    schema: invitationBody,
    errors: ["CONFLICT"],
    answers: () => ({ 201: dataOf(invitationSchema), path: ofTenant }),
    first: limitedInside("inviteAddress", "tenant and email address"),
    verb: ({ deps, platformKey, param, input }) => inviteBy(deps, platformKey, param("tenant"), input),
    answer: (c, invitation) => c.json({ data: view(invitation) }, 201),
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

export const publicInvitationRoutes = routes({ "POST /look-up": invitations.lookUp });

export const platformInvitationRoutes = routes({ "POST /:tenant/invitations": invitations.ofProduct });

export const invitationRoutes = routes({
  "POST /": invitations.invite,
  "GET /": invitations.list,
  "POST /accept": invitations.accept,
  "DELETE /:id": invitations.revoke,
});
