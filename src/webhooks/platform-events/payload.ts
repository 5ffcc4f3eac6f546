/** The events of the platform that an audit event becomes. */
import { timeOfId } from "../../base/db/ids";
import { PLATFORM_SOURCES, type PlatformEventType } from "../../base/schemas/platform-events";
import type { Role } from "../../base/schemas/roles";
import { iso } from "../../base/time";
import type { TenantRecord, UserRecord } from "../../tenancy/directory/schemas";
import { tenantView, userView } from "../../tenancy/directory/view";
import { memberKey, type PlatformSourceRow, type Records } from "./source-store";

/** What a payload has besides `sequence` and `at`. */
type Content =
  | { user: UserRecord }
  | { tenant: TenantRecord }
  | { id: string; externalId: string | null }
  | { member: MemberOfEvent }
  | { session: SessionOfEvent }
  | { grant: GrantOfEvent };

interface MemberOfEvent {
  tenantId: string;
  tenantExternalId: string | null;
  userId: string;
  userExternalId: string | null;
  /** Today's; null for somebody who is no member any more. */
  role: Role | null;
  previousRole?: Role;
}

interface SessionOfEvent {
  /** Null: all sessions, in this tenant or in all. */
  id: string | null;
  userId: string;
  tenantId: string | null;
}

/** What a person has allowed an app in a tenant, or has taken back. */
interface GrantOfEvent {
  userId: string;
  userExternalId: string | null;
  tenantId: string;
  tenantExternalId: string | null;
  clientId: string;
  /** Null if the client is deleted by now. */
  clientName: string | null;
  scopes: readonly string[];
}

/** An event to publish. */
export interface Draft {
  auditId: string;
  type: PlatformEventType;
  /** The user or the tenant whose `sequence` it has. */
  subjectId: string;
  /** Unix ms. */
  at: number;
  correlationId: string | null;
  /** The `sequence` is 0, here and in the record, until it is stored. */
  payload: { sequence: number; at: string } & Content;
}

/** The user and the tenant that an audit event concerns. */
export const subjectsOf = ({ targetKind, targetId, actorId, tenantId }: PlatformSourceRow) => ({
  userId: (targetKind === "user" ? targetId : actorId) ?? "",
  tenantId: (targetKind === "tenant" ? targetId : tenantId) ?? "",
});

/**
 * Returns what is published of an audit event. A record of somebody who is deleted by now cannot be shown: the event of
 * the deletion says all.
 */
export function draftsOf(row: PlatformSourceRow, records: Records): Draft[] {
  const at = timeOfId(row.id);
  return PLATFORM_SOURCES[row.action].flatMap((type) => {
    const found = contentOf(type, row, records);
    if (found === null) return [];
    const payload = { sequence: 0, at: iso(at), ...found.content };
    return [{ auditId: row.id, type, subjectId: found.subjectId, at, correlationId: row.requestId, payload }];
  });
}

type Found = { subjectId: string; content: Content } | null;

function contentOf(type: PlatformEventType, row: PlatformSourceRow, records: Records): Found {
  if (type === "user.deleted" || type === "tenant.deleted") return deletionOf(row);
  if (type === "session.revoked") return sessionOf(row, records);
  if (type.startsWith("grant.")) return grantOf(row, records);
  if (type.startsWith("user.")) return userOf(row, records);
  if (type.startsWith("tenant.")) return isWithTenant(row, records) ? tenantOf(row, records) : null;
  return type === "member.added" && !isWithTenant(row, records) ? null : memberOf(row, records);
}

/** False for a registration by an invitation: it makes no tenant, and joining is an audit event of its own. */
function isWithTenant(row: PlatformSourceRow, { tenants }: Records): boolean {
  if (row.action !== "auth.registered") return true;
  const { userId, tenantId } = subjectsOf(row);
  return tenants.get(tenantId)?.createdBy === userId;
}

function userOf(row: PlatformSourceRow, { users }: Records): Found {
  const user = users.get(subjectsOf(row).userId);
  return user ? { subjectId: user.id, content: { user: { ...userView(user), sequence: 0 } } } : null;
}

function tenantOf(row: PlatformSourceRow, { tenants }: Records): Found {
  const tenant = tenants.get(subjectsOf(row).tenantId);
  return tenant ? { subjectId: tenant.id, content: { tenant: { ...tenantView(tenant), sequence: 0 } } } : null;
}

function deletionOf(row: PlatformSourceRow): Found {
  const { externalId } = metaOf(row) as { externalId?: string | null };
  const id = row.targetId ?? "";
  return { subjectId: id, content: { id, externalId: externalId ?? null } };
}

function memberOf(row: PlatformSourceRow, { users, tenants, roles }: Records): Found {
  const { userId, tenantId } = subjectsOf(row);
  const [user, tenant] = [users.get(userId), tenants.get(tenantId)];
  // A tenant that the product makes has no member yet.
  if (!user || !tenant) return null;
  const { from } = metaOf(row) as { from?: Role };
  const member: MemberOfEvent = {
    tenantId,
    tenantExternalId: tenant.externalId,
    userId,
    userExternalId: user.externalId,
    role: roles.get(memberKey(tenantId, userId)) ?? null,
    ...(row.action === "member.role_changed" && from ? { previousRole: from } : {}),
  };
  return { subjectId: userId, content: { member } };
}

function grantOf(row: PlatformSourceRow, { users, tenants, apps }: Records): Found {
  const { userId, tenantId } = subjectsOf(row);
  const [user, tenant, clientId] = [users.get(userId), tenants.get(tenantId), row.targetId ?? ""];
  if (!user || !tenant) return null;
  const { scopes = [] } = metaOf(row) as { scopes?: string[] };
  const of = { userId, userExternalId: user.externalId, tenantId, tenantExternalId: tenant.externalId };
  const grant: GrantOfEvent = { ...of, clientId, clientName: apps.get(clientId) ?? null, scopes };
  return { subjectId: userId, content: { grant } };
}

/** The actions that end the session in which they were done, and no other. */
const OWN_SESSION: readonly string[] = ["auth.logout", "auth.refresh_reused"];

function sessionOf(row: PlatformSourceRow, { users }: Records): Found {
  const { userId } = subjectsOf(row);
  // The link that revokes API keys ends no session.
  if (!users.has(userId) || (metaOf(row) as { kind?: string }).kind === "apiKeys") return null;
  const isOwn = OWN_SESSION.includes(row.action);
  const id = row.targetKind === "session" ? row.targetId : isOwn ? row.sessionId : null;
  const tenantId = isOwn || row.action === "auth.logout_all" ? row.tenantId : null;
  return { subjectId: userId, content: { session: { id, userId, tenantId } } };
}

const metaOf = ({ meta }: PlatformSourceRow): object => (meta === null ? {} : (JSON.parse(meta) as object));
