/**
 * Runs imports: 50 rows at a time, each batch in one transaction with how far the import has come. A run that is killed
 * repeats nothing and loses nothing.
 */

import { decrypt } from "../../base/crypto/encryption";
import { isTransient, repeatable } from "../../base/db/faults";
import type { Deps } from "../../base/deps";
import { describeError, log } from "../../base/log/log";
import type { PagedMaintenance } from "../../base/maintenance";
import { type HashSource, settingsOf } from "../../identity/passwords/imported/read";
import { importsWithSettings, openSettings } from "../../identity/passwords/imported/settings";
import { apply, type Decision, decide } from "../../identity/people/decide";
import type { Row } from "../../identity/people/person";
import { type ReadLine, readLine } from "../../identity/people/row";
import { endTakenOver, seal } from "../../identity/people/seal";
import { namesInRow, type World } from "../../identity/people/world";
import { readState, stateFor, worldOf } from "../../identity/people/world-store";
import type { SealedChange } from "../../identity/people/write-store";
import { writeBatch } from "./batch-store";
import { chunkOwner } from "./chunks";
import { recallDryRun } from "./dry-run-store";
import { noticesOf, tellOfManagers } from "./notices";
import {
  type Chunk,
  type ClaimedImport,
  claimImport,
  countFailure,
  finishImport,
  isOutdated,
  progressOfRun,
  readChunk,
  releaseImport,
} from "./run-store";
import type { ImportedLine } from "./schemas";

const BATCH_ROWS = 50;
/** Each is looked up, and its tenant's members are counted. */
const BATCH_MEMBERSHIPS = 500;
/** How often a batch is decided again because somebody else has changed what it meets. */
const MAX_TRIES = 5;
/** After so many failed runs, the row that is next is refused. */
const FAILURES_TO_REFUSE = 6;
/** After so many, the import ends: what fails is no row. */
const MAX_FAILURES = 12;
const LACKS_SCOPE = "memberships: The platform key does not have members.write";

/** Continues imports, one at a time. Returns null when none is running, or another run works on it. */
export const continueImports: PagedMaintenance = async (deps, _shard, _cursor, isOver) => {
  while (!isOver()) {
    const claimed = await claimImport(deps, deps.now());
    if (!claimed) return null;
    try {
      await runImport(deps, claimed, isOver);
    } catch (error) {
      // The fault of a database is none of the import.
      if (!isTransient(error)) await noteFailure(deps, claimed, error);
      throw error;
    } finally {
      await releaseImport(deps, claimed);
    }
  }
  return "";
};

async function noteFailure(deps: Deps, claimed: ClaimedImport, error: unknown): Promise<void> {
  if (await countFailure(deps, claimed, MAX_FAILURES, deps.now()))
    log("error", "import given up", describeError(error));
}

/** Works on an import until it ends, somebody stops it, or `isOver`. */
async function runImport(deps: Deps, begun: ClaimedImport, isOver: () => boolean): Promise<void> {
  let claimed: ClaimedImport | undefined = begun;
  while (claimed && !isOver()) {
    const { chunk, settings } = await readChunk(deps, claimed);
    if (!chunk) return finishImport(deps, claimed, deps.now());
    const owner = chunkOwner(claimed.id, chunk.part, chunk.n);
    const lines = (await decrypt(deps.keys, owner, chunk.sealed)).split("\n");
    const firebase = settings === null ? null : await openSettings(deps, claimed.id, settings);
    const source: Source = { chunk, lines, hashes: { importId: claimed.id, firebase }, batchRows: BATCH_ROWS };
    claimed = await runChunk(deps, claimed, source, isOver);
  }
}

/** A chunk that is being read. */
interface Source {
  chunk: Chunk;
  lines: readonly string[];
  hashes: HashSource;
  /** How many rows a batch has at most. */
  batchRows: number;
}

/** Works on the lines that are left of a chunk. Returns undefined when the import has ended. */
async function runChunk(deps: Deps, begun: ClaimedImport, whole: Source, isOver: () => boolean) {
  let claimed = begun;
  let source = whole;
  for (let tries = 0; !isOver(); ) {
    try {
      claimed = await repeatable(() => runBatch(deps, claimed, source));
      tries = 0;
      source = { ...source, batchRows: Math.min(BATCH_ROWS, 2 * source.batchRows) };
      if (claimed.position === 0) return claimed;
    } catch (error) {
      if (isOutdated(error)) {
        const progress = await progressOfRun(deps, claimed);
        if (!progress) return undefined;
        // A fault can hide that the batch was written.
        if (progress.line !== claimed.line) return { ...claimed, ...progress };
        tries += 1;
        if (tries < MAX_TRIES) continue;
      }
      if (isTransient(error) || source.batchRows === 1) throw error;
      // Smaller batches bring in the rows before the one that fails.
      source = { ...source, batchRows: Math.ceil(source.batchRows / 2) };
      tries = 0;
    }
  }
  return claimed;
}

/** Decides about the next rows and writes them. Returns the import as it is then. */
async function runBatch(deps: Deps, claimed: ClaimedImport, source: Source): Promise<ClaimedImport> {
  const nowMs = deps.now();
  const read = await readRows(deps, claimed, source, nowMs);
  const rows = read.lines.flatMap((line) => ("row" in line ? [line.row] : []));
  const query = stateFor(deps, rows, nowMs);
  const text = await readState(deps, query);
  const world = worldOf(text);
  if (claimed.dryRun) await recallDryRun(deps, claimed.id, rows.flatMap(namesInRow), world);
  const decided = decideRows(deps, claimed, read.lines, world, await importsLike(deps, source.hashes, world));
  const rest = read.lines[decided.length];
  const position = rest ? rest.position : read.end;
  const isRead = position >= source.lines.length;
  const line = claimed.line + position - claimed.position;
  const changes = await sealed(deps, decided);
  if (!claimed.dryRun) await endTakenOver(deps, changes);
  const entries = JSON.stringify(decided.map((one) => entryOf(one, claimed)));
  const notices = claimed.dryRun ? [] : await noticesOf(claimed, changes);
  const told = await writeBatch(
    deps,
    claimed,
    {
      changes,
      notices,
      state: { query, text },
      progress: {
        counts: countsOf(decided),
        entries,
        line,
        position: isRead ? 0 : position,
        readChunk: isRead ? source.chunk : null,
      },
    },
    nowMs,
  );
  tellOfManagers(deps, claimed, notices, told);
  return { ...claimed, line, position: isRead ? 0 : position, failures: 0 };
}

/** A line that is no empty one, with its place in the chunk. */
type PlacedLine = ReadLine & { position: number };

/** Reads the next rows. `end` is where the line after them is. */
async function readRows(deps: Deps, { position, failures }: ClaimedImport, source: Source, nowMs: number) {
  const { lines, hashes } = source;
  const isRefused = failures >= FAILURES_TO_REFUSE;
  const most = isRefused ? 1 : source.batchRows;
  const read: PlacedLine[] = [];
  let memberships = 0;
  let at = position;
  for (; at < lines.length && read.length < most && memberships < BATCH_MEMBERSHIPS; at += 1) {
    const text = lines[at] ?? "";
    if (text.trim() === "") continue;
    const line: ReadLine = isRefused
      ? { refused: "The row could not be written" }
      : await readLine(text, { deps, hashes, nowMs });
    if ("row" in line) memberships += line.row.memberships.length;
    read.push({ ...line, position: at });
  }
  return { lines: read, end: at };
}

interface Decided {
  line: PlacedLine;
  decision: Decision;
}

/**
 * Decides about the rows, and stops before one that must be in a batch of its own: it meets somebody whom this batch
 * changes already, or gives somebody another address or access.
 */
function decideRows(
  { config }: Deps,
  { onExisting, takesMemberships }: ClaimedImport,
  lines: readonly PlacedLine[],
  world: World,
  alike: ReadonlySet<string>,
): Decided[] {
  const lacksScope = ({ memberships }: Row): Decision | null =>
    takesMemberships === 0 && memberships.length > 0 ? { outcome: "refused", reason: LACKS_SCOPE } : null;
  const decided: Decided[] = [];
  const touched = new Set<string>();
  for (const line of lines) {
    const decision =
      "row" in line
        ? (lacksScope(line.row) ?? decideRow(line.row, world, { onExisting, operators: config.operators, alike }))
        : ({ outcome: "refused", reason: line.refused } as const);
    const change = "change" in decision ? decision.change : undefined;
    const isAlone = change !== undefined && (change.takesOver || change.isMoved) && !change.isNew;
    if (decided.length > 0 && change && (isAlone || touched.has(change.person.id))) break;
    decided.push({ line, decision });
    if (isAlone) break;
    if (!change) continue;
    touched.add(change.person.id);
    apply(change, world);
  }
  return decided;
}

/** No row stops those that come after it. */
function decideRow(...given: Parameters<typeof decide>): Decision {
  try {
    return decide(...given);
  } catch (error) {
    log("error", "import row not read", describeError(error));
    return { outcome: "refused", reason: "The row could not be read" };
  }
}

/** The former imports, among those of the people that a batch meets, whose hashes need the same settings. */
async function importsLike(deps: Deps, { firebase }: HashSource, { people }: World): Promise<ReadonlySet<string>> {
  if (!firebase) return new Set();
  const used = [...people.values()].map(({ password }) => settingsOf(password)).filter((id) => id !== null);
  return importsWithSettings(deps, new Set(used), firebase);
}

const sealed = (deps: Deps, decided: readonly Decided[]): Promise<SealedChange[]> =>
  Promise.all(
    decided.flatMap(({ line, decision }) =>
      "change" in decision && "row" in line ? [seal(deps, decision.change, line.row)] : [],
    ),
  );

function countsOf(decided: readonly Decided[]) {
  const counts = { created: 0, updated: 0, skipped: 0, refused: 0, withoutPassword: 0 };
  for (const { decision, line } of decided) {
    counts[decision.outcome] += 1;
    if ("change" in decision && line.withoutPassword !== undefined) counts.withoutPassword += 1;
  }
  return counts;
}

/** What the report keeps. The address of a user is read from the account, so that it ends with the account. */
function entryOf({ line, decision }: Decided, { dryRun, line: done, position }: ClaimedImport): ImportedLine {
  const { externalId, email, ignored, withoutPassword } = line;
  const reason = "reason" in decision ? decision.reason : withoutPassword;
  const person = "change" in decision ? decision.change.person : "person" in decision ? decision.person : null;
  return {
    line: done + line.position - position + 1,
    outcome: decision.outcome,
    ...(person && !dryRun ? { userId: person.id } : { ...(externalId && { externalId }), ...(email && { email }) }),
    ...(reason && { reason }),
    ...(ignored && { ignored }),
  };
}
