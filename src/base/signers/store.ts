/** Signers of tokens in the control plane. They belong to the service, not to a tenant. */
import { type SQL, sql } from "drizzle-orm";
import { atomically, type Db, jsonList, query, rows } from "../db/client";
import type { SignerId, SignerRow } from "./choose";

/** A signer as it is stored. */
export interface StoredSigner extends SignerRow {
  /** The entry of `SECRET_KEYS` under which the RSA key is encrypted; null for a signer without one. */
  keyId: string | null;
  privateSealed: string | null;
}

/** An RSA key that is about to be stored. */
export interface NewRsaKey {
  kid: string;
  keyId: string;
  privateSealed: string;
}

const ALL = rows<StoredSigner>(sql`SELECT kid, alg, issuer, seen_at AS seenAt, retired_at AS retiredAt,
    key_id AS keyId, private_sealed AS privateSealed FROM token_signers ORDER BY seen_at`);

export async function readSigners(db: Db): Promise<StoredSigner[]> {
  return (await atomically(db, { all: ALL })).all;
}

/** What versions without this table have signed with, newest first, of which only the newest signs. */
export interface FormerSigners {
  formerKids: readonly string[];
  formerIssuer: string;
}

/** Writes down what versions without this table have signed with, if there are any. */
const insertFormer = ({ formerKids, formerIssuer }: FormerSigners, nowMs: number): SQL =>
  sql`INSERT INTO token_signers (kid, alg, issuer, seen_at, retired_at)
      SELECT value, 'EdDSA', ${formerIssuer}, 0, iif(key = 0, NULL, ${nowMs}) FROM json_each(${jsonList(formerKids)})
      WHERE NOT EXISTS (SELECT 1 FROM token_signers) AND EXISTS (SELECT 1 FROM sessions)`;

/** The first signer of all waits for nothing. */
const seenAt = (nowMs: number): SQL => sql`iif(EXISTS (SELECT 1 FROM token_signers), ${nowMs}, 0)`;

/** Writes a signer down, as new if it is unknown or retired. Returns all signers. */
export async function registerSigner(
  db: Db,
  { kid, alg, issuer }: SignerId,
  former: FormerSigners,
  nowMs: number,
): Promise<StoredSigner[]> {
  const { all } = await atomically(db, {
    former: insertFormer(former, nowMs),
    configured: sql`INSERT INTO token_signers (kid, alg, issuer, seen_at)
      SELECT ${kid}, ${alg}, ${issuer}, ${seenAt(nowMs)} WHERE true
      ON CONFLICT (kid, alg, issuer) DO UPDATE SET seen_at = excluded.seen_at, retired_at = NULL
        WHERE retired_at IS NOT NULL`,
    all: ALL,
  });
  return all;
}

/** Stores an RSA key unless its entry of `SECRET_KEYS` has one: of two isolates, one wins. Returns all signers. */
export async function storeRsaKey(
  db: Db,
  { kid, keyId, privateSealed }: NewRsaKey,
  issuer: string,
  former: FormerSigners,
  nowMs: number,
): Promise<StoredSigner[]> {
  const { all } = await atomically(db, {
    former: insertFormer(former, nowMs),
    stored: sql`INSERT OR IGNORE INTO token_signers (kid, alg, issuer, seen_at, key_id, private_sealed)
      SELECT ${kid}, 'RS256', ${issuer}, ${seenAt(nowMs)}, ${keyId}, ${privateSealed}`,
    all: ALL,
  });
  return all;
}

/** Notes that a signer signs no longer. */
export async function retireSigners(db: Db, retired: readonly SignerId[], nowMs: number): Promise<void> {
  const list = retired.map(({ kid, alg, issuer }) => [kid, alg, issuer]);
  await query(db)`UPDATE token_signers SET retired_at = ${nowMs} WHERE retired_at IS NULL AND (kid, alg, issuer) IN
    (SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(${jsonList(list)}))`;
}
