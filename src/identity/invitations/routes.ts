/** `/invitations`: inviting people into the caller's tenant, and accepting an invitation. */
import { Hono } from "hono";
import { z } from "zod";
import type { AppEnv } from "../../platform/http/env";
import { can, sessionOf, sessionOnly } from "../../platform/http/permissions";
import { byTenant, limit, limitedInside } from "../../platform/http/rate-limit";
import { describeRoute } from "../../platform/http/route-docs";
import { body } from "../../platform/http/validate";
import { dataOf, says } from "../../platform/schemas/schemas";
import { iso } from "../../platform/time";
import { acceptInvitation, invite, revokeInvitation } from "./invite";
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

export const invitationRoutes = new Hono<AppEnv>()
  .use(sessionOnly)
  .post(
    "/",
    describeRoute("invite", "Mails an invitation to join the tenant. It is valid for 7 days.", {
      201: { body: dataOf(invitationSchema), id: "/data/id" },
      errors: ["CONFLICT", "EMAIL_NOT_VERIFIED", "STEP_UP_REQUIRED"],
      description: "Inviting an owner needs a sign-in or a step-up within the last ten minutes.",
    }),
    limitedInside("inviteAddress", "tenant and email address"),
    limit("invite", byTenant),
    can("member.manage"),
    body(invitationBody),
    async (c) => {
      const invitation = await invite(c.get("deps"), sessionOf(c), c.req.valid("json"));
      return c.json({ data: view(invitation) }, 201);
    },
  )
  .get(
    "/",
    describeRoute("listInvitations", "The open invitations of the tenant, newest first.", {
      200: dataOf(z.array(invitationSchema)),
    }),
    can("member.read"),
    async (c) => {
      const deps = c.get("deps");
      const rows = await listInvitations(deps, c.get("principal").tenantId, deps.now());
      return c.json({ data: rows.map(view) });
    },
  )
  .post(
    "/accept",
    describeRoute("acceptInvitation", "Joins the tenant of an invitation that was sent to the caller's address.", {
      200: dataOf(joinedSchema),
      errors: ["INVALID_TOKEN", "CONFLICT"],
    }),
    body(acceptanceBody),
    async (c) => {
      const joined = await acceptInvitation(c.get("deps"), c.get("principal"), c.req.valid("json").token);
      return c.json({ data: { tenant: { id: joined.tenantId, name: joined.tenantName }, role: joined.role } });
    },
  )
  .delete(
    "/:id",
    describeRoute("revokeInvitation", "Revokes an open invitation.", {
      200: says("Invitation revoked."),
      errors: ["NOT_FOUND"],
    }),
    can("member.manage"),
    async (c) => {
      await revokeInvitation(c.get("deps"), c.get("principal"), c.req.param("id"));
      return c.json({ message: "Invitation revoked." });
    },
  );
