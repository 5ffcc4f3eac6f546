/** `/members`: the people of the caller's tenant and their roles. */
import { Hono } from "hono";
import { z } from "zod";
import { AppError, notFound } from "../errors";
import type { AppEnv } from "../http/env";
import { can, sessionOnly } from "../http/principal";
import { body } from "../http/validate";
import { ROLE_NAMES } from "../tenants/roles";
import { changeRole, listMembers, type Member, type Outcome, removeMember } from "./store";

const roleBody = z.object({ role: z.enum(ROLE_NAMES) });

const view = ({ userId, email, name, role, joinedAt }: Member) => ({
  userId,
  email,
  name,
  role,
  joinedAt: new Date(joinedAt).toISOString(),
});

function refuse(outcome: Exclude<Outcome, "done">): never {
  if (outcome === "missing") throw notFound("Member");
  if (outcome === "forbidden") throw new AppError("FORBIDDEN");
  throw new AppError("CONFLICT", { message: "The last owner cannot be removed or demoted." });
}

export const memberRoutes = new Hono<AppEnv>()
  .use(sessionOnly)
  .get("/", can("member.read"), async (c) => {
    const rows = await listMembers(c.get("deps"), c.get("principal").tenantId);
    return c.json({ data: rows.map(view) });
  })
  .patch("/:userId", can("member.manage"), body(roleBody), async (c) => {
    const { tenantId, userId: actorId } = c.get("principal");
    const change = { tenantId, actorId, userId: c.req.param("userId") };
    const { outcome, member } = await changeRole(c.get("deps"), change, c.req.valid("json").role);
    if (outcome !== "done") refuse(outcome);
    if (!member) throw notFound("Member");
    return c.json({ data: view(member) });
  })
  .delete("/:userId", can("member.manage"), async (c) => {
    const deps = c.get("deps");
    const { tenantId, userId: actorId } = c.get("principal");
    const outcome = await removeMember(deps, { tenantId, actorId, userId: c.req.param("userId") }, deps.now());
    if (outcome !== "done") refuse(outcome);
    return c.json({ message: "Member removed." });
  });
