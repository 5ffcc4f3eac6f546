/** `/console/people`: members and invitations. */
import { type Context, Hono } from "hono";
import { notFound } from "../../errors";
import type { AppEnv } from "../../http/env";
import { can, sessionOf } from "../../http/permissions";
import { byTenant, limit, limitedInside } from "../../http/rate-limit";
import { invite, revokeInvitation } from "../../invitations/invite";
import { invitationBody } from "../../invitations/schemas";
import { listInvitations } from "../../invitations/store";
import { changeRole, removeMember } from "../../members/changes";
import { roleBody } from "../../members/schemas";
import { listMembers } from "../../members/store";
import { ROLES_MANAGED_BY } from "../../tenants/roles";
import { type Failure, parse } from "../failure";
import { readForm } from "../http/form";
import { page, redirectWithFlash, rerenderOnError } from "../http/page";
import { People, RemoveMember } from "./pages";

interface PeopleView {
  values?: { email: string; role: string };
  failure?: Failure;
}

async function peoplePage(c: Context<AppEnv>, { values, failure }: PeopleView, status = 200) {
  const deps = c.get("deps");
  const { tenantId, userId, role, permissions } = c.get("principal");
  const [members, invitations] = await Promise.all([
    listMembers(deps, tenantId),
    listInvitations(deps, tenantId, deps.now()),
  ]);
  const roles = ROLES_MANAGED_BY[role] ?? [];
  const shown = values ?? { email: "", role: "developer" };
  return page(
    c,
    { title: "People", section: "people", status },
    <People
      members={members}
      invitations={invitations}
      manage={permissions.has("member.manage") ? { userId, roles } : null}
      values={shown}
      failure={failure}
    />,
  );
}

const invitationPages = new Hono<AppEnv>()
  .post(
    "/",
    limitedInside("inviteAddress", "tenant and email address"),
    limit("invite", byTenant),
    can("member.manage"),
    async (c) => {
      const form = await readForm(c);
      const values = { email: form.text("email"), role: form.text("role") };
      return rerenderOnError(
        c,
        async () => {
          await invite(c.get("deps"), sessionOf(c), parse(invitationBody, values));
          return redirectWithFlash(c, "/people", "invited");
        },
        (failure, status) => peoplePage(c, { values, failure }, status),
      );
    },
  )
  .post("/:id/revoke", can("member.manage"), async (c) => {
    await revokeInvitation(c.get("deps"), c.get("principal"), c.req.param("id"));
    return redirectWithFlash(c, "/people", "invitationRevoked");
  });

export const peoplePages = new Hono<AppEnv>()
  .get("/", can("member.read"), (c) => peoplePage(c, {}))
  .route("/invitations", invitationPages)
  .post("/:userId/role", can("member.manage"), async (c) => {
    const role = (await readForm(c)).text("role");
    return rerenderOnError(
      c,
      async () => {
        const input = parse(roleBody, { role });
        await changeRole(c.get("deps"), c.get("principal"), c.req.param("userId"), input.role);
        return redirectWithFlash(c, "/people", "roleChanged");
      },
      (failure, status) => peoplePage(c, { failure }, status),
    );
  })
  .get("/:userId/remove", can("member.manage"), async (c) => {
    const members = await listMembers(c.get("deps"), c.get("principal").tenantId);
    const member = members.find(({ userId }) => userId === c.req.param("userId"));
    if (!member) throw notFound("Member");
    return page(c, { title: "Remove member", section: "people" }, <RemoveMember member={member} />);
  })
  .post("/:userId/remove", can("member.manage"), async (c) => {
    return rerenderOnError(
      c,
      async () => {
        await removeMember(c.get("deps"), c.get("principal"), c.req.param("userId"));
        return redirectWithFlash(c, "/people", "memberRemoved");
      },
      (failure, status) => peoplePage(c, { failure }, status),
    );
  });
