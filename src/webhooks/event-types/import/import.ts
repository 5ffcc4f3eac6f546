/** Importing event types, by their names. Importing one's own export, or the same document again, changes nothing. */
import type { Deps } from "../../../base/deps";
import { AppError, changedMeanwhile, type ErrorCode } from "../../../base/errors";
import type { ActingIn } from "../../../base/schemas/actor";
import { Meter } from "../../work/meter";
import type { Declared } from "../declaration";
import { readNamed } from "../declared-store";
import { type Declaring, noRoom, roomOf } from "../room-store";
import { BY_PLATFORM, isForeign } from "../types";
import { typesOfAsyncapi } from "./asyncapi";
import type { Item } from "./item";
import { typesOfList } from "./list";
import { typesOfOpenapi } from "./openapi";
import { type Planned, plan } from "./plan";
import { ImportReport } from "./report";
import type { TypeImport, TypeImportResult } from "./schemas";
import { addedBytes, readState, writePlan } from "./store";

/** How often it is planned again because types were changed at the same time. */
const MAX_TRIES = 3;
/** How many types are read at once: a version can have 144 KiB with its examples. */
const TYPES_A_READ = 16;
/** How many mistakes are told if nothing is taken. */
const MAX_DETAILS = 100;
/** Why a type is not taken, but the others are. */
const REFUSALS: readonly ErrorCode[] = ["VALIDATION_FAILED", "CONFLICT"];

/** Plans, by the place of the item: null if nothing differs, undefined if the type is not taken. */
type Plans = readonly (Planned | null | undefined)[];

/**
 * Imports the types that can be taken, all of these at once, and says what became of each. Throws VALIDATION_FAILED or
 * CONFLICT if there is none, and CONFLICT at a limit.
 */
export async function importTypes(deps: Deps, tenant: Declaring, asked: TypeImport): Promise<TypeImportResult> {
  const read = new ImportReport();
  const items = itemsOf(asked, new Meter(), read);
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const report = new ImportReport(read);
    const state = await readState(deps, tenant);
    const planned = await planAll(deps, tenant, items, report);
    refuseIfNothingIsTaken(planned, report);
    const plans = planned.filter((one) => one != null);
    const made = plans.filter(({ fields }) => fields === null).length;
    const room = roomOf(deps, tenant);
    if (state.types + made > room.types) throw noRoom(deps, tenant, "types");
    if (plans.length > 0 && state.bytes + addedBytes(plans) > room.bytes) throw noRoom(deps, tenant, "bytes");
    if (asked.dryRun || plans.length === 0 || (await writePlan(deps, tenant, plans, state.revision))) {
      return { ...namesOf(items, planned), ...leftOut(report), dryRun: asked.dryRun };
    }
  }
  throw changedMeanwhile("event type");
}

function itemsOf({ eventTypes, openapi, asyncapi }: TypeImport, meter: Meter, report: ImportReport): readonly Item[] {
  if (eventTypes) return typesOfList(eventTypes, meter, report);
  return openapi === undefined
    ? typesOfAsyncapi({ document: asyncapi, meter, report })
    : typesOfOpenapi({ document: openapi, meter, report });
}

function refuseIfNothingIsTaken(planned: Plans, { failed, hasOnlyConflicts }: ImportReport): void {
  if (planned.some((one) => one !== undefined)) return;
  const details = failed.slice(0, MAX_DETAILS).map(({ path, message }) => ({ path, message }));
  if (!hasOnlyConflicts) throw new AppError("VALIDATION_FAILED", { details });
  throw new AppError("CONFLICT", { details, message: details[0]?.message ?? "" });
}

async function planAll(deps: Deps, tenant: ActingIn, items: readonly Item[], report: ImportReport): Promise<Plans> {
  const [nowMs, meter] = [deps.now(), new Meter()];
  const planned: (Planned | null | undefined)[] = [];
  for (let start = 0; start < items.length; start += TYPES_A_READ) {
    const page = items.slice(start, start + TYPES_A_READ);
    const names = page.map(({ type }) => type.name);
    const byName = new Map((await readNamed(deps, tenant, names)).map((found) => [found.type.name, found]));
    for (const item of page) {
      planned.push(planOne(tenant, byName.get(item.type.name), item, { nowMs, meter, report }));
    }
  }
  return planned;
}

function planOne(
  tenant: ActingIn,
  before: Declared | undefined,
  item: Item,
  { nowMs, meter, report }: { nowMs: number; meter: Meter; report: ImportReport },
): Planned | null | undefined {
  const { name } = item.type;
  try {
    const planned = plan(before, item, nowMs, meter, (path, keyword) => report.ignore(name, path, keyword));
    if (!planned || !before || !isForeign(tenant, before)) return planned;
    throw new AppError("CONFLICT", { details: [{ path: `${item.path}.name`, message: BY_PLATFORM }] });
  } catch (error) {
    if (!(error instanceof AppError) || !REFUSALS.includes(error.code)) throw error;
    report.fail(name, error);
    return undefined;
  }
}

function namesOf(items: readonly Item[], planned: Plans) {
  const named = (condition: (one: Planned | null) => boolean) =>
    items.flatMap(({ type }, place) => {
      const one = planned[place];
      return one !== undefined && condition(one) ? [type.name] : [];
    });
  return {
    created: named((one) => one?.fields === null),
    updated: named((one) => (one?.fields?.length ?? 0) > 0),
    versions: named((one) => one?.fields != null && one.hasVersion),
    unchanged: named((one) => one === null),
  };
}

const leftOut = ({ ignored, moreIgnored, failed }: ImportReport) => ({
  ignored: [...ignored],
  ...(moreIgnored > 0 ? { moreIgnored } : {}),
  failed,
});
