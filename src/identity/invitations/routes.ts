/** `/invitations`: inviting people into the caller's tenant, and accepting an invitation. */

import { Hono } from "hono";
import * as z from "zod";
import type { AppEnv } from "../../base/http/env";
import { saying, serve } from "../../base/http/operation";
import { limitedInside } from "../../base/http/rate-limit";
import { describeRoute } from "../../base/http/route-docs";
import { dataOf } from "../../base/schemas/schemas";
import { iso } from "../../base/time";
import { invitations } from "./operations";
import { type Invitation, invitation as invitationSchema, joined as joinedSchema } from "./schemas";
import type { NewInvitation } from "./store";

const view = ({ id, email: address, role, invitedBy, createdAt, expiresAt }: NewInvitation): Invitation => ({
  id,
  email: address,
  role,
  invitedBy,
  createdAt: iso(createdAt),
  expiresAt: iso(expiresAt),
});

export const invitationRoutes = new Hono<AppEnv>()
  .post(
    "/",
    describeRoute("invite", "Mails an invitation to join the tenant. It is valid for 7 days.", () => ({
      201: { body: dataOf(invitationSchema), id: "/data/id" },
      errors: ["CONFLICT", "EMAIL_NOT_VERIFIED", "STEP_UP_REQUIRED"],
      description: "Inviting an owner needs a sign-in or a step-up within the last ten minutes.",
    })),
    limitedInside("inviteAddress", "tenant and email address"),
    ...serve(invitations.invite, (c, invitation) => c.json({ data: view(invitation) }, 201)),
  )
  .get(
    "/",
    describeRoute("listInvitations", "The open invitations of the tenant, newest first.", () => ({
      200: dataOf(z.array(invitationSchema)),
    })),
    ...serve(invitations.list, (c, rows) => c.json({ data: rows.map(view) })),
  )
  .post(
    "/accept",
    describeRoute(
      "acceptInvitation",
      "Joins the tenant of an invitation that was sent to the caller's address.",
      () => ({
        200: dataOf(joinedSchema),
        errors: ["INVALID_TOKEN", "CONFLICT"],
      }),
    ),
    ...serve(invitations.accept, (c, { tenantId, tenantName, role }) =>
      c.json({ data: { tenant: { id: tenantId, name: tenantName }, role } }),
    ),
  )
  .delete(
    "/:id",
    describeRoute("revokeInvitation", "Revokes an open invitation.", () => ({
      errors: ["NOT_FOUND"],
    })),
    ...serve(invitations.revoke, saying("Invitation revoked.")),
  );
