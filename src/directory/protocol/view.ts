/** Resources as clients receive them. */
import type { ResourceKind } from "./attribute";
import { etagOf } from "./etag";
import { ENTERPRISE, GROUP, USER } from "./kinds";
import type { DirectoryUser } from "./user";

/** What all stored resources have. Times are Unix ms. */
export interface StoredScimResource {
  id: string;
  version: number;
  createdAt: number;
  updatedAt: number;
}

export interface StoredUser extends StoredScimResource {
  record: DirectoryUser;
  groups: { value: string; display: string }[];
}

export interface StoredGroup extends StoredScimResource {
  displayName: string;
  externalId: string | null;
}

/** `base` is the address of the connection's SCIM server. */
export function userView(user: StoredUser, base: string): Record<string, unknown> {
  const { id, record, groups } = user;
  return {
    schemas: record[ENTERPRISE] ? [USER.core.id, ENTERPRISE] : [USER.core.id],
    id,
    ...record,
    ...(groups.length > 0 && {
      groups: groups.map((group) => ({ ...group, $ref: `${base}${GROUP.endpoint}/${group.value}` })),
    }),
    meta: { ...metaOf(USER, user), location: `${base}${USER.endpoint}/${id}` },
  };
}

/** `members` are the ids of people; undefined where they are left out. */
export function groupView(group: StoredGroup, members: readonly string[] | undefined, base: string) {
  const { id, displayName, externalId } = group;
  return {
    schemas: [GROUP.core.id],
    id,
    ...(externalId === null ? {} : { externalId }),
    displayName,
    ...(members && {
      members: members.map((value) => ({ value, $ref: `${base}${USER.endpoint}/${value}`, type: USER.name })),
    }),
    meta: { ...metaOf(GROUP, group), location: `${base}${GROUP.endpoint}/${id}` },
  };
}

/** The data of a resource but for its address (RFC 7643 section 3.1). */
export const metaOf = (kind: ResourceKind, { version, createdAt, updatedAt }: StoredScimResource) => ({
  resourceType: kind.name,
  created: new Date(createdAt).toISOString(),
  lastModified: new Date(updatedAt).toISOString(),
  version: etagOf(version),
});
