/** What the product does with its tenants, users and members, with a platform key. */

import { operation } from "../../base/operation";
import type { PlatformScope } from "../../base/schemas/platform-scopes";
import { roleBody } from "../../identity/members/schemas";
import { addMember, changeRoleBy, membersOf, removeMemberBy } from "./members";
import {
  memberQuery,
  newMember,
  newTenant,
  newUser,
  reason,
  tenantChange,
  tenantQuery,
  userChange,
  userMail,
  userQuery,
} from "./schemas";
import { changeTenant, createTenant, resumeTenantBy, suspendTenantBy, tenantOf, tenantsOf } from "./tenants";
import { changeUser, createUser, endSessionsBy, mailUser, resumeUserBy, suspendUserBy, userOf, usersOf } from "./users";

const READ = { rule: "platformRead", per: "platform key" } as const;
const WRITE = { rule: "platformWrite", per: "platform key" } as const;
const scoped = (scope: PlatformScope) => ({ scope, limit: scope.endsWith(".read") ? READ : WRITE });

export const tenants = {
  create: operation({
    ...scoped("tenants.write"),
    schema: newTenant,
    verb: ({ deps, platformKey, input }) => createTenant(deps, platformKey, input),
  }),
  list: operation({
    ...scoped("tenants.read"),
    schema: tenantQuery,
    verb: ({ deps, platformKey, input }) => tenantsOf(deps, platformKey, input),
  }),
  get: operation({
    ...scoped("tenants.read"),
    verb: ({ deps, platformKey, param }) => tenantOf(deps, platformKey, param("tenant")),
  }),
  update: operation({
    ...scoped("tenants.write"),
    schema: tenantChange,
    verb: ({ deps, platformKey, param, input }) => changeTenant(deps, platformKey, param("tenant"), input),
  }),
  suspend: operation({
    ...scoped("tenants.write"),
    schema: reason,
    verb: ({ deps, platformKey, param, input }) => suspendTenantBy(deps, platformKey, param("tenant"), input.reason),
  }),
  resume: operation({
    ...scoped("tenants.write"),
    schema: reason,
    verb: ({ deps, platformKey, param, input }) => resumeTenantBy(deps, platformKey, param("tenant"), input.reason),
  }),
};

export const members = {
  list: operation({
    ...scoped("members.read"),
    schema: memberQuery,
    verb: ({ deps, platformKey, param, input }) => membersOf(deps, platformKey, param("tenant"), input),
  }),
  add: operation({
    ...scoped("members.write"),
    schema: newMember,
    verb: ({ deps, platformKey, param, input }) => addMember(deps, platformKey, param("tenant"), input),
  }),
  changeRole: operation({
    ...scoped("members.write"),
    schema: roleBody,
    verb: ({ deps, platformKey, param, input }) =>
      changeRoleBy(deps, platformKey, param("tenant"), param("user"), input.role),
  }),
  remove: operation({
    ...scoped("members.write"),
    verb: ({ deps, platformKey, param }) => removeMemberBy(deps, platformKey, param("tenant"), param("user")),
  }),
};

export const users = {
  create: operation({
    ...scoped("users.write"),
    schema: newUser,
    verb: ({ deps, platformKey, input }) => createUser(deps, platformKey, input),
  }),
  list: operation({ ...scoped("users.read"), schema: userQuery, verb: ({ deps, input }) => usersOf(deps, input) }),
  get: operation({ ...scoped("users.read"), verb: ({ deps, param }) => userOf(deps, param("user")) }),
  update: operation({
    ...scoped("users.write"),
    schema: userChange,
    verb: ({ deps, platformKey, param, input }) => changeUser(deps, platformKey, param("user"), input),
  }),
  suspend: operation({
    ...scoped("users.write"),
    schema: reason,
    verb: ({ deps, platformKey, param, input }) => suspendUserBy(deps, platformKey, param("user"), input.reason),
  }),
  resume: operation({
    ...scoped("users.write"),
    schema: reason,
    verb: ({ deps, platformKey, param, input }) => resumeUserBy(deps, platformKey, param("user"), input.reason),
  }),
  revokeSessions: operation({
    ...scoped("users.write"),
    schema: reason,
    verb: ({ deps, platformKey, param, input }) => endSessionsBy(deps, platformKey, param("user"), input.reason),
  }),
  mail: operation({
    ...scoped("users.write"),
    schema: userMail,
    verb: ({ deps, param, input }) => mailUser(deps, param("user"), input.kind),
  }),
};
