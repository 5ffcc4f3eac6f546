/** `/platform`: the tenants, users and members of the product, for its platform keys. */
import { endpoint, routes } from "../../base/http/endpoint";
import { saying } from "../../base/http/operation";
import type { PlatformScope } from "../../base/schemas/platform-scopes";
import { dataOf, says } from "../../base/schemas/schemas";
import { endedMembership, endedWith } from "../../identity/members/ended-keys";
import { ofMember, ofTenant, ofUser } from "../../tenancy/directory/paths";
import { tenantRecord, userRecord } from "../../tenancy/directory/schemas";
import { addMember, changeMemberBy, membersOf, removeMemberBy } from "./members";
import {
  memberChange,
  memberPage,
  memberQuery,
  memberRecord,
  newMember,
  newTenant,
  newUser,
  reason,
  tenantChange,
  tenantPage,
  tenantQuery,
  userChange,
  userMail,
  userPage,
  userQuery,
  userWithTenants,
} from "./schemas";
import { changeTenant, createTenant, resumeTenantBy, suspendTenantBy, tenantOf, tenantsOf } from "./tenants";
import { changeUser, createUser, endSessionsBy, mailUser, resumeUserBy, suspendUserBy, userOf, usersOf } from "./users";

const READ = { rule: "platformRead", per: "platform key" } as const;
const WRITE = { rule: "platformWrite", per: "platform key" } as const;
const scoped = (scope: PlatformScope) => ({ scope, limit: scope.endsWith(".read") ? READ : WRITE });

export const tenants = {
  create: endpoint({
    id: "createPlatformTenant",
    summary: "Creates a tenant without members.",
    description:
      "The same `externalId` again returns the tenant that is there (200); with another name: 409. Such a tenant " +
      "counts as one with a verified owner.",
    ...scoped("tenants.write"),
    schema: newTenant,
    errors: ["CONFLICT"],
    answers: () => ({ 201: dataOf(tenantRecord), 200: dataOf(tenantRecord) }),
    verb: ({ deps, platformKey, input }) => createTenant(deps, platformKey, input),
    answer: (c, { tenant, isNew }) => c.json({ data: tenant }, isNew ? 201 : 200),
  }),
  list: endpoint({
    id: "listPlatformTenants",
    summary: "Lists tenants, the least recently updated first, page by page.",
    ...scoped("tenants.read"),
    schema: tenantQuery,
    answers: () => ({ 200: tenantPage }),
    verb: ({ deps, platformKey, input }) => tenantsOf(deps, platformKey, input),
    answer: (c, page) => c.json(page),
  }),
  get: endpoint({
    id: "getPlatformTenant",
    summary: "Returns a tenant.",
    ...scoped("tenants.read"),
    answers: () => ({ 200: dataOf(tenantRecord), path: ofTenant }),
    verb: ({ deps, platformKey, param }) => tenantOf(deps, platformKey, param("tenant")),
    answer: (c, data) => c.json({ data }),
  }),
  update: endpoint({
    id: "updatePlatformTenant",
    summary: "Changes a tenant's name or `externalId`.",
    ...scoped("tenants.write"),
    schema: tenantChange,
    errors: ["CONFLICT"],
    answers: () => ({ 200: dataOf(tenantRecord), path: ofTenant }),
    verb: ({ deps, platformKey, param, input }) => changeTenant(deps, platformKey, param("tenant"), input),
    answer: (c, data) => c.json({ data }),
  }),
  suspend: endpoint({
    id: "suspendPlatformTenant",
    summary: "Suspends a tenant: its credentials are refused, and its deliveries wait.",
    ...scoped("tenants.write"),
    schema: reason,
    answers: () => ({ path: ofTenant }),
    verb: ({ deps, platformKey, param, input }) => suspendTenantBy(deps, platformKey, param("tenant"), input.reason),
    answer: saying("Tenant suspended."),
  }),
  resume: endpoint({
    id: "resumePlatformTenant",
    summary: "Ends the suspension of a tenant. Its waiting deliveries are sent.",
    ...scoped("tenants.write"),
    schema: reason,
    answers: () => ({ path: ofTenant }),
    verb: ({ deps, platformKey, param, input }) => resumeTenantBy(deps, platformKey, param("tenant"), input.reason),
    answer: saying("Tenant resumed."),
  }),
};

export const members = {
  list: endpoint({
    id: "listPlatformMembers",
    summary: "Lists the members of a tenant, the oldest first, page by page.",
    ...scoped("members.read"),
    schema: memberQuery,
    answers: () => ({ 200: memberPage, path: ofTenant }),
    verb: ({ deps, platformKey, param, input }) => membersOf(deps, platformKey, param("tenant"), input),
    answer: (c, page) => c.json(page),
  }),
  add: endpoint({
    id: "addPlatformMember",
    summary: "Makes a user a member of a tenant.",
    description: "200: the user is a member with that role already. 409: with another role, or the tenant is full.",
    ...scoped("members.write"),
    schema: newMember,
    errors: ["CONFLICT"],
    answers: () => ({ 201: dataOf(memberRecord), 200: dataOf(memberRecord), path: ofTenant }),
    verb: ({ deps, platformKey, param, input }) => addMember(deps, platformKey, param("tenant"), input),
    answer: (c, { member, isNew }) => c.json({ data: member }, isNew ? 201 : 200),
  }),
  update: endpoint({
    id: "updatePlatformMember",
    summary: "Changes the role or the metadata of a member.",
    ...scoped("members.write"),
    schema: memberChange,
    errors: ["CONFLICT"],
    answers: () => ({ 200: dataOf(memberRecord), path: ofMember }),
    verb: ({ deps, platformKey, param, input }) =>
      changeMemberBy(deps, platformKey, param("tenant"), param("user"), input),
    answer: (c, data) => c.json({ data }),
  }),
  remove: endpoint({
    id: "removePlatformMember",
    summary: "Removes a member. Their sessions and API keys in the tenant end at once.",
    ...scoped("members.write"),
    errors: ["CONFLICT"],
    answers: () => ({ 200: endedMembership("Member removed."), path: ofMember }),
    verb: ({ deps, platformKey, param }) => removeMemberBy(deps, platformKey, param("tenant"), param("user")),
    answer: (c, keys) => c.json(endedWith("Member removed.", keys)),
  }),
};

export const users = {
  create: endpoint({
    id: "createPlatformUser",
    summary: "Creates an account that is a member of no tenant, and mails nothing.",
    description:
      "The same `externalId` again returns the user that is there (200); if `email`, `name` or `emailVerified` " +
      "differ: 409. The password is not compared. 403 for an operator's address.",
    ...scoped("users.write"),
    schema: newUser,
    errors: ["CONFLICT", "EMAIL_TAKEN"],
    answers: () => ({ 201: dataOf(userRecord), 200: dataOf(userRecord) }),
    verb: ({ deps, platformKey, input }) => createUser(deps, platformKey, input),
    answer: (c, { user, isNew }) => c.json({ data: user }, isNew ? 201 : 200),
  }),
  list: endpoint({
    id: "listPlatformUsers",
    summary: "Lists users, the least recently updated first, page by page.",
    ...scoped("users.read"),
    schema: userQuery,
    answers: () => ({ 200: userPage }),
    verb: ({ deps, input }) => usersOf(deps, input),
    answer: (c, page) => c.json(page),
  }),
  get: endpoint({
    id: "getPlatformUser",
    summary: "Returns a user, with their tenants.",
    ...scoped("users.read"),
    answers: () => ({ 200: dataOf(userWithTenants), path: ofUser }),
    verb: ({ deps, param }) => userOf(deps, param("user")),
    answer: (c, data) => c.json({ data }),
  }),
  update: endpoint({
    id: "updatePlatformUser",
    summary: "Changes a user's name, address, `externalId` or verification.",
    description: "A new address is unverified unless you say otherwise, and links mailed to the former one end.",
    ...scoped("users.write"),
    schema: userChange,
    errors: ["CONFLICT", "EMAIL_TAKEN"],
    answers: () => ({ 200: dataOf(userRecord), path: ofUser }),
    verb: ({ deps, platformKey, param, input }) => changeUser(deps, platformKey, param("user"), input),
    answer: (c, data) => c.json({ data }),
  }),
  suspend: endpoint({
    id: "suspendPlatformUser",
    summary: "Suspends a person: all sessions end, and logins and API keys are refused.",
    ...scoped("users.write"),
    schema: reason,
    answers: () => ({ path: ofUser }),
    verb: ({ deps, platformKey, param, input }) => suspendUserBy(deps, platformKey, param("user"), input.reason),
    answer: saying("Person suspended."),
  }),
  resume: endpoint({
    id: "resumePlatformUser",
    summary: "Lets a suspended person sign in again.",
    ...scoped("users.write"),
    schema: reason,
    answers: () => ({ path: ofUser }),
    verb: ({ deps, platformKey, param, input }) => resumeUserBy(deps, platformKey, param("user"), input.reason),
    answer: saying("Person resumed."),
  }),
  revokeSessions: endpoint({
    id: "revokePlatformSessions",
    summary: "Ends all sessions of a person, in all tenants.",
    ...scoped("users.write"),
    schema: reason,
    answers: () => ({ path: ofUser }),
    verb: ({ deps, platformKey, param, input }) => endSessionsBy(deps, platformKey, param("user"), input.reason),
    answer: saying("All sessions ended."),
  }),
  mail: endpoint({
    id: "mailPlatformUser",
    summary: "Mails a person a link that verifies the address or resets the password.",
    ...scoped("users.write"),
    schema: userMail,
    errors: ["SERVICE_UNAVAILABLE"],
    answers: () => ({ 200: says("Mail queued.", "Email already verified."), path: ofUser }),
    verb: ({ deps, param, input }) => mailUser(deps, param("user"), input.kind),
    answer: (c, message) => c.json({ message }),
  }),
};

export const platformTenantRoutes = routes({
  "GET /:tenant/members": members.list,
  "POST /:tenant/members": members.add,
  "PATCH /:tenant/members/:user": members.update,
  "DELETE /:tenant/members/:user": members.remove,
  "POST /": tenants.create,
  "GET /": tenants.list,
  "GET /:tenant": tenants.get,
  "PATCH /:tenant": tenants.update,
  "POST /:tenant/suspend": tenants.suspend,
  "POST /:tenant/resume": tenants.resume,
});

export const platformUserRoutes = routes({
  "POST /": users.create,
  "GET /": users.list,
  "GET /:user": users.get,
  "PATCH /:user": users.update,
  "POST /:user/suspend": users.suspend,
  "POST /:user/resume": users.resume,
  "POST /:user/sessions/revoke": users.revokeSessions,
  "POST /:user/mails": users.mail,
});
