/** What a platform key does with imports of people. */

import { toHex } from "../../base/crypto/encoding";
import { encrypt } from "../../base/crypto/encryption";
import { newId } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import { AppError, invalid, notFound } from "../../base/errors";
import type { Actor } from "../../base/schemas/actor";
import type { PlatformKeyPrincipal } from "../../base/schemas/principal";
import { PLATFORM_TENANT } from "../../base/schemas/tenant-ref";
import { iso } from "../../base/time";
import { sealSettings } from "../../identity/passwords/imported/settings";
import { chunkOwner, readPart } from "./chunks";
import { readReport } from "./report-store";
import { continueImports } from "./run";
import type { Import, ImportedLine, ImportQuery, NewImport, ReportQuery } from "./schemas";
import {
  beginImport,
  endImport,
  findImport,
  type ImportRow,
  insertImport,
  insertPart,
  listImports,
  MAX_BYTES,
} from "./store";

type Key = PlatformKeyPrincipal;

/**
 * How long an import goes on after the answer to its start: below the 10 s of CPU time that an invocation has. The
 * upkeep of each minute continues it.
 */
export const BACKGROUND_MS = 8_000;
const BACKGROUND_CALLS = 100;
/** How many missing parts an answer names. */
const MAX_NAMED = 20;
const GIB = 1024 ** 3;

const missing = () => notFound("Import");

const view = ({ name, dryRun, startedAt, endedAt, ...row }: ImportRow): Import => ({
  ...row,
  ...(name === null ? {} : { name }),
  dryRun: dryRun === 1,
  done: row.created + row.updated + row.skipped + row.refused,
  createdAt: iso(row.createdAt),
  ...(startedAt === null ? {} : { startedAt: iso(startedAt) }),
  ...(endedAt === null ? {} : { endedAt: iso(endedAt) }),
});

/** Creates an import, to which parts are sent. Throws CONFLICT while too many have not ended. */
export async function createImport(
  deps: Deps,
  key: Key,
  { name, dryRun, onExisting, hashSettings }: NewImport,
): Promise<Import> {
  const id = newId();
  const sealed = hashSettings?.firebase ? await sealSettings(deps, id, hashSettings.firebase) : null;
  const row = { id, name: name ?? null, dryRun, onExisting, hashSettings: sealed };
  const inserted = await insertImport(deps, key, row, deps.now());
  if (!inserted) {
    throw new AppError("CONFLICT", { message: "Ten imports have not ended. Start, stop or wait for one of them." });
  }
  return view(inserted);
}

/**
 * Stores a part of an import. Throws NOT_FOUND, INVALID_JSON, VALIDATION_FAILED, and CONFLICT for other lines than
 * those with which the import was started, and when all imports have too many bytes.
 */
export async function putPart(deps: Deps, key: Key, id: string, part: number, bytes: Uint8Array<ArrayBuffer>) {
  const { chunks, rows } = readPart(bytes);
  const hash = toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
  const sealed = await Promise.all(chunks.map((chunk, n) => encrypt(deps.keys, chunkOwner(id, part, n), chunk)));
  const stored = await insertPart(deps, key, id, { part, hash, rows, bytes: bytes.length, chunks: sealed });
  if (!stored) throw missing();
  if (stored.hash !== hash) {
    const full = `All imports together can have at most ${MAX_BYTES / GIB} GiB that are not done`;
    const message = stored.state === "open" ? `${full}.` : "The import was started or stopped.";
    throw new AppError("CONFLICT", { message });
  }
  return { part, rows, bytes: bytes.length };
}

/**
 * Starts an import; starting it again changes nothing. Throws NOT_FOUND, VALIDATION_FAILED for missing parts, and
 * CONFLICT for an import that was stopped.
 */
export async function startImport(deps: Deps, key: Key, id: string, parts: number): Promise<Import> {
  const { row, parts: present } = await beginImport(deps, key, id, parts, deps.now());
  if (!row) throw missing();
  if (row.state === "open") throw partsMissing(parts, present);
  if (row.state === "stopped") throw new AppError("CONFLICT", { message: "The import was stopped." });
  const [lastTrip, endMs] = [deps.trips.trips + BACKGROUND_CALLS, deps.now() + BACKGROUND_MS];
  const isOver = () => deps.trips.trips >= lastTrip || deps.now() >= endMs;
  if (row.state === "running") deps.background("import people", continueImports(deps, 0, "", isOver));
  return view(row);
}

function partsMissing(parts: number, present: readonly number[]): AppError {
  const absent = Array.from({ length: parts }, (_, index) => index + 1).filter((part) => !present.includes(part));
  const named = absent.slice(0, MAX_NAMED).join(", ");
  const more = absent.length > MAX_NAMED ? ` and ${absent.length - MAX_NAMED} more` : "";
  return invalid({ issues: [{ path: ["parts"], message: `These parts are missing: ${named}${more}` }] });
}

/** Creates an import of one part and starts it. Throws as the three steps do. */
export async function importAtOnce(deps: Deps, key: Key, given: NewImport, bytes: Uint8Array<ArrayBuffer>) {
  // An import that cannot be sent is not left behind.
  readPart(bytes);
  const { id } = await createImport(deps, key, given);
  await putPart(deps, key, id, 1, bytes);
  return startImport(deps, key, id, 1);
}

/** A page of the imports, newest first. */
export async function importsOf(deps: Deps, { limit, cursor }: ImportQuery) {
  const found = await listImports(deps, limit, cursor);
  const data = found.slice(0, limit).map(view);
  return { data, nextCursor: found.length > limit ? (data.at(-1)?.id ?? null) : null };
}

/** Throws NOT_FOUND. */
export async function importOf(deps: Deps, id: string): Promise<Import> {
  const row = await findImport(deps, id);
  if (!row) throw missing();
  return view(row);
}

/** A page of what became of the lines. Throws NOT_FOUND. */
export async function reportOf(
  deps: Deps,
  id: string,
  { outcome, limit, cursor }: ReportQuery,
): Promise<{ data: ImportedLine[]; nextCursor: string | null }> {
  const { exists, lines, next } = await readReport(deps, id, { outcome, limit, after: Number(cursor ?? 0) });
  if (!exists) throw missing();
  return { data: lines, nextCursor: next === null ? null : String(next) };
}

/** Stops an import; what is done stays. `logs` record it. Returns what happened. Throws NOT_FOUND. */
export async function stopImport(deps: Deps, actor: Actor, id: string, logs: readonly string[] = [PLATFORM_TENANT]) {
  const row = await endImport(deps, actor, id, logs, deps.now());
  if (!row) throw missing();
  return row.state === "finished" ? ("Import already finished." as const) : ("Import stopped." as const);
}
