/** What a directory does with the people that it keeps here: it makes, changes and removes them. */
import { atomically, violates } from "../../base/db/client";
import { newId } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import { CAPS } from "../../base/limits/caps";
import { isAddressTaken } from "../../identity/addresses-store";
import { roleOnJoining } from "../../sign-on/rules/roles";
import type { DirectoryActor, DirectoryCaller } from "../callers/caller";
import { ScimError } from "../protocol/error";
import type { DirectoryUser } from "../protocol/user";
import { type DirectoryAccount, type DirectoryWorld, ownAccount, readsOfNamed, worldOf } from "./account-store";
import type { RecordChange, Written } from "./change-store";
import { judgeRecord, type RecordVerdict } from "./judge";
import { isAddressFree, movesAccount } from "./managed-store";
import { namedBy } from "./named";
import { countOf, findRecord, parsedRecord, type StoredRecord } from "./record-store";
import { takeOver } from "./take-over";
import { tellOfDeparture } from "./tell";
import { writeRecord } from "./write-store";

/** What was judged is judged again if it has changed when it is written. */
const MAX_TRIES = 3;

/** Makes a person. `world`: what is known of whom the record names. Throws 409 and, at the cap, 403. */
export async function createUser(
  deps: Deps,
  caller: DirectoryCaller,
  record: DirectoryUser,
  world: DirectoryWorld,
): Promise<StoredRecord> {
  const most = deps.config.caps.directoryUsers;
  if (caller.active + caller.inactive + caller.held >= most) throw full(most);
  const id = newId();
  const made = await keep(deps, caller, { id, before: null, record }, world);
  if (made) return made;
  throw (await countOf(deps, caller.connectionId)) >= most ? full(most) : tooOften();
}

const full = (most: number) =>
  new ScimError(403, `A ${CAPS.directoryUsers.per} can have at most ${most} ${CAPS.directoryUsers.what}.`);

/**
 * Changes a person to what `apply` makes of the record. Writes nothing where nothing changes. Throws 404, and 409 for a
 * record that others change all the time.
 */
export async function changeUser(
  deps: Deps,
  caller: DirectoryActor,
  present: { record: StoredRecord; own: DirectoryAccount | undefined },
  apply: (present: StoredRecord) => DirectoryUser,
): Promise<StoredRecord> {
  let { record: before, own } = present;
  for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
    const record = apply(before);
    const isSame = JSON.stringify(record) === JSON.stringify(before.record);
    if (isSame && before.state !== "held") return before;
    const world = own ? knownBy(own) : await readWorld(deps, caller, record, before.id);
    const kept = await keep(deps, caller, { id: before.id, before, record }, world, isSame);
    if (kept) return kept;
    ({ record: before, own } = await readPresent(deps, caller, before.id));
  }
  throw tooOften();
}

/** Whose account is known needs nothing else. */
const knownBy = (own: DirectoryAccount): DirectoryWorld => ({
  own,
  addressed: undefined,
  bySubject: undefined,
  isDomainProved: false,
  hasTombstone: false,
});

const tooOften = () => new ScimError(409, "The resource was changed at the same time. Try again.");

/** A record with its account; undefined: there is none. */
export async function findPresent(deps: Deps, connectionId: string, id: string) {
  const found = await atomically(deps.db, presentReads(connectionId, id, deps.now()));
  return found.record.length === 0 ? undefined : presentOf(found, id);
}

/** Throws 404. */
export async function readPresent(deps: Deps, { connectionId }: DirectoryActor, id: string) {
  const found = await findPresent(deps, connectionId, id);
  if (!found) throw noUser(id);
  return found;
}

export const presentReads = (connectionId: string, id: string, nowMs: number) => ({
  record: findRecord(connectionId, id),
  own: ownAccount(connectionId, id, nowMs),
});

type FoundPresent = { record: Parameters<typeof parsedRecord>[0][]; own: DirectoryAccount[] };

/** Throws 404. */
export function presentOf({ record: [row], own }: FoundPresent, id: string) {
  if (!row) throw noUser(id);
  return { record: parsedRecord(row), own: own[0] };
}

export const noUser = (id: string) => new ScimError(404, `There is no User ${id}.`);

async function readWorld(deps: Deps, { connectionId }: DirectoryActor, record: DirectoryUser, id: string | null) {
  return worldOf(await atomically(deps.db, readsOfNamed(connectionId, namedBy(record, id), deps.now())));
}

type Kept = Pick<RecordChange, "id" | "before" | "record">;

/**
 * Judges and writes. Returns null when the record has changed meanwhile; what has changed else is judged again. Throws
 * 409 for a name or an address that is taken.
 */
async function keep(
  deps: Deps,
  caller: DirectoryActor,
  kept: Kept,
  firstWorld: DirectoryWorld,
  isSame = false,
): Promise<StoredRecord | null> {
  const { record, before } = kept;
  const { email } = namedBy(record, null);
  let world = firstWorld;
  let isReserved = false;
  for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
    const judged = { isActive: record.active, email, before, isReserved };
    const verdict = judgeRecord(deps.config, roleOnJoining(caller.settings.roles, before?.groups ?? []), judged, world);
    if (isSame && before && verdict.state === before.state && verdict.reason === before.reason) return before;
    if (verdict.takesOver && verdict.account) await takeOver(deps, caller, verdict.account);
    else {
      const change = changeOf(caller, kept, { email, verdict, world });
      const written = await write(deps, change);
      if (typeof written === "object") return afterwards(deps, change, written);
      isReserved = written === "taken" && verdict.isMade;
      if (before && written === "changed" && verdict.account) await refuseTakenAddress(deps, change);
      if (before && written === "changed") return null;
    }
    world = await readWorld(deps, caller, record, before?.id ?? null);
    isReserved &&= world.addressed === undefined;
  }
  return null;
}

function changeOf(
  caller: DirectoryActor,
  kept: Kept,
  { email, verdict, world }: { email: string | null; verdict: RecordVerdict; world: DirectoryWorld },
): RecordChange {
  const userId = verdict.isMade ? newId() : (verdict.account?.userId ?? null);
  return { caller, ...kept, email, verdict, world, userId, writeId: newId() };
}

/** Somebody may take the address at the same moment, or be able to get it back; the name is the directory's affair. */
async function write(deps: Deps, change: RecordChange): Promise<Written | "taken"> {
  try {
    return await writeRecord(deps, change, deps.now());
  } catch (error) {
    if (violates(error, "UNIQUE", "directory_users.name_key")) throw nameTaken(change.record.userName);
    if (isAddressTaken(error)) return "taken";
    throw error;
  }
}

export const nameTaken = (userName: string) =>
  new ScimError(409, `There is a User with the userName ${userName}.`, "uniqueness");

/** A managed account cannot get an address that somebody has, or of a domain that the tenant has not proved. */
async function refuseTakenAddress(deps: Deps, { caller, email, verdict }: RecordChange): Promise<void> {
  const { account } = verdict;
  if (!account || email === null || !movesAccount({ email }, account)) return;
  if (await isAddressFree(deps, caller.tenantId, account.userId, email, deps.now())) return;
  throw new ScimError(409, `The address ${email} is taken, or its domain is not proved.`, "uniqueness");
}

function afterwards(
  deps: Deps,
  change: RecordChange,
  { version, updatedAt, together }: Exclude<Written, "changed">,
): StoredRecord {
  const { before, verdict, id, record, userId } = change;
  if (verdict.state === "inactive" && before?.state === "active") {
    tellOfDeparture(deps, change.caller, verdict.account, together);
  }
  return {
    id,
    userId,
    state: verdict.state,
    reason: verdict.reason,
    record,
    version,
    createdAt: before?.createdAt ?? updatedAt,
    updatedAt,
    groups: before?.groups ?? [],
  };
}
