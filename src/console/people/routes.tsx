/** `/console/people`: members and invitations, as the API has them. */
import { type Context, Hono } from "hono";
import { notFound } from "../../errors";
import type { AppEnv } from "../../http/env";
import { can } from "../../http/permissions";
import { invite } from "../../invitations/invite";
import { invitationBody } from "../../invitations/schemas";
import { listInvitations, revokeInvitation } from "../../invitations/store";
import { refuse } from "../../members/outcome";
import { roleBody } from "../../members/schemas";
import { changeRole, listMembers, removeMember } from "../../members/store";
import { ROLE_NAMES } from "../../tenants/roles";
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
  const roles = ROLE_NAMES.filter((name) => name !== "owner" || role === "owner");
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

const changeOf = (c: Context<AppEnv>, userId: string) => {
  const { tenantId, userId: actorId } = c.get("principal");
  return { tenantId, actorId, userId };
};

const invitationPages = new Hono<AppEnv>()
  .post("/", can("member.manage"), async (c) => {
    const form = await readForm(c);
    const values = { email: form.text("email"), role: form.text("role") };
    return rerenderOnError(
      c,
      async () => {
        await invite(c.get("deps"), c.get("principal"), parse(invitationBody, values));
        return redirectWithFlash(c, "/people", "invited");
      },
      (failure, status) => peoplePage(c, { values, failure }, status),
    );
  })
  .post("/:id/revoke", can("member.manage"), async (c) => {
    const deps = c.get("deps");
    const found = await revokeInvitation(deps, c.get("principal").tenantId, c.req.param("id"), deps.now());
    if (!found) throw notFound("Invitation");
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
        const { outcome } = await changeRole(c.get("deps"), changeOf(c, c.req.param("userId")), input.role);
        if (outcome !== "done") refuse(outcome);
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
    const deps = c.get("deps");
    return rerenderOnError(
      c,
      async () => {
        const outcome = await removeMember(deps, changeOf(c, c.req.param("userId")), deps.now());
        if (outcome !== "done") refuse(outcome);
        return redirectWithFlash(c, "/people", "memberRemoved");
      },
      (failure, status) => peoplePage(c, { failure }, status),
    );
  });
