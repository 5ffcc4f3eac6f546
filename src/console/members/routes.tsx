/** `/console/people`: members and invitations. */
import { type Context, Hono } from "hono";
import { invite, revokeInvitation } from "../../identity/invitations/invite";
import { invitationBody } from "../../identity/invitations/schemas";
import { listInvitations } from "../../identity/invitations/store";
import { changeRole, removeMember } from "../../identity/members/changes";
import { members } from "../../identity/members/operations";
import { roleBody } from "../../identity/members/schemas";
import { listMembers } from "../../identity/members/store";
import { notFound } from "../../platform/errors";
import type { AppEnv } from "../../platform/http/env";
import { requires } from "../../platform/http/operation";
import { can, sessionOf } from "../../platform/http/permissions";
import { limit, limitedInside } from "../../platform/http/rate-limit";
import { ROLES_MANAGED_BY } from "../../platform/schemas/roles";
import { type Failure, parse } from "../failure";
import { orConfirm } from "../http/confirm";
import { readForm } from "../http/form";
import { page, redirectWithFlash, rerenderOnError } from "../http/page";
import { ChangeRole, People, RemoveMember } from "./pages";

interface PeopleView {
  values?: { email: string; role: string };
  failure?: Failure;
}

const NOBODY = { email: "", role: "developer" };

async function peoplePage(c: Context<AppEnv>, { values = NOBODY, failure }: PeopleView, status = 200) {
  const deps = c.get("deps");
  const { tenantId, userId, role, permissions } = c.get("principal");
  const [people, invitations] = await Promise.all([
    listMembers(deps, tenantId),
    listInvitations(deps, tenantId, deps.now()),
  ]);
  const roles = ROLES_MANAGED_BY[role] ?? [];
  return page(
    c,
    { title: "People", section: "people", status },
    <People
      members={people}
      invitations={invitations}
      manage={permissions.has("member.manage") ? { userId, roles } : null}
      values={values}
      failure={failure}
    />,
  );
}

async function memberOf(c: Context<AppEnv>, userId: string) {
  const all = await listMembers(c.get("deps"), c.get("principal").tenantId);
  const member = all.find((one) => one.userId === userId);
  if (!member) throw notFound("Member");
  return member;
}

const invitationPages = new Hono<AppEnv>()
  .post(
    "/",
    can("member.manage"),
    limitedInside("inviteAddress", "tenant and email address"),
    limit("invite", "tenant"),
    async (c) => {
      const form = await readForm(c);
      const values = { email: form.text("email"), role: form.text("role") };
      return rerenderOnError(
        c,
        () =>
          orConfirm(c, `/console/people?${new URLSearchParams(values)}`, async () => {
            await invite(c.get("deps"), sessionOf(c), parse(invitationBody, values));
            return redirectWithFlash(c, "/people", "invited");
          }),
        (failure, status) => peoplePage(c, { values, failure }, status),
      );
    },
  )
  .post("/:id/revoke", can("member.manage"), async (c) => {
    await revokeInvitation(c.get("deps"), c.get("principal"), c.req.param("id"));
    return redirectWithFlash(c, "/people", "invitationRevoked");
  });

export const peoplePages = new Hono<AppEnv>()
  // The query fills in the invitation that had to wait until the session was confirmed.
  .get("/", can("member.read"), (c) => peoplePage(c, { values: { ...NOBODY, ...c.req.query() } }))
  .route("/invitations", invitationPages)
  .get("/:userId/role", can("member.manage"), async (c) => {
    const member = await memberOf(c, c.req.param("userId"));
    const { role } = parse(roleBody, c.req.query());
    return page(c, { title: "Change role", section: "people" }, <ChangeRole member={member} role={role} />);
  })
  .post("/:userId/role", requires(members.changeRole), async (c) => {
    const role = (await readForm(c)).text("role");
    const userId = c.req.param("userId");
    return rerenderOnError(
      c,
      () =>
        orConfirm(c, `/console/people/${userId}/role?role=${role}`, async () => {
          await changeRole(c.get("deps"), sessionOf(c), userId, parse(roleBody, { role }).role);
          return redirectWithFlash(c, "/people", "roleChanged");
        }),
      (failure, status) => peoplePage(c, { failure }, status),
    );
  })
  .get("/:userId/remove", can("member.manage"), async (c) => {
    const member = await memberOf(c, c.req.param("userId"));
    return page(c, { title: "Remove member", section: "people" }, <RemoveMember member={member} />);
  })
  .post("/:userId/remove", can("member.manage"), async (c) => {
    const userId = c.req.param("userId");
    return rerenderOnError(
      c,
      () =>
        orConfirm(c, `/console/people/${userId}/remove`, async () => {
          await removeMember(c.get("deps"), sessionOf(c), userId);
          return redirectWithFlash(c, "/people", "memberRemoved");
        }),
      (failure, status) => peoplePage(c, { failure }, status),
    );
  });
