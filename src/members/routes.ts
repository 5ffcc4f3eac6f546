/** `/members`: the people of the caller's tenant and their roles. */
import { Hono } from "hono";
import { z } from "zod";
import { notFound } from "../errors";
import type { AppEnv } from "../http/env";
import { can, sessionOnly } from "../http/permissions";
import { describeRoute } from "../http/route-docs";
import { body } from "../http/validate";
import { iso } from "../time";
import { dataOf, says } from "../wire/schemas";
import { refuse } from "./outcome";
import { type Member, member as memberSchema, roleBody } from "./schemas";
import { changeRole, listMembers, type MemberRow, removeMember } from "./store";

const view = ({ userId, email, name, role, joinedAt }: MemberRow): Member => ({
  userId,
  email,
  name,
  role,
  joinedAt: iso(joinedAt),
});

export const memberRoutes = new Hono<AppEnv>()
  .use(sessionOnly)
  .get(
    "/",
    describeRoute("listMembers", "The people of the tenant, oldest member first.", {
      200: { body: dataOf(z.array(memberSchema)), id: "/data/0/userId" },
    }),
    can("member.read"),
    async (c) => {
      const rows = await listMembers(c.get("deps"), c.get("principal").tenantId);
      return c.json({ data: rows.map(view) });
    },
  )
  .patch(
    "/:userId",
    describeRoute(
      "changeRole",
      "Gives a member another role. Only owners make or change owners; the last owner stays one.",
      { 200: dataOf(memberSchema), errors: ["NOT_FOUND", "CONFLICT"] },
    ),
    can("member.manage"),
    body(roleBody),
    async (c) => {
      const { tenantId, userId: actorId } = c.get("principal");
      const change = { tenantId, actorId, userId: c.req.param("userId") };
      const { outcome, member } = await changeRole(c.get("deps"), change, c.req.valid("json").role);
      if (outcome !== "done") refuse(outcome);
      if (!member) throw notFound("Member");
      return c.json({ data: view(member) });
    },
  )
  .delete(
    "/:userId",
    describeRoute(
      "removeMember",
      "Removes a member; their sessions and API keys in this tenant stop working at once.",
      {
        200: says("Member removed."),
        errors: ["NOT_FOUND", "CONFLICT"],
      },
    ),
    can("member.manage"),
    async (c) => {
      const deps = c.get("deps");
      const { tenantId, userId: actorId } = c.get("principal");
      const outcome = await removeMember(deps, { tenantId, actorId, userId: c.req.param("userId") }, deps.now());
      if (outcome !== "done") refuse(outcome);
      return c.json({ message: "Member removed." });
    },
  );
