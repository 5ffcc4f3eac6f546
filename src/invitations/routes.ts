/** `/invitations`: who is asked to join the caller's tenant, and the answer of the one asked. */
import { Hono } from "hono";
import { z } from "zod";
import { notFound } from "../errors";
import type { AppEnv } from "../http/env";
import { can, sessionOnly } from "../http/principal";
import { email, opaqueToken } from "../http/schemas";
import { body } from "../http/validate";
import { ROLE_NAMES } from "../tenants/roles";
import { acceptInvitation, invite } from "./invitations";
import { listInvitations, revokeInvitation } from "./store";

const invitationBody = z.object({ email, role: z.enum(ROLE_NAMES) });
const tokenBody = z.object({ token: opaqueToken });

interface InvitationRow {
  id: string;
  email: string;
  role: string;
  invitedBy: string;
  createdAt: number;
  expiresAt: number;
}

const view = ({ id, email: address, role, invitedBy, createdAt, expiresAt }: InvitationRow) => ({
  id,
  email: address,
  role,
  invitedBy,
  createdAt: new Date(createdAt).toISOString(),
  expiresAt: new Date(expiresAt).toISOString(),
});

export const invitationRoutes = new Hono<AppEnv>()
  .use(sessionOnly)
  .post("/", can("member.manage"), body(invitationBody), async (c) => {
    const invitation = await invite(c.get("deps"), c.get("principal"), c.req.valid("json"));
    return c.json({ data: view(invitation) }, 201);
  })
  .get("/", can("member.read"), async (c) => {
    const deps = c.get("deps");
    const rows = await listInvitations(deps, c.get("principal").tenantId, deps.now());
    return c.json({ data: rows.map(view) });
  })
  .post("/accept", body(tokenBody), async (c) => {
    const joined = await acceptInvitation(c.get("deps"), c.get("principal").userId, c.req.valid("json").token);
    return c.json({ data: { tenant: { id: joined.tenantId, name: joined.tenantName }, role: joined.role } });
  })
  .delete("/:id", can("member.manage"), async (c) => {
    const deps = c.get("deps");
    const found = await revokeInvitation(deps, c.get("principal").tenantId, c.req.param("id"), deps.now());
    if (!found) throw notFound("Invitation");
    return c.json({ message: "Invitation revoked." });
  });
