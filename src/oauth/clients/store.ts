/** Clients in D1, of the platform or of a tenant. Those that a request shows are found by id. */
import { type SQL, sql } from "drizzle-orm";
import { atomically, query, queryFirst, rows, violates } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { Actor } from "../../base/schemas/actor";
import type { AuditAction } from "../../base/schemas/audit-actions";
import {
  type ClientAuth,
  type ClientKind,
  type ClientSettings,
  LATER_SETTINGS,
} from "../../base/schemas/client-settings";
import { PLATFORM_TENANT } from "../../base/schemas/tenant-ref";
import { auditIfChanged } from "../../tenancy/audit/record-store";
import { changeLogoutWebhook, endLogoutWebhook, insertLogoutWebhook, type LogoutWebhook } from "./logout-store";

/** Times are Unix ms. */
export interface ClientRow {
  id: string;
  externalId: string | null;
  name: string;
  type: "web" | "native";
  auth: ClientAuth;
  enabled: boolean;
  secretPrefix: string | null;
  previousExpiresAt: number | null;
  settings: ClientSettings;
  createdAt: number;
  updatedAt: number;
  lastUsedAt: number | null;
  /** See `logout-store.ts`. */
  logoutWebhookId: string | null;
  /** The platform's, or that of the tenant whose app it is. */
  tenantId: string;
  kind: ClientKind;
  /** The host that people know an unlisted client by; null for a registered one. */
  host: string | null;
  /** The id that the client itself knows, where it is not `id`: a registration's long one (`dc_…`). */
  longId?: string;
  /** Of what an unlisted client says of itself, except its name; null for a registered one. */
  documentHash: string | null;
}

/** What the client calls itself, and finds in its tokens. */
export const publicId = ({ id, longId }: Pick<ClientRow, "id" | "longId">): string => longId ?? id;

/** The client with the id that it has shown. */
export const withLongId = (client: ClientRow, { longId }: { longId?: string | undefined }): ClientRow =>
  longId === undefined ? client : { ...client, longId };

type StoredClient = Omit<ClientRow, "enabled" | "settings"> & { enabled: 0 | 1; settings: string };

/** A row of `oauth_clients` named `c`, as JSON: for a query that reads more besides. */
export const CLIENT_COLUMNS = sql`c.id, c.external_id AS externalId, c.name, c.type, c.auth, c.enabled,
  c.secret_prefix AS secretPrefix, c.previous_expires_at AS previousExpiresAt, c.settings, c.created_at AS createdAt,
  c.updated_at AS updatedAt, c.last_used_at AS lastUsedAt, c.logout_webhook_id AS logoutWebhookId,
  c.tenant_id AS tenantId, c.kind, c.host, c.document_hash AS documentHash`;

/** Whether the client `c` is one that the owner has registered, or listed. */
export const isOf = (ownerId: string): SQL => sql`c.kind IN ('registered', 'listed') AND c.tenant_id = ${ownerId}`;

/** How many clients an owner may have. */
export const capOn = (ownerId: string) => (ownerId === PLATFORM_TENANT ? "clients" : "tenantClients");

/** In D1, where an external id is one of all owners': no external id has a space. */
const storedExternalId = (ownerId: string, externalId: string | null): string | null =>
  externalId === null || ownerId === PLATFORM_TENANT ? externalId : `${ownerId} ${externalId}`;

export const parsedClient = ({ enabled, settings, externalId, ...row }: StoredClient): ClientRow => ({
  ...row,
  externalId: externalId?.split(" ").at(-1) ?? null,
  enabled: enabled === 1,
  settings: { ...LATER_SETTINGS, ...(JSON.parse(settings) as ClientSettings) },
});

export const selectClient = (id: string) =>
  rows<StoredClient>(sql`SELECT ${CLIENT_COLUMNS} FROM oauth_clients c WHERE c.id = ${id}`);

/** A client, as its id and its owner. */
type OwnClient = Pick<ClientRow, "id" | "tenantId">;

export const recorded = (
  action: AuditAction & `client.${string}`,
  actor: Actor,
  { id, tenantId }: OwnClient,
  meta?: object,
) =>
  auditIfChanged({
    tenantId,
    action,
    actor: actor.kind === "user" && tenantId === PLATFORM_TENANT ? { ...actor, kind: "operator" } : actor,
    target: { kind: "client", id },
    ...(meta ? { meta: meta as Record<string, readonly string[]> } : {}),
  });

/** Stores a client. Returns "cap" at the cap, and the one that has its external id already. */
export async function insertClient(
  { db, config }: Deps,
  row: ClientRow,
  { secretHash, webhook }: { secretHash: string | null; webhook: LogoutWebhook | null },
  actor: Actor,
): Promise<"stored" | "cap" | ClientRow> {
  const externalId = storedExternalId(row.tenantId, row.externalId);
  try {
    const { inserted } = await atomically(db, {
      inserted: sql`INSERT INTO oauth_clients (id, external_id, name, type, auth, enabled, secret_hash, secret_prefix,
          settings, created_at, updated_at, logout_webhook_id, tenant_id)
        SELECT ${row.id}, ${externalId}, ${row.name}, ${row.type}, ${row.auth}, 1, ${secretHash},
          ${row.secretPrefix}, ${JSON.stringify(row.settings)}, ${row.createdAt}, ${row.createdAt},
          ${webhook?.id ?? null}, ${row.tenantId}
        WHERE (SELECT count(*) FROM oauth_clients c WHERE ${isOf(row.tenantId)}) < ${config.caps[capOn(row.tenantId)]}
        RETURNING id`,
      recorded: recorded("client.created", actor, row),
      webhook: webhook ? insertLogoutWebhook(webhook, row.createdAt) : undefined,
    });
    return inserted.length === 1 ? "stored" : "cap";
  } catch (error) {
    if (!violates(error, "UNIQUE", "oauth_clients.external_id")) throw error;
    const found = await queryFirst<StoredClient>(db)`SELECT ${CLIENT_COLUMNS} FROM oauth_clients c
      WHERE c.external_id = ${externalId}`;
    if (!found) throw error;
    return parsedClient(found);
  }
}

export async function findClient({ db }: Deps, id: string): Promise<ClientRow | undefined> {
  const [found] = (await atomically(db, { found: selectClient(id) })).found;
  return found && parsedClient(found);
}

interface ClientsAfter {
  limit: number;
  /** The creation and the id of the last client of the page before. */
  after: { createdAt: number; id: string } | null;
  externalId: string | undefined;
}

/** The clients of an owner, newest first. */
export async function listClients(
  { db }: Deps,
  ownerId: string,
  { limit, after, externalId }: ClientsAfter,
): Promise<ClientRow[]> {
  const isAfter = after ? sql`(c.created_at, c.id) < (${after.createdAt}, ${after.id})` : sql`true`;
  const isNamed = externalId === undefined ? sql`true` : sql`c.external_id = ${storedExternalId(ownerId, externalId)}`;
  const found = await query<StoredClient>(db)`SELECT ${CLIENT_COLUMNS} FROM oauth_clients c
    WHERE ${isOf(ownerId)} AND ${isAfter} AND ${isNamed} ORDER BY c.created_at DESC, c.id DESC LIMIT ${limit}`;
  return found.map(parsedClient);
}

/** Puts the client into the list of revoked tokens, if the statement before it has changed a row. */
const revokeTokens = (id: string, nowMs: number): SQL =>
  sql`INSERT OR IGNORE INTO revocations (at, key) SELECT ${Math.ceil(nowMs / 1000)}, ${`c:${id}`} WHERE changes() > 0`;

/** Leaves the rows of a client's grants to the job that removes them, if the statement before it has changed a row. */
const noteEnding = (id: string, { isDeleted }: { isDeleted: boolean }, nowMs: number): SQL =>
  sql`INSERT OR IGNORE INTO oauth_endings (client_id, at, is_deleted) SELECT ${id}, ${nowMs}, ${Number(isDeleted)}
    WHERE changes() > 0`;

/** Whether there may be a tenant that the client was for, and is not any more. */
const losesTenants = ({ tenants: before }: ClientSettings, { tenants: after }: ClientSettings): boolean =>
  after !== null && (before === null || before.some((tenantId) => !after.includes(tenantId)));

/** Changes a client that was last changed at `before.updatedAt`. Returns false if it has changed since. */
export async function updateClient(
  { db }: Deps,
  before: ClientRow,
  { webhook, ...after }: Pick<ClientRow, "name" | "enabled" | "settings"> & { webhook: LogoutWebhook | null },
  actor: Actor,
  nowMs: number,
): Promise<boolean> {
  const changed = [
    ...(after.name === before.name ? [] : ["name"]),
    ...(after.enabled === before.enabled ? [] : ["enabled"]),
    ...Object.keys(after.settings).filter((name) => {
      const key = name as keyof ClientSettings;
      return JSON.stringify(after.settings[key]) !== JSON.stringify(before.settings[key]);
    }),
  ];
  const isRevoked = (before.enabled && !after.enabled) || losesTenants(before.settings, after.settings);
  const { updated } = await atomically(db, {
    updated: sql`UPDATE oauth_clients SET name = ${after.name}, enabled = ${Number(after.enabled)},
        settings = ${JSON.stringify(after.settings)}, updated_at = ${Math.max(nowMs, before.updatedAt + 1)},
        revoked_at = iif(${Number(isRevoked)}, ${nowMs}, revoked_at),
        logout_webhook_id = ${after.settings.backchannelLogoutUrl && (before.logoutWebhookId ?? webhook?.id ?? null)}
      WHERE id = ${before.id} AND tenant_id = ${before.tenantId} AND updated_at = ${before.updatedAt} RETURNING id`,
    recorded: recorded("client.updated", actor, before, { changed }),
    // What is before each of these has changed something only if the client has changed.
    webhook: webhook ? insertLogoutWebhook(webhook, nowMs) : changeLogoutWebhook(before, after, nowMs),
    revoked: isRevoked ? revokeTokens(before.id, nowMs) : undefined,
  });
  return updated.length === 1;
}

/**
 * Deletes a client, and ends its tokens. Its consents and grants open nothing without it, and a job removes them.
 * Returns false if there is none.
 */
export async function deleteClientOf(
  { db }: Deps,
  client: OwnClient & Pick<ClientRow, "logoutWebhookId">,
  actor: Actor,
  nowMs: number,
): Promise<boolean> {
  const { id, tenantId, logoutWebhookId } = client;
  const { deleted } = await atomically(db, {
    deleted: sql`DELETE FROM oauth_clients WHERE id = ${id} AND tenant_id = ${tenantId} RETURNING id`,
    recorded: recorded("client.deleted", actor, client),
    ending: noteEnding(id, { isDeleted: true }, nowMs),
    listed: revokeTokens(id, nowMs),
    rules: sql`DELETE FROM oauth_rules WHERE client_id = ${id}`,
    webhook: logoutWebhookId === null ? undefined : endLogoutWebhook(sql`s.id = ${logoutWebhookId}`, nowMs),
  });
  return deleted.length === 1;
}

/** Ends all sign-ins to a client. Returns false if there is none. */
export async function revokeClientOf(
  { db }: Deps,
  { id, tenantId }: OwnClient,
  actor: Actor,
  nowMs: number,
): Promise<boolean> {
  const { revoked } = await atomically(db, {
    revoked: sql`UPDATE oauth_clients SET revoked_at = ${nowMs} WHERE id = ${id} AND tenant_id = ${tenantId}
      RETURNING id`,
    recorded: recorded("client.tokens_revoked", actor, { id, tenantId }),
    ending: noteEnding(id, { isDeleted: false }, nowMs),
    listed: revokeTokens(id, nowMs),
  });
  return revoked.length === 1;
}

/** Replaces a secret. Returns the client as it is afterwards, if there is one, and whether it was replaced. */
export async function rotateSecret(
  { db }: Deps,
  { id, tenantId }: OwnClient,
  { hash, prefix, previousExpiresAt }: { hash: string; prefix: string; previousExpiresAt: number },
  actor: Actor,
  nowMs: number,
): Promise<{ row: ClientRow | undefined; isRotated: boolean }> {
  const { rotated, found } = await atomically(db, {
    rotated: sql`UPDATE oauth_clients SET previous_hash = secret_hash, previous_expires_at = ${previousExpiresAt},
        secret_hash = ${hash}, secret_prefix = ${prefix}, updated_at = max(updated_at + 1, ${nowMs})
      WHERE id = ${id} AND tenant_id = ${tenantId} AND auth = 'secret' AND (previous_expires_at IS NULL
        OR previous_expires_at <= ${nowMs})
      RETURNING id`,
    recorded: recorded("client.secret_rotated", actor, { id, tenantId }),
    found: selectClient(id),
  });
  const [row] = found;
  return { row: row && parsedClient(row), isRotated: rotated.length === 1 };
}

/** Ends the former secret. Returns false if there is no such client. */
export async function endFormerSecret(
  { db }: Deps,
  { id, tenantId }: OwnClient,
  actor: Actor,
  nowMs: number,
): Promise<boolean> {
  const { found } = await atomically(db, {
    ended: sql`UPDATE oauth_clients SET previous_hash = NULL, previous_expires_at = NULL
      WHERE id = ${id} AND tenant_id = ${tenantId} AND previous_expires_at > ${nowMs}`,
    recorded: recorded("client.secret_ended", actor, { id, tenantId }),
    found: selectClient(id),
  });
  return found.length === 1;
}

const USE_RESOLUTION_MS = 60_000;

/** Records that a client was used, to the minute. */
export async function touchClient({ db }: Deps, { id, lastUsedAt }: ClientRow, nowMs: number): Promise<void> {
  if (lastUsedAt !== null && nowMs - lastUsedAt < USE_RESOLUTION_MS) return;
  await query(db)`UPDATE oauth_clients SET last_used_at = ${nowMs} WHERE id = ${id}`;
}
