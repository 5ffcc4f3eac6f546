/** Connections in D1. Each write names the tenant; a sign-on finds its tenant through the connection. */
import { sql } from "drizzle-orm";
import { atomically, query, queryFirst } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { Actor } from "../../base/schemas/actor";
import {
  type ConnectionKind,
  type ConnectionProvider,
  type ConnectionSettings,
  type ConnectionState,
  GOOGLE_ISSUER,
  type StoredProvider,
} from "../../base/schemas/connection-settings";
import { isLastWayIn } from "../../identity/policy/enforcement-store";
import { endSessions } from "../../identity/tokens/revocations-store";
import { auditIfChanged, type NewAuditEvent } from "../../tenancy/audit/record-store";
import { startRoles } from "../rules/jobs-store";

/** Times are Unix ms. */
export interface ConnectionRow {
  id: string;
  tenantId: string;
  name: string;
  kind: ConnectionKind;
  provider: ConnectionProvider;
  state: ConnectionState;
  needsReview: 0 | 1;
  version: number;
  generation: number;
  settings: ConnectionSettings;
  /** The provider's document; null: none was read. */
  document: StoredProvider | null;
  secretSealed: string | null;
  secretLast4: string | null;
  testedAt: number | null;
  testedVersion: number | null;
  lastSignOnAt: number | null;
  lastFailureAt: number | null;
  /** Whether its provider is Google, and the tenant has proved no domain: then nobody gets in. */
  lacksDomain: 0 | 1;
  /** How many records its directory has in each state, and how many groups. */
  directoryActive: number;
  directoryInactive: number;
  directoryHeld: number;
  directoryGroups: number;
  directoryRequestedAt: number | null;
  createdAt: number;
  updatedAt: number;
}

export type StoredConnection = Omit<ConnectionRow, "settings" | "document"> & {
  settings: string;
  document: string | null;
};

/** Of a row of `connections` named `c`: domains are looked at for Google alone. */
const LACKS_DOMAIN = `(coalesce(c.settings ->> '$.oidc.issuer' = '${GOOGLE_ISSUER}', 0) AND NOT EXISTS (SELECT 1
  FROM domains g WHERE g.tenant_id = c.tenant_id AND g.state = 'proved'))`;

/** Of a row of `connections` named `c`. */
export const CONNECTION = sql.raw(
  "c.id, c.tenant_id AS tenantId, c.name, c.kind, c.provider, c.state, c.needs_review AS needsReview, c.version, " +
    "c.generation, c.settings, c.document, c.secret_sealed AS secretSealed, c.secret_last4 AS secretLast4, " +
    "c.tested_at AS testedAt, c.tested_version AS testedVersion, c.last_sign_on_at AS lastSignOnAt, " +
    "(SELECT max(f.at) FROM sign_on_traces f WHERE f.connection_id = c.id AND f.ring = 'refusal') AS lastFailureAt, " +
    "c.directory_active AS directoryActive, c.directory_inactive AS directoryInactive, " +
    "c.directory_held AS directoryHeld, c.directory_groups AS directoryGroups, " +
    "c.directory_requested_at AS directoryRequestedAt, " +
    `${LACKS_DOMAIN} AS lacksDomain, c.created_at AS createdAt, c.updated_at AS updatedAt`,
);

export const parsedConnection = ({ settings, document, ...row }: StoredConnection): ConnectionRow => ({
  ...row,
  settings: JSON.parse(settings) as ConnectionSettings,
  document: document === null ? null : (JSON.parse(document) as StoredProvider),
});

/** Whoever writes: the tenant, and the events in which it is recorded. */
export interface ConnectionChanger {
  tenantId: string;
  actor: Actor;
  /** The setup link that is used; null: an owner or the product changes it, and nobody need review that. */
  setupLinkId: string | null;
  /** In the logs of the tenant and, for a platform key, of the platform. */
  eventsOf(event: Pick<NewAuditEvent, "action" | "target" | "meta">): NewAuditEvent[];
}

/** Records a change of the connection, if the statement before has made it. */
export const recorded = (
  changer: ConnectionChanger,
  action: `connection.${string}` & NewAuditEvent["action"],
  id: string,
) => changer.eventsOf({ action, target: { kind: "connection", id } }).map(auditIfChanged);

/**
 * Inserts a connection, unless the tenant has `most` already, or the setup link one. The link reaches it from then on.
 * Returns whether it has inserted it.
 */
export async function insertConnection(
  { db }: Deps,
  changer: ConnectionChanger,
  row: ConnectionRow,
  most: number,
): Promise<boolean> {
  const { setupLinkId } = changer;
  const isFree =
    setupLinkId === null
      ? sql`true`
      : sql`EXISTS (SELECT 1 FROM portal_links p WHERE p.id = ${setupLinkId} AND p.tenant_id = ${row.tenantId}
          AND p.connection_id IS NULL AND p.expires_at > ${row.createdAt})`;
  const { inserted } = await atomically(db, {
    inserted: sql`INSERT INTO connections (id, tenant_id, name, kind, provider, state, version, generation, settings,
        document, document_read_at, secret_sealed, secret_last4, needs_review, created_at, updated_at)
      SELECT ${row.id}, ${row.tenantId}, ${row.name}, ${row.kind}, ${row.provider}, ${row.state}, ${row.version},
        ${row.generation}, ${JSON.stringify(row.settings)}, ${jsonOrNull(row.document)},
        ${row.document && row.createdAt}, ${row.secretSealed}, ${row.secretLast4}, ${row.needsReview},
        ${row.createdAt}, ${row.updatedAt}
      WHERE (SELECT count(*) FROM connections WHERE tenant_id = ${row.tenantId}) < ${most} AND ${isFree} RETURNING id`,
    bound:
      setupLinkId === null
        ? undefined
        : sql`UPDATE portal_links SET connection_id = ${row.id} WHERE id = ${setupLinkId} AND changes() > 0`,
    recorded: recorded(changer, "connection.created", row.id),
  });
  return inserted.length === 1;
}

const jsonOrNull = (value: object | null): string | null => (value === null ? null : JSON.stringify(value));

/** The tenant's connections, newest first: at most its cap. */
export async function listConnections({ db }: Deps, tenantId: string): Promise<ConnectionRow[]> {
  const found = await query<StoredConnection>(db)`SELECT ${CONNECTION} FROM connections c
    WHERE c.tenant_id = ${tenantId} ORDER BY c.created_at DESC, c.id DESC`;
  return found.map(parsedConnection);
}

export async function findConnection({ db }: Deps, tenantId: string, id: string): Promise<ConnectionRow | undefined> {
  const found = await queryFirst<StoredConnection>(db)`SELECT ${CONNECTION} FROM connections c
    WHERE c.id = ${id} AND c.tenant_id = ${tenantId}`;
  return found && parsedConnection(found);
}

/** Whether it does what it is for: it is active, and an owner has seen what somebody with a setup link has changed. */
export const isInUse = ({ state, needsReview }: Pick<ConnectionRow, "state" | "needsReview">): boolean =>
  state === "active" && needsReview === 0;

/** Whether people sign on through it. */
export const isOpen = (row: Pick<ConnectionRow, "kind" | "state" | "needsReview">): boolean =>
  row.kind !== "directory" && isInUse(row);

/**
 * Writes a change as a new version. Returns false if the connection has changed since it was read, or is gone, and for
 * one that would stop being the last through which people sign on who must.
 */
export async function updateConnection(
  { db }: Deps,
  changer: ConnectionChanger,
  before: ConnectionRow,
  after: ConnectionRow,
): Promise<boolean> {
  const { id, tenantId } = before;
  const closes = isOpen(before) && !isOpen(after);
  const mayClose = closes ? sql`NOT ${isLastWayIn(tenantId, id)}` : sql`true`;
  const isSame = sql`id = ${id} AND tenant_id = ${tenantId} AND version = ${before.version} AND ${mayClose}`;
  const isOther = after.generation !== before.generation;
  const hasOtherRoles = JSON.stringify(after.settings.roles) !== JSON.stringify(before.settings.roles);
  const hasDirectory = before.directoryRequestedAt !== null;
  const { updated } = await atomically(db, {
    sessions: isOther
      ? endSessions(
          sql`connection_id = ${id} AND EXISTS (SELECT 1 FROM connections WHERE connections.id = ${id}
            AND connections.tenant_id = ${tenantId} AND connections.version = ${before.version}) AND ${mayClose}`,
          after.updatedAt,
        )
      : undefined,
    updated: sql`UPDATE connections SET name = ${after.name}, provider = ${after.provider},
        state = ${after.state}, version = version + 1, generation = ${after.generation},
        needs_review = ${after.needsReview}, settings = ${JSON.stringify(after.settings)},
        document = ${jsonOrNull(after.document)},
        document_read_at = iif(${Number(after.document === before.document)}, document_read_at, ${after.updatedAt}),
        secret_sealed = ${after.secretSealed}, secret_last4 = ${after.secretLast4}, updated_at = ${after.updatedAt}
      WHERE ${isSame} RETURNING id`,
    recorded: recorded(changer, "connection.updated", id),
    // Everybody gets the roles of the new rules, page by page.
    job:
      hasOtherRoles && hasDirectory
        ? startRoles({ connectionId: id, tenantId }, sql`changes() > 0`, after.updatedAt)
        : undefined,
  });
  return updated.length === 1;
}

/**
 * Lets people sign on, also by the domains that wait for a review, or its directory call. Returns false unless a test
 * of the present version has succeeded since `testedSince`, which a directory alone does not need, and, with Google, a
 * domain is proved.
 */
export async function activateConnection(
  { db }: Deps,
  changer: ConnectionChanger,
  { id, kind, version }: Pick<ConnectionRow, "id" | "kind" | "version">,
  { testedSince, nowMs }: { testedSince: number; nowMs: number },
): Promise<boolean> {
  const isTested = kind === "directory" ? sql`true` : sql`(tested_version = version AND tested_at > ${testedSince})`;
  const { updated } = await atomically(db, {
    updated: sql`UPDATE connections AS c SET state = 'active', needs_review = 0, updated_at = ${nowMs}
      WHERE id = ${id} AND tenant_id = ${changer.tenantId} AND version = ${version}
        AND (state IN ('ready', 'disabled') OR needs_review = 1)
        AND ${isTested} AND NOT ${sql.raw(LACKS_DOMAIN)} RETURNING id`,
    recorded: recorded(changer, "connection.activated", id),
    // Whoever has activated it has seen them.
    domains: sql`UPDATE domains SET needs_review = 0 WHERE tenant_id = ${changer.tenantId} AND needs_review = 1
      AND changes() > 0`,
    tokens: sql`UPDATE scim_tokens SET needs_review = 0 WHERE connection_id = ${id} AND tenant_id = ${changer.tenantId}
      AND needs_review = 1 AND EXISTS (SELECT 1 FROM connections c WHERE c.id = ${id} AND c.state = 'active'
        AND c.needs_review = 0)`,
  });
  return updated.length === 1;
}

/** Lets the directory of an active connection call with the tokens that somebody with a setup link has made. */
export async function acceptTokens({ db }: Deps, changer: ConnectionChanger, id: string): Promise<void> {
  await atomically(db, {
    accepted: sql`UPDATE scim_tokens SET needs_review = 0 WHERE connection_id = ${id}
      AND tenant_id = ${changer.tenantId} AND needs_review = 1`,
    recorded: recorded(changer, "connection.activated", id),
  });
}

/**
 * Ends sign-on and its sessions. Returns false for a connection that is not active, and for the last one of a tenant
 * that requires sign-on.
 */
export async function disableConnection(
  { db }: Deps,
  changer: ConnectionChanger,
  id: string,
  nowMs: number,
): Promise<boolean> {
  const isActive = sql`EXISTS (SELECT 1 FROM connections c WHERE c.id = ${id} AND c.tenant_id = ${changer.tenantId}
    AND c.state = 'active') AND NOT ${isLastWayIn(changer.tenantId, id)}`;
  const { updated } = await atomically(db, {
    sessions: endSessions(sql`connection_id = ${id} AND ${isActive}`, nowMs),
    updated: sql`UPDATE connections SET state = 'disabled', updated_at = ${nowMs}
      WHERE id = ${id} AND tenant_id = ${changer.tenantId} AND ${isActive} RETURNING id`,
    recorded: recorded(changer, "connection.disabled", id),
  });
  return updated.length === 1;
}
