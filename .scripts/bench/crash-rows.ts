/** The delivery tables while the service is dead, read from a copy of the database file. */
import { cpSync, globSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** A delivery that is still owed. */
export interface OwedRow {
  id: string;
  eventId: string;
  subscriptionId: string;
}

export interface AttemptRow {
  id: string;
  deliveryId: string;
  eventId: string;
  subscriptionId: string;
  status: "pending" | "success" | "failed";
  error: string | null;
  attemptCount: number;
  /** Unix ms. */
  attemptedAt: number;
}

export interface Rows {
  owed: OwedRow[];
  /** Oldest first. */
  attempts: AttemptRow[];
}

/** Reads a copy, because opening the file itself would write to it. */
export function readRows(state: string): Rows {
  const [file] = globSync(join(state, "v3/d1/*/*.sqlite")).filter((path) => basename(path) !== "metadata.sqlite");
  if (!file) throw new Error("the service has left no database");
  const copy = mkdtempSync(join(tmpdir(), "postern-crash-copy-"));
  try {
    cpSync(dirname(file), copy, { recursive: true, filter: (path) => !path.endsWith("-shm") });
    const database = new DatabaseSync(join(copy, basename(file)));
    const all = <T>(query: string) => database.prepare(query).all() as T[];
    const rows = {
      owed: all<OwedRow>("SELECT id, event_id AS eventId, subscription_id AS subscriptionId FROM outbox"),
      attempts: all<AttemptRow>(
        `SELECT id, coalesce(delivery_id, id) AS deliveryId, event_id AS eventId, subscription_id AS subscriptionId,
          status, error,
          attempt_count AS attemptCount, attempted_at AS attemptedAt
        FROM attempts WHERE status <> 'moved' ORDER BY attempted_at, id`,
      ),
    };
    database.close();
    return rows;
  } finally {
    rmSync(copy, { recursive: true });
  }
}
