/** `/members`: the members of the caller's tenant and their roles. */

import { Hono } from "hono";
import * as z from "zod";
import type { AppEnv } from "../../base/http/env";
import { serve } from "../../base/http/operation";
import { describeRoute } from "../../base/http/route-docs";
import { dataOf } from "../../base/schemas/schemas";
import { iso } from "../../base/time";
import { endedMembership, endedWith } from "./ended-keys";
import { members } from "./operations";
import { type Member, member as memberSchema, membershipChange } from "./schemas";
import type { MemberRow } from "./store";

const view = ({ userId, email, name, role, joinedAt }: MemberRow): Member => ({
  userId,
  email,
  name,
  role,
  joinedAt: iso(joinedAt),
});

export const memberRoutes = new Hono<AppEnv>()
  .get(
    "/",
    describeRoute("listMembers", "The members of the tenant, oldest first.", () => ({
      200: { body: dataOf(z.array(memberSchema)), id: "/data/0/userId" },
    })),
    ...serve(members.list, (c, rows) => c.json({ data: rows.map(view) })),
  )
  .delete(
    "/me",
    describeRoute(
      "leaveTenant",
      "Leaves the tenant. The caller's sessions and API keys in it stop working at once.",
      () => ({
        200: endedMembership("You have left the tenant."),
        errors: ["STEP_UP_REQUIRED", "LAST_OWNER"],
        description: "An owner needs a sign-in or a step-up within the last ten minutes.",
      }),
    ),
    ...serve(members.leave, (c, keys) => c.json(endedWith("You have left the tenant.", keys))),
  )
  .patch(
    "/me",
    describeRoute("updateMembership", "Turns the mails about failing subscriptions on or off for the caller.", () => ({
      200: dataOf(membershipChange),
    })),
    ...serve(members.change, (c, _, { alerts }) => c.json({ data: { alerts } })),
  )
  .patch(
    "/:userId",
    describeRoute(
      "changeRole",
      "Gives a member another role. Only owners may make or change owners, and the last owner cannot be changed.",
      () => ({
        200: dataOf(memberSchema),
        errors: ["STEP_UP_REQUIRED", "NOT_FOUND", "CONFLICT"],
        description: "Making or changing an owner needs a sign-in or a step-up within the last ten minutes.",
      }),
    ),
    ...serve(members.changeRole, (c, member) => c.json({ data: view(member) })),
  )
  .delete(
    "/:userId",
    describeRoute(
      "removeMember",
      "Removes a member. Their sessions and API keys in this tenant stop working at once.",
      () => ({
        200: endedMembership("Member removed."),
        errors: ["STEP_UP_REQUIRED", "NOT_FOUND", "CONFLICT"],
        description: "Removing an owner needs a sign-in or a step-up within the last ten minutes.",
      }),
    ),
    ...serve(members.remove, (c, keys) => c.json(endedWith("Member removed.", keys))),
  );
