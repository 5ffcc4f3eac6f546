/** Signers of tokens in the control plane. They belong to the service, not to a tenant. */
import { sql } from "drizzle-orm";
import { atomically, type Db, jsonList, query, rows } from "../db/client";
import type { SignerId, SignerRow } from "./choose";

const ALL = rows<SignerRow>(
  sql`SELECT kid, alg, issuer, seen_at AS seenAt, retired_at AS retiredAt FROM token_signers ORDER BY seen_at`,
);

export async function readSigners(db: Db): Promise<SignerRow[]> {
  return (await atomically(db, { all: ALL })).all;
}

/**
 * Writes the configured signer down, as new if it is unknown or retired. The first one of all waits for nothing. If
 * versions without this table have signed tokens, what they signed with is written down before it: `formerKids` under
 * `formerIssuer`, newest first, of which only the newest signs. Returns all signers.
 */
export async function registerSigner(
  db: Db,
  configured: SignerId,
  { formerKids, formerIssuer }: { formerKids: readonly string[]; formerIssuer: string },
  nowMs: number,
): Promise<SignerRow[]> {
  const { kid, alg, issuer } = configured;
  const { all } = await atomically(db, {
    former: sql`INSERT INTO token_signers (kid, alg, issuer, seen_at, retired_at)
      SELECT value, 'EdDSA', ${formerIssuer}, 0, iif(key = 0, NULL, ${nowMs}) FROM json_each(${jsonList(formerKids)})
      WHERE NOT EXISTS (SELECT 1 FROM token_signers) AND EXISTS (SELECT 1 FROM sessions)`,
    configured: sql`INSERT INTO token_signers (kid, alg, issuer, seen_at)
      SELECT ${kid}, ${alg}, ${issuer}, iif(EXISTS (SELECT 1 FROM token_signers), ${nowMs}, 0) WHERE true
      ON CONFLICT (kid, alg, issuer) DO UPDATE SET seen_at = excluded.seen_at, retired_at = NULL
        WHERE retired_at IS NOT NULL`,
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
