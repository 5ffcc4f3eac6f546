/** Importing event types: all of a document or none, by their names. Importing one's own export changes nothing. */
import type { Deps } from "../../../base/deps";
import { AppError, changedMeanwhile, invalid, invalidField } from "../../../base/errors";
import type { ActingIn } from "../../../base/schemas/actor";
import { Meter } from "../../work/meter";
import { readNamed } from "../declared-store";
import { type Declaring, noRoom, roomOf } from "../room-store";
import { BY_PLATFORM, isForeign } from "../types";
import { typesOfOpenapi } from "./openapi";
import { type Planned, plan } from "./plan";
import { type ImportedType, importedType, type TypeImport, type TypeImportResult } from "./schemas";
import { addedBytes, readState, writePlan } from "./store";

/** How often it is planned again because types were changed at the same time. */
const MAX_TRIES = 3;
/** How many types are read at once: a version can have 144 KiB with its examples. */
const TYPES_A_READ = 16;

interface Item {
  type: ImportedType;
  path: string;
}

/** Imports the types and says what became of each. Throws VALIDATION_FAILED, and CONFLICT at a limit. */
export async function importTypes(deps: Deps, tenant: Declaring, asked: TypeImport): Promise<TypeImportResult> {
  const items = itemsOf(asked, new Meter());
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const state = await readState(deps, tenant);
    const planned = await planAll(deps, tenant, items);
    const made = planned.filter((one) => one?.fields === null).length;
    const plans = planned.filter((one) => one !== null);
    const room = roomOf(deps, tenant);
    if (state.types + made > room.types) throw noRoom(deps, tenant, "types");
    if (plans.length > 0 && state.bytes + addedBytes(plans) > room.bytes) throw noRoom(deps, tenant, "bytes");
    if (asked.dryRun || plans.length === 0 || (await writePlan(deps, tenant, plans, state.revision))) {
      return { ...resultOf(items, planned), dryRun: asked.dryRun };
    }
  }
  throw changedMeanwhile("event type");
}

function itemsOf({ eventTypes, openapi }: TypeImport, meter: Meter): Item[] {
  const items =
    eventTypes?.map((type, place) => ({ type, path: `eventTypes.${place}` })) ??
    typesOfOpenapi(openapi, meter).map(({ type, path }) => {
      const { success, data, error } = importedType.safeParse(type);
      if (success) return { type: data, path };
      const { details = [] } = invalid(error);
      throw invalidField(`${path}.${details[0]?.path ?? ""}`, details[0]?.message ?? "Is not valid");
    });
  const seen = new Set<string>();
  for (const { type, path } of items) {
    if (seen.has(type.name)) throw invalidField(`${path}.name`, "Is in the import twice");
    seen.add(type.name);
  }
  return items;
}

async function planAll(deps: Deps, tenant: ActingIn, items: readonly Item[]): Promise<(Planned | null)[]> {
  const [nowMs, meter] = [deps.now(), new Meter()];
  const planned: (Planned | null)[] = [];
  for (let start = 0; start < items.length; start += TYPES_A_READ) {
    const page = items.slice(start, start + TYPES_A_READ);
    const names = page.map(({ type }) => type.name);
    const byName = new Map((await readNamed(deps, tenant, names)).map((found) => [found.type.name, found]));
    for (const { type, path } of page) {
      const before = byName.get(type.name);
      const change = plan(before, type, path, nowMs, meter);
      if (change && before && isForeign(tenant, before)) {
        throw new AppError("CONFLICT", {
          message: BY_PLATFORM,
          details: [{ path: `${path}.name`, message: BY_PLATFORM }],
        });
      }
      planned.push(change);
    }
  }
  return planned;
}

function resultOf(items: readonly Item[], planned: readonly (Planned | null)[]): Omit<TypeImportResult, "dryRun"> {
  const named = (condition: (one: Planned | null) => boolean) =>
    items.flatMap(({ type }, place) => (condition(planned[place] ?? null) ? [type.name] : []));
  return {
    created: named((one) => one?.fields === null),
    updated: named((one) => (one?.fields?.length ?? 0) > 0),
    versions: named((one) => one?.fields != null && one.hasVersion),
    unchanged: named((one) => one === null),
  };
}
