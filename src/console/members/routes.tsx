/** `/console/people`: members and invitations. */
import { type Context, Hono } from "hono";
import { invitations } from "../../identity/invitations/operations";
import { listInvitations } from "../../identity/invitations/store";
import { members } from "../../identity/members/operations";
import { roleBody } from "../../identity/members/schemas";
import { listMembers } from "../../identity/members/store";
import { notFound } from "../../platform/errors";
import type { AppEnv } from "../../platform/http/env";
import { pathParam, requires } from "../../platform/http/operation";
import { sessionOf } from "../../platform/http/permissions";
import { ROLES_MANAGED_BY } from "../../platform/schemas/roles";
import { parse } from "../failure";
import { form } from "../http/form";
import { keysOf } from "../http/keys";
import { flash, page, type Refused } from "../http/page";
import { ChangeRole, People, RemoveMember } from "./pages";

const NOBODY = { email: "", role: "developer" };
const MANAGE = { permission: "member.manage" } as const;

async function peoplePage(c: Context<AppEnv>, refused?: Refused, values = NOBODY) {
  const deps = c.get("deps");
  const { tenantId, userId, role, permissions } = sessionOf(c);
  const [people, invited] = await Promise.all([
    listMembers(deps, tenantId),
    listInvitations(deps, tenantId, deps.now()),
  ]);
  const roles = ROLES_MANAGED_BY[role] ?? [];
  return page(
    c,
    { title: "People", section: "people", status: refused?.status },
    <People
      members={people}
      invitations={invited}
      manage={permissions.has("member.manage") ? { userId, roles } : null}
      values={values}
      failure={refused?.failure}
    />,
  );
}

async function memberOf(c: Context<AppEnv>) {
  const all = await listMembers(c.get("deps"), c.get("principal").tenantId);
  const member = all.find(({ userId }) => userId === pathParam(c, "userId"));
  if (!member) throw notFound("Member");
  return member;
}

export const peoplePages = new Hono<AppEnv>()
  // The query fills in the invitation that had to wait until the session was confirmed.
  .get("/", requires({ permission: "member.read" }), (c) => peoplePage(c, undefined, { ...NOBODY, ...c.req.query() }))
  .post(
    "/invitations",
    ...form(invitations.invite, {
      values: (sent) => ({ email: sent.text("email"), role: sent.text("role") }),
      confirmedAt: (values) => `/console/people?${new URLSearchParams(values)}`,
      done: flash("/people", "invited"),
      again: peoplePage,
    }),
  )
  .post("/invitations/:id/revoke", ...form(invitations.revoke, { done: flash("/people", "invitationRevoked") }))
  .get("/:userId/role", requires(MANAGE), async (c) => {
    const member = await memberOf(c);
    const { role } = parse(roleBody, c.req.query());
    return page(c, { title: "Change role", section: "people" }, <ChangeRole member={member} role={role} />);
  })
  .post(
    "/:userId/role",
    ...form(members.changeRole, {
      values: (sent) => ({ role: sent.text("role") }),
      confirmedAt: ({ role }, c) => `/console/people/${pathParam(c, "userId")}/role?role=${role}`,
      done: flash("/people", "roleChanged"),
      again: (c, refused) => peoplePage(c, refused),
    }),
  )
  .get("/:userId/remove", requires(MANAGE), async (c) => {
    const member = await memberOf(c);
    const keys = await keysOf(c, member.userId);
    return page(c, { title: "Remove member", section: "people" }, <RemoveMember member={member} keys={keys} />);
  })
  .post(
    "/:userId/remove",
    ...form(members.remove, {
      confirmedAt: (_, c) => `/console/people/${pathParam(c, "userId")}/remove`,
      done: flash("/people", "memberRemoved"),
      again: (c, refused) => peoplePage(c, refused),
    }),
  );
