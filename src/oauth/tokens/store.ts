/** The exchange of codes, and what grants still open, in D1. A grant names its tenant, so no other one is given. */
import { type SQL, sql } from "drizzle-orm";
import { atomically, jsonList, type Rows, rows } from "../../base/db/client";
import { isUnused, useState } from "../../base/db/used-states-store";
import type { Deps } from "../../base/deps";
import { insertRevert, type NewRevert } from "../../base/mail/revert-store";
import { anonymous, type RequestOrigin } from "../../base/schemas/actor";
import { LATER_SETTINGS } from "../../base/schemas/client-settings";
import { DAY_MS, MINUTE_MS } from "../../base/time";
import { dueAt, SECOND_FACTOR_DUE } from "../../identity/tokens/due-store";
import { isRefusedByTenant, type SignOnRule } from "../../identity/tokens/sign-on-due-store";
import { auditIfChanged } from "../../tenancy/audit/record-store";
import { isBlocked, isForTenant } from "../apps/rules/store";
import type { Code } from "../authorization/code";
import { type ClientRow, parsedClient, selectClient } from "../clients/store";
import { resourceIdsOf } from "../granted-scopes";
import { API_RESOURCE } from "../resources/keys";
import { type StoredResource, selectAsked, selectResource } from "../resources/store";
import { CONFIRMED_AT, PROVIDER_OF_GRANT, type SubjectRow, subject } from "./subject-store";

/** How a client proves itself. */
export interface Proof {
  clientId: string;
  /** What a registration calls itself; missing for other clients. */
  longId?: string | undefined;
  /** Whether a client by its document must be one that operators have listed; missing: not. */
  isListedOnly?: true;
  /** The hash of its secret; null without. */
  secretHash: string | null;
  /** Of the assertion that its key has signed, which is checked already; null without. It works once. */
  useId: string | null;
  /** The thumbprint of the key that it shows (RFC 9449), which is checked already; null without. */
  jkt: string | null;
}

/** Whether it proves more than that it knows the client's id, which everybody may. */
export const isConfidential = ({ secretHash, useId }: Proof): boolean => secretHash !== null || useId !== null;

/** Whether the client `c` is the one that has proven itself. The batch that asks ends with `useProof`. */
export const isProven = (
  { clientId, secretHash, useId, isListedOnly }: Proof,
  nowMs: number,
): SQL => sql`c.id = ${clientId} AND c.enabled = 1 ${isListedOnly ? sql`AND c.kind <> 'metadata'` : sql``}
  AND CASE c.auth WHEN 'none' THEN ${secretHash} IS NULL AND ${useId} IS NULL
    WHEN 'private_key_jwt' THEN ${useId === null ? sql`false` : isUnused(useId)}
    ELSE ${secretHash} IN (c.secret_hash, iif(c.previous_expires_at > ${nowMs}, c.previous_hash, NULL)) END`;

/** The last statement of a batch that asks `isProven`: an assertion works once. */
export const useProof = ({ useId }: Proof): { proof?: SQL } => (useId === null ? {} : { proof: useState(useId) });

/** Whether the client `c` shows a key if it must. */
export const showsKey = ({ jkt }: Proof): SQL =>
  jkt === null ? sql`coalesce(c.settings ->> '$.dpop', 'off') <> 'required'` : sql`true`;

/** The client, if it has proven itself, and the APIs with these identifiers and of the client. */
export async function findProven(
  { db }: Deps,
  proof: Proof,
  identifiers: readonly string[],
  nowMs: number,
): Promise<{ client: ClientRow; resources: readonly StoredResource[] } | undefined> {
  const { proven, client, resources } = await atomically(db, {
    proven: rows<{ id: string }>(sql`SELECT c.id FROM oauth_clients c WHERE ${isProven(proof, nowMs)}`),
    client: selectClient(proof.clientId),
    resources: selectAsked(proof.clientId, identifiers),
    ...useProof(proof),
  });
  const [found] = client;
  return found && proven.length === 1 ? { client: parsedClient(found), resources } : undefined;
}

const SUBJECT = subject(sql`s.amr`, CONFIRMED_AT);

const standing = (
  rule: SignOnRule,
  { sessionId, tenantId }: Pick<Code, "sessionId" | "tenantId">,
  nowMs: number,
): SQL => sql`sessions s JOIN users u ON u.id = s.user_id
    JOIN memberships m ON m.user_id = u.id AND m.tenant_id = ${tenantId} JOIN tenants t ON t.id = m.tenant_id
  WHERE s.id = ${sessionId} AND s.expires_at > ${nowMs}
    AND (s.connection_id IS NULL OR s.tenant_id = ${tenantId}) AND u.suspended_at IS NULL AND t.suspended_at IS NULL
    AND coalesce(${SECOND_FACTOR_DUE} > ${nowMs}, true) AND NOT ${isRefusedByTenant(rule, sql`s.amr`, nowMs)}`;

export interface Exchanged {
  /** Undefined if the client has not proven itself. */
  client: ClientRow | undefined;
  /** Undefined if the code gave nothing: it was used before, or its session has ended. */
  granted: (SubjectRow & { signInId: string; offlineGrantId: string | null }) | undefined;
  /** What D1 has of the API of the access token. */
  resources: readonly StoredResource[];
  /** Whether an app that asks stays connected for the first time, or may use our API, which the person is told of. */
  isToTell: boolean;
}

/** Who exchanges a code. */
export interface CodeExchange {
  code: Code;
  proof: Proof;
  /** Of the session's sign-in, unless it has one. */
  signInId: string;
  origin: RequestOrigin;
  userAgent: string | null;
  /** Of the mail about an app that has been connected. */
  revert: NewRevert;
  /** The id of the API of the access token; null: it is for userinfo. */
  targetId: string | null;
}

/** A client that has lost the answer sends its code again. */
const SENT_TWICE_MS = 10_000;
const MAX_OFFLINE_GRANTS = 20;

/**
 * Uses a code for a client that has proven itself, and starts or renews its sign-in in the session. A code that was
 * used before ends what it gave (RFC 6749 section 4.1.2), unless it comes from the same address within ten seconds.
 */
export async function exchangeCode(
  { db, config }: Deps,
  { code, proof, signInId, origin, userAgent, revert, targetId }: CodeExchange,
  nowMs: number,
): Promise<Exchanged> {
  const { sessionId, tenantId, offlineGrantId = null } = code;
  const clientStands = sql`SELECT 1 FROM oauth_clients c WHERE ${isProven(proof, nowMs)}
    AND coalesce(c.revoked_at, 0) < ${code.issuedAt} AND ${isForTenant(tenantId)}
    AND NOT ${isBlocked(proof.clientId, tenantId)} AND ${showsKey(proof)}`;
  const stands = sql`EXISTS (SELECT 1 FROM ${standing(config, code, nowMs)})`;
  const isInTime = sql`${nowMs} < ${code.validUntil}`;
  const isOfGrant = sql`session_id = ${sessionId} AND client_id = ${proof.clientId} AND tenant_id = ${tenantId}`;
  const { client, proven, granted, told, resources } = await atomically(db, {
    client: selectClient(proof.clientId),
    resources: targetId === null ? undefined : selectResource(targetId),
    proven: rows<{ id: string }>(sql`SELECT c.id FROM oauth_clients c WHERE ${isProven(proof, nowMs)}`),
    ended: sql`DELETE FROM oauth_grants WHERE id IN (SELECT id FROM oauth_grants WHERE ${isOfGrant}
        UNION ALL SELECT ${offlineGrantId}) AND EXISTS (${clientStands}) AND NOT (${isUnused(code.id)})
      AND NOT (issued_at > ${nowMs - SENT_TWICE_MS} AND issued_to IS ${origin.ip})`,
    recorded: auditIfChanged({
      tenantId,
      action: "app.code_reused",
      actor: anonymous(origin),
      target: { kind: "app", id: proof.clientId },
    }),
    grant: sql`INSERT INTO oauth_grants (id, user_id, client_id, tenant_id, session_id, created_at, issued_at,
        issued_to)
      SELECT ${signInId}, s.user_id, ${proof.clientId}, ${tenantId}, s.id, ${nowMs}, ${nowMs}, ${origin.ip}
      FROM sessions s WHERE s.id = ${sessionId} AND ${isUnused(code.id)} AND EXISTS (${clientStands}) AND ${stands}
        AND ${isInTime}
      ON CONFLICT (session_id, client_id, tenant_id) DO UPDATE SET issued_at = excluded.issued_at,
        issued_to = excluded.issued_to`,
    granted: rows<SubjectRow & { signInId: string; offlineGrantId: string | null }>(sql`SELECT
        (SELECT g.id FROM oauth_grants g WHERE ${isOfGrant}) AS signInId, ${offlineGrantId} AS offlineGrantId,
        ${SUBJECT}
      FROM ${standing(config, code, nowMs)} AND changes() = 1`),
    ...insertOfflineGrant(code, { proof, origin, userAgent, revert, isOfGrant }, nowMs),
    ...(offlineGrantId === null ? tellOfOurApi(code, { signInId, revert }, nowMs) : {}),
    allowed: touchConsent(code, sql`EXISTS (${clientStands}) AND ${isUnused(code.id)}`, nowMs),
    // Last, because others ask for it. One that gave nothing is not used up: it would end what another code gave.
    used: sql`INSERT OR IGNORE INTO used_states (id)
      SELECT ${code.id} WHERE EXISTS (${clientStands}) AND ${stands} AND ${isInTime}`,
    ...useProof(proof),
  });
  const [row] = client;
  const known = row && proven.length === 1 ? parsedClient(row) : undefined;
  return { client: known, granted: granted[0], resources, isToTell: told !== undefined && told.length > 0 };
}

const USE_RESOLUTION_MS = 30 * DAY_MS;

/** Notes that what the person has allowed the client is in use. */
const touchConsent = ({ clientId, tenantId, sessionId }: Code, condition: SQL, nowMs: number): SQL =>
  sql`UPDATE oauth_consents SET used_at = ${nowMs} WHERE client_id = ${clientId} AND tenant_id = ${tenantId}
    AND user_id = (SELECT s.user_id FROM sessions s WHERE s.id = ${sessionId})
    AND coalesce(used_at, 0) < ${nowMs - USE_RESOLUTION_MS} AND ${condition}`;

/** The key of the refresh token. A secret binds that of an app which has one, so that it can change its key. */
const keyOf = ({ jkt }: Proof): SQL =>
  sql`iif(c.auth = 'none' AND coalesce(c.settings ->> '$.dpop', 'off') <> 'off', ${jkt}, NULL)`;

interface OfflineStatements {
  offline?: SQL;
  oldest?: SQL;
  undo?: SQL;
  told?: Rows<{ told: 1 }>;
}

/** Follows the statement that starts or renews the sign-in. Ends the oldest grants beyond the most. */
function insertOfflineGrant(
  { clientId, tenantId, scopes, offlineGrantId: id }: Code,
  {
    proof,
    origin,
    userAgent,
    revert,
    isOfGrant,
  }: Omit<CodeExchange, "code" | "signInId" | "targetId"> & { isOfGrant: SQL },
  nowMs: number,
): OfflineStatements {
  if (id === undefined) return {};
  const owner = sql`(SELECT n.user_id FROM oauth_grants n WHERE n.id = ${id} AND n.created_at = ${nowMs})`;
  const isFirst = sql`EXISTS (SELECT 1 FROM oauth_clients c WHERE c.id = ${clientId}
      AND c.settings ->> '$.consent' = 'ask')
    AND NOT EXISTS (SELECT 1 FROM oauth_grants o WHERE o.user_id = u.id AND o.client_id = ${clientId}
      AND o.tenant_id = ${tenantId} AND o.generation IS NOT NULL AND o.id <> ${id})`;
  const after = (setting: "idleDays" | "maxDays") =>
    sql`${nowMs} + coalesce(c.settings ->> ${`$.${setting}`}, ${LATER_SETTINGS[setting]}) * ${DAY_MS}`;
  return {
    offline: sql`INSERT INTO oauth_grants (id, user_id, client_id, tenant_id, session_id, created_at, issued_at, jkt,
        issued_to, device, scopes, generation, expires_at, ends_at, sign_in_id, amr, authenticated_at, connection_id)
      SELECT ${id}, g.user_id, g.client_id, g.tenant_id, ${id}, ${nowMs}, ${nowMs}, ${keyOf(proof)},
        ${origin.ip}, ${userAgent}, ${jsonList(scopes)}, 1, ${after("idleDays")}, ${after("maxDays")}, g.id, s.amr,
        ${CONFIRMED_AT}, s.connection_id
      FROM oauth_clients c, oauth_grants g JOIN sessions s ON s.id = g.session_id
      WHERE changes() = 1 AND c.id = ${clientId} AND g.id = (SELECT id FROM oauth_grants WHERE ${isOfGrant})`,
    oldest: sql`DELETE FROM oauth_grants WHERE id IN (SELECT o.id FROM oauth_grants n JOIN oauth_grants o
        ON o.user_id = n.user_id AND o.client_id = ${clientId} AND o.tenant_id = ${tenantId} AND o.session_id = o.id
      WHERE n.id = ${id} ORDER BY o.created_at DESC, o.id DESC LIMIT -1 OFFSET ${MAX_OFFLINE_GRANTS})`,
    undo: insertRevert(revert, owner, "app", { condition: isFirst }),
    told: rows(sql`SELECT 1 AS told FROM email_tokens WHERE hash = ${revert.hash}`),
  };
}

/**
 * An app that may use our API while the person is signed in is told of once it was asked about, unless it has another
 * sign-in. Follows the statement that starts or renews this one.
 */
function tellOfOurApi(
  { clientId, tenantId, scopes, issuedAt }: Code,
  { signInId, revert }: Pick<CodeExchange, "signInId" | "revert">,
  nowMs: number,
): OfflineStatements {
  if (!resourceIdsOf(scopes).includes(API_RESOURCE)) return {};
  const owner = sql`(SELECT n.user_id FROM oauth_grants n WHERE n.id = ${signInId} AND n.created_at = ${nowMs})`;
  const condition = sql`EXISTS (SELECT 1 FROM oauth_consents k WHERE k.user_id = u.id AND k.client_id = ${clientId}
      AND k.tenant_id = ${tenantId} AND k.updated_at > ${issuedAt - MINUTE_MS})
    AND NOT EXISTS (SELECT 1 FROM oauth_grants o WHERE o.user_id = u.id AND o.client_id = ${clientId}
      AND o.tenant_id = ${tenantId} AND o.id <> ${signInId})`;
  return {
    undo: insertRevert(revert, owner, "app", { condition }),
    told: rows(sql`SELECT 1 AS told FROM email_tokens WHERE hash = ${revert.hash}`),
  };
}

/** The grant of an access token or a refresh token. */
export interface NamedGrant {
  grantId: string;
  clientId: string;
}

export interface StandingGrant extends SubjectRow {
  signInId: string;
  /** JSON list; null for a sign-in. */
  grantedScopes: string | null;
  /** Null for a sign-in. */
  generation: number | null;
  /** When it last gave tokens (Unix ms), to which address and which `User-Agent`. */
  issuedAt: number;
  issuedTo: string | null;
  device: string | null;
  /** The thumbprint of the key to which the refresh token is bound; null for none. */
  jkt: string | null;
  /** When it ends unless it is used (Unix ms); null for a sign-in. */
  expiresAt: number | null;
}

/**
 * The grant `g` with its person, while all that it rests on stands. `issuedAt` (Unix ms) is that of an access token;
 * null for a refresh token, which outlives the tokens that ended when the client was disabled.
 */
export const selectStandingGrant = (
  rule: SignOnRule,
  { grantId, clientId }: NamedGrant,
  issuedAt: number | null,
  nowMs: number,
) =>
  rows<StandingGrant>(sql`SELECT coalesce(g.sign_in_id, g.id) AS signInId, g.scopes AS grantedScopes, g.generation,
      g.issued_at AS issuedAt, g.issued_to AS issuedTo, g.device, g.jkt, g.expires_at AS expiresAt,
      ${subject(sql`coalesce(s.amr, g.amr)`, sql`coalesce(${CONFIRMED_AT}, g.authenticated_at)`, PROVIDER_OF_GRANT)}
    FROM oauth_grants g JOIN oauth_clients c ON c.id = g.client_id JOIN users u ON u.id = g.user_id
      JOIN memberships m ON m.tenant_id = g.tenant_id AND m.user_id = g.user_id JOIN tenants t ON t.id = g.tenant_id
      LEFT JOIN sessions s ON s.id = g.session_id
    WHERE g.id = ${grantId} AND g.client_id = ${clientId} AND c.enabled = 1
      AND ${issuedAt === null ? HAS_NOT_ENDED : sql`coalesce(c.revoked_at, 0) < ${issuedAt}`}
      AND ${isForTenant(sql`g.tenant_id`)}
      AND NOT ${isBlocked(clientId, sql`g.tenant_id`)}
      AND coalesce(s.expires_at, g.expires_at) > ${nowMs}
      AND u.suspended_at IS NULL AND t.suspended_at IS NULL
      AND coalesce(${dueAt(sql`coalesce(s.amr, g.amr)`)} > ${nowMs}, true)
      AND NOT ${isRefusedByTenant(rule, sql`coalesce(s.amr, g.amr)`, nowMs)}`);

/** Whether the grants of the client were ended since `g` was made. A job removes the rows later. */
const HAS_NOT_ENDED = sql`NOT EXISTS (SELECT 1 FROM oauth_endings e
  WHERE e.client_id = g.client_id AND e.at >= g.created_at)`;

/** The grant of an access token that was issued at `issuedAt` (Unix ms), while it stands. */
export async function findStandingGrant(
  { db, config }: Deps,
  { issuedAt, ...named }: NamedGrant & { issuedAt: number },
  nowMs: number,
): Promise<StandingGrant | undefined> {
  return (await atomically(db, { found: selectStandingGrant(config, named, issuedAt, nowMs) })).found[0];
}
