/** `/members`: the members of the caller's tenant and their roles. */
import { Hono } from "hono";
import { z } from "zod";
import type { AppEnv } from "../../platform/http/env";
import { can, sessionOf, sessionOnly } from "../../platform/http/permissions";
import { describeRoute } from "../../platform/http/route-docs";
import { body } from "../../platform/http/validate";
import { dataOf, says } from "../../platform/schemas/schemas";
import { iso } from "../../platform/time";
import { changeRole, leaveTenant, removeMember } from "./changes";
import { type Member, member as memberSchema, membershipChange, roleBody } from "./schemas";
import { listMembers, type MemberRow, setSubscriptionNotices } from "./store";

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
    describeRoute("listMembers", "The members of the tenant, oldest first.", {
      200: { body: dataOf(z.array(memberSchema)), id: "/data/0/userId" },
    }),
    can("member.read"),
    async (c) => {
      const rows = await listMembers(c.get("deps"), c.get("principal").tenantId);
      return c.json({ data: rows.map(view) });
    },
  )
  .delete(
    "/me",
    describeRoute("leaveTenant", "Leaves the tenant. The caller's sessions and API keys in it stop working at once.", {
      200: says("You have left the tenant."),
      errors: ["STEP_UP_REQUIRED", "LAST_OWNER"],
      description: "An owner needs a sign-in or a step-up within the last ten minutes.",
    }),
    async (c) => {
      await leaveTenant(c.get("deps"), sessionOf(c));
      return c.json({ message: "You have left the tenant." });
    },
  )
  .patch(
    "/me",
    describeRoute("updateMembership", "Turns the mails about failing subscriptions on or off for the caller.", {
      200: dataOf(membershipChange),
    }),
    body(membershipChange),
    async (c) => {
      const { alerts } = c.req.valid("json");
      await setSubscriptionNotices(c.get("deps"), c.get("principal"), alerts);
      return c.json({ data: { alerts } });
    },
  )
  .patch(
    "/:userId",
    describeRoute(
      "changeRole",
      "Gives a member another role. Only owners may make or change owners, and the last owner cannot be changed.",
      {
        200: dataOf(memberSchema),
        errors: ["STEP_UP_REQUIRED", "NOT_FOUND", "CONFLICT"],
        description: "Making or changing an owner needs a sign-in or a step-up within the last ten minutes.",
      },
    ),
    can("member.manage"),
    body(roleBody),
    async (c) => {
      const { role } = c.req.valid("json");
      return c.json({ data: view(await changeRole(c.get("deps"), sessionOf(c), c.req.param("userId"), role)) });
    },
  )
  .delete(
    "/:userId",
    describeRoute(
      "removeMember",
      "Removes a member. Their sessions and API keys in this tenant stop working at once.",
      {
        200: says("Member removed."),
        errors: ["STEP_UP_REQUIRED", "NOT_FOUND", "CONFLICT"],
        description: "Removing an owner needs a sign-in or a step-up within the last ten minutes.",
      },
    ),
    can("member.manage"),
    async (c) => {
      await removeMember(c.get("deps"), sessionOf(c), c.req.param("userId"));
      return c.json({ message: "Member removed." });
    },
  );
