/** What D1 knows of a client and of the person who is asked to sign in to it. A person can be in several tenants. */
import { sql } from "drizzle-orm";
import { atomically, jsonList, type Rows, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { Actor } from "../../base/schemas/actor";
import { PLATFORM_TENANT } from "../../base/schemas/tenant-ref";
import { SECOND_FACTOR_DUE } from "../../identity/tokens/due-store";
import { isRefusedByTenant } from "../../identity/tokens/sign-on-due-store";
import { auditEach, auditIfChanged } from "../../tenancy/audit/record-store";
import { isBlocked, isUnlistedRefused } from "../apps/rules/store";
import { type ClientRow, parsedClient, selectClient } from "../clients/store";
import { partsOf } from "../granted-scopes";
import { type StoredResource, selectAsked } from "../resources/store";

const MAX_TENANTS = 500;

/** A tenant that the person is a member of, and what they have allowed the client there. */
export interface Membership {
  tenantId: string;
  tenantName: string;
  externalId: string | null;
  isSuspended: 0 | 1;
  /** Whether the tenant or operators have blocked the client there. */
  isBlocked: 0 | 1;
  /** Whether the tenant refuses the client if nobody has registered it. */
  refusesUnlisted: 0 | 1;
  /** See `SECOND_FACTOR_DUE`. */
  secondFactorDueAt: number | null;
  /** Whether the tenant refuses the session, because it requires its own sign-on. */
  mustSignOn: 0 | 1;
  /** JSON list of scopes; null: nothing. */
  consented: string | null;
  /** Of an unlisted client: the hash of what it was then. */
  documentHash: string | null;
  /** When this session last signed in to the client there (Unix ms); null: never. */
  usedAt: number | null;
  /** Whether the person has a passkey. */
  hasPasskey: 0 | 1;
}

export interface ClientStanding {
  client: ClientRow | undefined;
  memberships: readonly Membership[];
  /** The APIs that the request names, and those of the client. */
  resources: readonly StoredResource[];
}

/** Whom a request is for, and which APIs it names, by their identifiers in D1. */
export interface WantedClient {
  clientId: string;
  identifiers: readonly string[];
}

/** The statements that read the client, and the tenants of whoever has the session: the one used last first. */
export const selectStanding = (
  { config, now }: Pick<Deps, "config" | "now">,
  { clientId, identifiers }: WantedClient,
  { userId, sessionId }: { userId: string; sessionId: string },
) => ({
  client: selectClient(clientId),
  resources: selectAsked(clientId, identifiers),
  memberships: rows<Membership>(sql`SELECT m.tenant_id AS tenantId, t.name AS tenantName, t.external_id AS externalId,
            t.suspended_at IS NOT NULL AS isSuspended, ${isBlocked(clientId, sql`m.tenant_id`)} AS isBlocked,
            (SELECT ${isUnlistedRefused(clientId)} FROM tenants bt WHERE bt.id = t.id) AS refusesUnlisted,
            ${SECOND_FACTOR_DUE} AS secondFactorDueAt, ${isRefusedByTenant(config, sql`s.amr`, now())} AS mustSignOn,
            (SELECT k.scopes FROM oauth_consents k WHERE k.user_id = u.id AND k.client_id = ${clientId}
              AND k.tenant_id = m.tenant_id) AS consented,
            (SELECT k.document_hash FROM oauth_consents k WHERE k.user_id = u.id AND k.client_id = ${clientId}
              AND k.tenant_id = m.tenant_id) AS documentHash,
            (SELECT g.issued_at FROM oauth_grants g WHERE g.session_id = s.id AND g.client_id = ${clientId}
              AND g.tenant_id = m.tenant_id) AS usedAt,
            EXISTS (SELECT 1 FROM passkeys k WHERE k.user_id = u.id) AS hasPasskey
          FROM sessions s JOIN users u ON u.id = s.user_id JOIN memberships m ON m.user_id = u.id
            JOIN tenants t ON t.id = m.tenant_id
          WHERE s.id = ${sessionId} AND s.user_id = ${userId} AND t.id <> ${PLATFORM_TENANT}
          ORDER BY m.last_used_at DESC, m.created_at LIMIT ${MAX_TENANTS}`),
});

type Read<S extends (...values: never[]) => Record<string, Rows<unknown>>> = {
  [Name in keyof ReturnType<S>]: ReturnType<S>[Name] extends Rows<infer Row> ? Row[] : never;
};

export const standingOf = ({
  client: [found],
  memberships,
  resources,
}: Read<typeof selectStanding>): ClientStanding => ({
  client: found && parsedClient(found),
  memberships,
  resources,
});

/** The same for nobody, in a round trip of its own. */
export async function readStanding(deps: Deps, wanted: WantedClient): Promise<ClientStanding> {
  const { client, resources } = await atomically(deps.db, {
    client: selectClient(wanted.clientId),
    resources: selectAsked(wanted.clientId, wanted.identifiers),
  });
  const [found] = client;
  return { client: found && parsedClient(found), memberships: [], resources };
}

/** What a person allows a client in a tenant, in a session. */
export interface NewConsent {
  userId: string;
  sessionId: string;
  clientId: string;
  tenantId: string;
  scopes: readonly string[];
  /** Of an unlisted client: the hash of what it is; null for a registered one. */
  documentHash: string | null;
}

/**
 * The statements that add the scopes to what the person has allowed the client in the tenant, if the session is live,
 * both are still there, and the person has not connected `most` others.
 */
export function storingConsent(
  { userId, sessionId, clientId, tenantId, scopes, documentHash }: NewConsent,
  actor: Actor,
  { most, nowMs }: { most: number; nowMs: number },
) {
  const others = sql`(SELECT count(*) FROM oauth_consents o WHERE o.user_id = ${userId}
    AND NOT (o.client_id = ${clientId} AND o.tenant_id = ${tenantId}))`;
  const both = sql`(SELECT json_group_array(value) FROM (SELECT value FROM json_each(oauth_consents.scopes)
      WHERE oauth_consents.document_hash IS excluded.document_hash
    UNION SELECT value FROM json_each(excluded.scopes)))`;
  return {
    stored: sql`INSERT INTO oauth_consents (user_id, client_id, tenant_id, scopes, created_at, updated_at, used_at,
        document_hash)
      SELECT ${userId}, ${clientId}, ${tenantId}, ${jsonList(scopes)}, ${nowMs}, ${nowMs}, ${nowMs}, ${documentHash}
        FROM sessions s JOIN memberships m ON m.user_id = s.user_id AND m.tenant_id = ${tenantId}
        JOIN tenants t ON t.id = m.tenant_id JOIN oauth_clients c ON c.id = ${clientId}
      WHERE s.id = ${sessionId} AND s.user_id = ${userId} AND s.expires_at > ${nowMs} AND t.suspended_at IS NULL
        AND c.enabled = 1 AND ${others} < ${most}
      ON CONFLICT (user_id, client_id, tenant_id) DO UPDATE SET scopes = ${both}, updated_at = ${nowMs},
        used_at = ${nowMs}, document_hash = excluded.document_hash`,
    recorded: auditIfChanged({
      tenantId,
      action: "app.connected",
      actor,
      target: { kind: "app", id: clientId },
      meta: { scopes: scopes.map((scope) => partsOf(scope).scope) },
    }),
  };
}

/** The statement that records that a person lets a device in, if the session is live and may. */
export const recordingDevice = (
  { userId, sessionId, clientId, tenantId }: Omit<NewConsent, "scopes" | "documentHash">,
  actor: Actor,
  nowMs: number,
) =>
  auditEach(
    { tenantId, action: "app.device_approved", actor, target: { kind: "app", id: clientId } },
    sql`sessions s JOIN memberships m ON m.user_id = s.user_id AND m.tenant_id = ${tenantId}
      WHERE s.id = ${sessionId} AND s.user_id = ${userId} AND s.expires_at > ${nowMs}`,
    nowMs,
  );
