/** How many bytes of a database a delivery keeps until retention: the tables of the migrations in SQLite. */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { deflateRawSync } from "node:zlib";
import { ROOT } from "../bundle.ts";
import { readMigrations } from "../migrations.ts";
import { orderOf } from "./sample-payload.ts";
import { table } from "./table.ts";

const PAYLOAD_BYTES = [300, 1_024, 4_096, 32_768];
const DELIVERIES = 2_000;
/** As in `src/base/db/stored-text.ts`, which only runs in a Worker. */
const LONG_TEXT_BYTES = 800;
/** Of a D1 database, and of the default retention. */
const DATABASE_BYTES = 10e9;
const RETENTION_SECONDS = 30 * 86_400;
const DOLLARS_PER_GB_MONTH = 0.75;

export interface StorageRow {
  payloadBytes: number;
  /** With payloads as they are. */
  plainBytes: number;
  /** With long payloads compressed. */
  bytes: number;
}

/** Measures one event to one subscription that answers `ok`, for each size of payload. */
export const measureStorage = (): StorageRow[] =>
  PAYLOAD_BYTES.map((payloadBytes) => ({
    payloadBytes,
    plainBytes: bytesPerDelivery(payloadBytes, false),
    bytes: bytesPerDelivery(payloadBytes, true),
  }));

export const storageTable = (rows: readonly StorageRow[]): string =>
  table([
    ["payload", "plain", "bytes a delivery", "$ a million and month", "deliveries/s in 10 GB"],
    ...rows.map(({ payloadBytes, plainBytes, bytes }) => [
      String(payloadBytes),
      String(plainBytes),
      String(bytes),
      ((bytes / 1_000) * DOLLARS_PER_GB_MONTH).toFixed(2),
      (DATABASE_BYTES / bytes / RETENTION_SECONDS).toFixed(2),
    ]),
  ]);

function bytesPerDelivery(payloadBytes: number, compresses: boolean): number {
  const database = new DatabaseSync(":memory:");
  for (const { statements } of readMigrations(join(ROOT, "migrations"))) {
    for (const statement of statements) database.exec(statement);
  }
  const sizeBytes = () => Number(database.prepare("PRAGMA page_count").get()?.page_count) * 4_096;
  const before = sizeBytes();
  const [tenantId, subscriptionId] = [randomUUID(), randomUUID()];
  const event = database.prepare(
    `INSERT INTO events (id, tenant_id, type, payload, delivery_count, created_at, long_bytes, long_payload)
     VALUES (?, ?, 'OrderPaid', ?, 1, ?, ?, ?)`,
  );
  const attempt = database.prepare(
    `INSERT INTO attempts (subscription_id, id, event_id, event_type, kind, status, response_code, response_body,
       attempt_count, attempted_at, completed_at)
     VALUES (?, ?, ?, 'OrderPaid', 'event', 'success', 200, 'ok', 1, ?, ?)`,
  );
  const startMs = Date.now();
  database.exec("BEGIN");
  for (let number = 0; number < DELIVERIES; number += 1) {
    const timeMs = startMs + number;
    const hex = timeMs.toString(16).padStart(12, "0");
    const id = `${hex.slice(0, 8)}-${hex.slice(8)}-7${randomUUID().slice(15)}`;
    const payload = orderOf(payloadBytes);
    const long = compresses && payloadBytes > LONG_TEXT_BYTES ? deflateRawSync(payload) : null;
    event.run(id, tenantId, long ? "null" : payload, timeMs, long && payloadBytes, long);
    attempt.run(subscriptionId, `${id.slice(0, 23)}-${subscriptionId.slice(24)}`, id, timeMs + 20, timeMs + 40);
  }
  database.exec("COMMIT");
  const bytes = (sizeBytes() - before) / DELIVERIES;
  database.close();
  return Math.round(bytes);
}
