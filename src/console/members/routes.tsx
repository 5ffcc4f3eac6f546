/** `/console/people`: members and invitations. */
import type { Context } from "hono";
import { notFound } from "../../base/errors";
import type { AppEnv } from "../../base/http/env";
import { pathParam, requires } from "../../base/http/operation";
import { sessionOf } from "../../base/http/permissions";
import { type Role, rolesManagedBy } from "../../base/schemas/roles";
import { invitations } from "../../identity/invitations/api";
import { listInvitations } from "../../identity/invitations/store";
import { members } from "../../identity/members/api";
import { connectionsLeftBy } from "../../identity/members/left-connections";
import { tenantKeysLeftBy } from "../../identity/members/left-keys";
import { subscriptionsLeftBy } from "../../identity/members/left-subscriptions";
import { findMemberById, listMembers } from "../../identity/members/list-store";
import { chosenRole, memberQuery } from "../../identity/members/schemas";
import { receivesAudit } from "../../webhooks/subscriptions/audit-readers";
import { parse } from "../failure";
import type { FlashKey } from "../flash-messages";
import { keysOf } from "../http/keys";
import { flash, page, type Refused, redirectWithFlash } from "../http/page";
import { Pages } from "../http/pages";
import { isNothing, type Left, LeftBehind } from "./left";
import { ChangeRole, People, RemoveMember } from "./pages";

const PAGE_MEMBERS = 100;
const NOBODY = { email: "", role: "developer" };
const MANAGE = { permission: "member.manage" } as const;

async function peoplePage(c: Context<AppEnv>, refused?: Refused, values = NOBODY) {
  const deps = c.get("deps");
  const { tenantId, userId, role, permissions } = sessionOf(c);
  const { q = "", cursor } = c.req.query();
  const wanted = parse(memberQuery, { limit: PAGE_MEMBERS, q, ...(cursor ? { cursor } : {}) });
  const [{ rows: people, nextCursor }, invited] = await Promise.all([
    listMembers(deps, tenantId, wanted),
    listInvitations(deps, tenantId, deps.now()),
  ]);
  const roles = rolesManagedBy(role);
  return page(
    c,
    { title: "People", section: "people", refused },
    <People
      members={people}
      search={{ q, isFirst: !cursor, nextCursor }}
      invitations={invited}
      manage={permissions.has("member.manage") ? { userId, roles } : null}
      values={values}
    />,
  );
}

const findMember = (c: Context<AppEnv>) =>
  findMemberById(c.get("deps"), c.get("principal").tenantId, pathParam(c, "userId"));

async function memberOf(c: Context<AppEnv>) {
  const member = await findMember(c);
  if (!member) throw notFound("Member");
  return member;
}

/** What the member has set up and could not set up with `role`, or without any. */
async function leftWith(c: Context<AppEnv>, role: Role | null): Promise<Left> {
  const deps = c.get("deps");
  const member = { tenantId: c.get("principal").tenantId, userId: pathParam(c, "userId") };
  const [rows, keys, connections] = await Promise.all([
    subscriptionsLeftBy(deps, member, role),
    tenantKeysLeftBy(deps, member, role),
    connectionsLeftBy(deps, member, role),
  ]);
  const views = rows.map(({ id, name, url, events }) => ({ id, name, url, receivesAudit: receivesAudit(events) }));
  return { subscriptions: views, keys, connections };
}

/** Leads to what stays, if anything does. */
async function afterChange(c: Context<AppEnv>, role: Role | null, key: FlashKey) {
  const left = await leftWith(c, role);
  const userId = pathParam(c, "userId");
  return redirectWithFlash(c, isNothing(left) ? "/people" : `/people/${userId}/left`, key);
}

export const peoplePages = new Pages()
  // The query fills in the invitation that had to wait until the session was confirmed.
  .get("/", requires({ permission: "member.read" }), (c) => peoplePage(c, undefined, { ...NOBODY, ...c.req.query() }))
  .form("/invitations", invitations.invite, {
    values: (sent) => sent.texts("email", "role"),
    confirmedAt: (values) => `/people?${new URLSearchParams(values)}`,
    done: flash("/people", "invited"),
    again: peoplePage,
  })
  .form("/invitations/:id/revoke", invitations.revoke, { done: flash("/people", "invitationRevoked") })
  .get("/:userId/role", requires(MANAGE), async (c) => {
    const member = await memberOf(c);
    const { role } = parse(chosenRole, c.req.query());
    return page(c, { title: "Change role", section: "people" }, <ChangeRole member={member} role={role} />);
  })
  .form("/:userId/role", members.changeRole, {
    values: (sent) => sent.texts("role"),
    confirmedAt: ({ role }, c) => `/people/${pathParam(c, "userId")}/role?role=${role}`,
    done: (c, member) => afterChange(c, member.role, "roleChanged"),
    again: (c, refused) => peoplePage(c, refused),
  })
  .get("/:userId/remove", requires(MANAGE), async (c) => {
    const member = await memberOf(c);
    const keys = await keysOf(c, member.userId);
    const left = await leftWith(c, null);
    return page(
      c,
      { title: "Remove member", section: "people" },
      <RemoveMember member={member} keys={keys} left={left} />,
    );
  })
  .get("/:userId/left", requires(MANAGE), async (c) => {
    const member = await findMember(c);
    const left = await leftWith(c, member?.role ?? null);
    return page(
      c,
      { title: "What stays", section: "people" },
      <LeftBehind person={member && (member.name ?? member.email)} left={left} />,
    );
  })
  .form("/:userId/remove", members.remove, {
    confirmedAt: (_, c) => `/people/${pathParam(c, "userId")}/remove`,
    done: (c) => afterChange(c, null, "memberRemoved"),
    again: (c, refused) => peoplePage(c, refused),
  }).router;
