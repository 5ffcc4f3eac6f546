/** Purges in D1: the deletions under way, across tenants, and how far each has come. */
import { sql } from "drizzle-orm";
import { atomically, jsonList, query } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { Locale } from "../../base/schemas/locales";

/** How many members are told of a tenant's end from one value: 100,000 ids would not fit into one. */
export const MEMBERS_ON_PAGE = 1_000;

/** A deletion under way. Times are Unix ms. */
export interface Purge {
  id: string;
  kind: "user" | "tenant";
  /** Of the user or the tenant. */
  subjectId: string;
  /** The delivery database of a tenant. */
  shard: number | null;
  /** The delivery database from which the tenant was moved, while that has rows of it. */
  formerShard: number | null;
  /** The former address of a user. */
  email: string | null;
  /** Where the confirmation goes; null for nowhere. */
  mailTo: string | null;
  name: string | null;
  /** Of a user who has chosen one. */
  locale: Locale | null;
  /** JSON array of user ids: the first page of them. */
  members: string;
  createdAt: number;
  /** The name of the next step; "" for the first one. */
  step: string;
  /** How far that step has come; "" for its beginning. */
  cursor: string;
}

/**
 * Takes up to `limit` due purges, the longest waiting first: those of the tenants of a delivery database; for database
 * 0, also those of users and of tenants whose database is not bound. Nobody else takes them before `leaseUntil` (Unix
 * ms).
 */
export async function takePurges(
  { db, shards }: Deps,
  shard: number,
  nowMs: number,
  { limit, leaseUntil }: { limit: number; leaseUntil: number },
): Promise<Purge[]> {
  const others = shards.numbers.filter((number) => number !== 0);
  const isHere =
    shard === 0
      ? sql`coalesce(shard, 0) NOT IN (SELECT value FROM json_each(${jsonList(others)}))`
      : sql`shard = ${shard}`;
  return query<Purge>(db)`UPDATE purges SET run_at = ${leaseUntil}
    WHERE id IN (SELECT id FROM purges WHERE run_at <= ${nowMs} AND ${isHere}
      ORDER BY run_at LIMIT ${limit})
    RETURNING id, kind, subject_id AS subjectId, shard, former_shard AS formerShard, email, mail_to AS mailTo, name,
      locale, members, created_at AS createdAt, step, cursor`;
}

/** Stores how far a purge has come, and when it continues. */
export async function savePurge({ db }: Deps, { id, step, cursor }: Purge, runAt: number): Promise<void> {
  await query(db)`UPDATE purges SET step = ${step}, cursor = ${cursor}, run_at = ${runAt} WHERE id = ${id}`;
}

/** Returns whether tenants that were deleted with an account are still being removed. */
export async function hasOpenParts({ db }: Deps, { id }: Purge): Promise<boolean> {
  const found = await query(db)`SELECT 1 FROM purges WHERE part_of = ${id} LIMIT 1`;
  return found.length > 0;
}

/** Whom a purge tells, from the member with this number on, as far as their page goes; none after the last one. */
export async function readMembersFrom({ db }: Deps, { id, members }: Purge, number: number): Promise<string[]> {
  const first = JSON.parse(members) as string[];
  if (number < first.length || first.length < MEMBERS_ON_PAGE) return first.slice(number);
  const position = number - (number % MEMBERS_ON_PAGE);
  const found = await query<{ members: string }>(db)`SELECT members FROM purge_members
    WHERE purge_id = ${id} AND position = ${position}`;
  return (JSON.parse(found[0]?.members ?? "[]") as string[]).slice(number - position);
}

export async function deletePurge({ db }: Deps, { id }: Purge): Promise<void> {
  await atomically(db, {
    members: sql`DELETE FROM purge_members WHERE purge_id = ${id}`,
    purge: sql`DELETE FROM purges WHERE id = ${id}`,
  });
}
