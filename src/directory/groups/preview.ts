/** What other rules would change of the roles of a directory, counted before they are saved. */
import type { Deps } from "../../base/deps";
import type { RoleSettings } from "../../base/schemas/connection-settings";
import { connectionOf } from "../../sign-on/connections/manage";
import { type ReadRoles, readRoles } from "./preview-store";
import type { NewRules, RolesPreview } from "./schemas";

/** In one statement, which nobody else waits for. */
const BITE = 2_000;
/** Nobody has to know it to the last person before they save rules: a larger directory is counted in part. */
const MOST_RECORDS = 10_000;

/** Counts the changes among the first 10,000 records. Throws NOT_FOUND. */
export async function previewRoles(
  deps: Deps,
  of: { tenantId: string; connectionId: string },
  { rules }: NewRules,
): Promise<RolesPreview> {
  const { settings } = await connectionOf(deps, of.tenantId, of.connectionId);
  const { read, isComplete } = await readAll(deps, of, { ...settings.roles, rules });
  return {
    changes: changesIn(read),
    people: read.reduce((sum, { people }) => sum + people, 0),
    complete: isComplete,
  };
}

async function readAll(deps: Deps, of: { tenantId: string; connectionId: string }, roles: RoleSettings) {
  const read: ReadRoles[] = [];
  let after = "";
  for (let records = 0; records < MOST_RECORDS; records += BITE) {
    const found = await readRoles(deps, of, roles, { after, size: BITE });
    read.push(...found);
    if (found.reduce((sum, one) => sum + one.records, 0) < BITE) return { read, isComplete: true };
    after = found.reduce((last, one) => (one.last > last ? one.last : last), after);
  }
  return { read, isComplete: false };
}

/** Those of all bites, each once. */
function changesIn(read: readonly ReadRoles[]): RolesPreview["changes"] {
  const changes = new Map<string, RolesPreview["changes"][number]>();
  for (const { from, to, isChange, people } of read) {
    if (isChange === 0) continue;
    const key = `${from ?? ""} ${to ?? ""}`;
    changes.set(key, { from, to, count: (changes.get(key)?.count ?? 0) + people });
  }
  return [...changes.entries()].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, change]) => change);
}
