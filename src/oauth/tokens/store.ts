/** The exchange of codes, and what tokens still open, in D1. A grant names its tenant, so no other one is given. */
import { type SQL, sql } from "drizzle-orm";
import { atomically, rows } from "../../base/db/client";
import { isUnused } from "../../base/db/used-states-store";
import type { Deps } from "../../base/deps";
import { anonymous, type RequestOrigin } from "../../base/schemas/actor";
import { SECOND_FACTOR_DUE } from "../../identity/tokens/due-store";
import { auditIfChanged } from "../../tenancy/audit/record-store";
import type { Code } from "../authorization/code";
import { type ClientRow, parsedClient, selectClient } from "../clients/store";
import type { ClaimSubject } from "./claims";

/** How a client proves itself: the hash of its secret; null for a client without one. */
export interface Proof {
  clientId: string;
  secretHash: string | null;
}

/** Whether the client `c` is the one that has proven itself. */
const isProven = ({ clientId, secretHash }: Proof, nowMs: number): SQL => sql`c.id = ${clientId} AND c.enabled = 1
  AND iif(c.auth = 'none', ${secretHash} IS NULL, ${secretHash} IN (c.secret_hash,
    iif(c.previous_expires_at > ${nowMs}, c.previous_hash, NULL)))`;

/** The client, if it has proven itself. */
export async function findProven({ db }: Deps, proof: Proof, nowMs: number): Promise<ClientRow | undefined> {
  const { proven, client } = await atomically(db, {
    proven: rows<{ id: string }>(sql`SELECT c.id FROM oauth_clients c WHERE ${isProven(proof, nowMs)}`),
    client: selectClient(proof.clientId),
  });
  const [found] = client;
  return found && proven.length === 1 ? parsedClient(found) : undefined;
}

export interface SubjectRow extends ClaimSubject {
  userId: string;
  /** JSON. */
  amr: string | null;
  authenticatedAt: number;
}

/** The person `u` of the session `s`, as a member `m` of the tenant `t`, while all of it stands. */
const SUBJECT = sql`s.user_id AS userId, u.email, u.name, u.external_id AS externalId,
  u.email_verified_at AS emailVerifiedAt, coalesce(u.updated_at, u.created_at) AS updatedAt, m.tenant_id AS tenantId,
  t.name AS tenantName, t.external_id AS tenantExternalId, m.role, s.amr,
  max(s.created_at, coalesce(s.confirmed_at, 0)) AS authenticatedAt`;

const standing = (sessionId: SQL, tenantId: SQL, nowMs: number): SQL => sql`sessions s JOIN users u ON u.id = s.user_id
    JOIN memberships m ON m.user_id = u.id AND m.tenant_id = ${tenantId} JOIN tenants t ON t.id = m.tenant_id
  WHERE s.id = ${sessionId} AND s.expires_at > ${nowMs} AND u.suspended_at IS NULL AND t.suspended_at IS NULL
    AND coalesce(${SECOND_FACTOR_DUE} > ${nowMs}, true)`;

/** Whether the tenant is one that the client `c` is for. */
const isForTenant = (tenantId: SQL): SQL => sql`(json_type(c.settings, '$.tenants') = 'null'
  OR ${tenantId} IN (SELECT value FROM json_each(c.settings, '$.tenants')))`;

export interface Exchanged {
  /** Undefined if the client has not proven itself. */
  client: ClientRow | undefined;
  /** Undefined if the code gave nothing: it was used before, or its session has ended. */
  granted: (SubjectRow & { grantId: string }) | undefined;
}

/** Who exchanges a code. */
export interface CodeExchange {
  code: Code;
  proof: Proof;
  grantId: string;
  origin: RequestOrigin;
}

/** A client that has lost the answer sends its code again. */
const SENT_TWICE_MS = 10_000;

/**
 * Uses a code for a client that has proven itself, and starts or renews its sign-in in the session. A code that was
 * used before ends what it gave (RFC 6749 section 4.1.2), unless it comes from the same address within ten seconds.
 */
export async function exchangeCode(
  { db }: Deps,
  { code, proof, grantId, origin }: CodeExchange,
  nowMs: number,
): Promise<Exchanged> {
  const { sessionId, tenantId } = code;
  const clientStands = sql`SELECT 1 FROM oauth_clients c WHERE ${isProven(proof, nowMs)}
    AND coalesce(c.revoked_at, 0) < ${code.issuedAt} AND ${isForTenant(sql`${tenantId}`)}`;
  const stands = sql`EXISTS (SELECT 1 FROM ${standing(sql`${sessionId}`, sql`${tenantId}`, nowMs)})`;
  const isOfGrant = sql`session_id = ${sessionId} AND client_id = ${proof.clientId} AND tenant_id = ${tenantId}`;
  const { client, proven, granted } = await atomically(db, {
    client: selectClient(proof.clientId),
    proven: rows<{ id: string }>(sql`SELECT c.id FROM oauth_clients c WHERE ${isProven(proof, nowMs)}`),
    ended: sql`DELETE FROM oauth_grants WHERE ${isOfGrant} AND EXISTS (${clientStands}) AND NOT (${isUnused(code.id)})
      AND NOT (issued_at > ${nowMs - SENT_TWICE_MS} AND issued_to IS ${origin.ip})`,
    recorded: auditIfChanged({
      tenantId,
      action: "app.code_reused",
      actor: anonymous(origin),
      target: { kind: "app", id: proof.clientId },
    }),
    grant: sql`INSERT INTO oauth_grants (id, user_id, client_id, tenant_id, session_id, created_at, issued_at,
        issued_to)
      SELECT ${grantId}, s.user_id, ${proof.clientId}, ${tenantId}, s.id, ${nowMs}, ${nowMs}, ${origin.ip}
      FROM sessions s WHERE s.id = ${sessionId} AND ${isUnused(code.id)} AND EXISTS (${clientStands}) AND ${stands}
        AND ${nowMs} < ${code.validUntil}
      ON CONFLICT (session_id, client_id, tenant_id) DO UPDATE SET issued_at = excluded.issued_at,
        issued_to = excluded.issued_to`,
    granted: rows<SubjectRow & { grantId: string }>(sql`SELECT (SELECT g.id FROM oauth_grants g WHERE ${isOfGrant})
        AS grantId, ${SUBJECT} FROM ${standing(sql`${sessionId}`, sql`${tenantId}`, nowMs)} AND changes() = 1`),
    // Last, because the statements before ask whether it was used. A client that has not proven itself uses up none.
    used: sql`INSERT OR IGNORE INTO used_states (id) SELECT ${code.id} WHERE EXISTS (${clientStands})`,
  });
  const [row] = client;
  return { client: row && proven.length === 1 ? parsedClient(row) : undefined, granted: granted[0] };
}

/** The sign-in of an access token with its person, while its client, its session and the membership stand. */
export async function findSignedIn(
  { db }: Deps,
  { grantId, clientId, issuedAt }: { grantId: string; clientId: string; issuedAt: number },
  nowMs: number,
): Promise<SubjectRow | undefined> {
  const grant = (column: SQL) => sql`(SELECT g.${column} FROM oauth_grants g JOIN oauth_clients c ON c.id = g.client_id
    WHERE g.id = ${grantId} AND g.client_id = ${clientId} AND c.enabled = 1
      AND coalesce(c.revoked_at, 0) < ${issuedAt} AND ${isForTenant(sql`g.tenant_id`)})`;
  const { found } = await atomically(db, {
    found: rows<SubjectRow>(
      sql`SELECT ${SUBJECT} FROM ${standing(grant(sql`session_id`), grant(sql`tenant_id`), nowMs)}`,
    ),
  });
  return found[0];
}
