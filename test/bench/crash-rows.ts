/** What D1 holds while the service is dead, read off a copy of its file. */
import { cpSync, globSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";

export interface DeliveryRow {
  id: string;
  eventId: string;
  webhookId: string;
  /** 1 while an attempt is due or under way. */
  open: 0 | 1;
}

export interface AttemptRow {
  id: string;
  deliveryId: string;
  webhookId: string;
  status: "pending" | "success" | "failed";
  error: string | null;
  attemptCount: number;
  /** Unix ms. */
  attemptedAt: number;
}

export interface Rows {
  deliveries: DeliveryRow[];
  /** Oldest first. */
  attempts: AttemptRow[];
}

/** A copy, for opening the file itself would write to it. */
export function readRows(state: string): Rows {
  const [file] = globSync(join(state, "v3/d1/*/*.sqlite")).filter((path) => basename(path) !== "metadata.sqlite");
  if (!file) throw new Error("the service has left no database");
  const copy = mkdtempSync(join(tmpdir(), "postern-crash-copy-"));
  try {
    cpSync(dirname(file), copy, { recursive: true, filter: (path) => !path.endsWith("-shm") });
    const database = new DatabaseSync(join(copy, basename(file)));
    const all = <T>(query: string) => database.prepare(query).all() as T[];
    const rows = {
      deliveries: all<DeliveryRow>(
        "SELECT id, event_id AS eventId, subscription_id AS webhookId, due_at IS NOT NULL AS open FROM deliveries",
      ),
      attempts: all<AttemptRow>(
        `SELECT id, delivery_id AS deliveryId, subscription_id AS webhookId, status, error,
          attempt_count AS attemptCount, attempted_at AS attemptedAt FROM attempts ORDER BY id`,
      ),
    };
    database.close();
    return rows;
  } finally {
    rmSync(copy, { recursive: true });
  }
}
