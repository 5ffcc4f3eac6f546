/**
 * Removes what deleted accounts and tenants leave behind, page by page over many runs. All purges take turns, so that a
 * large one does not hold up the others. A purge whose database fails waits while the others continue.
 */
import { repeatable } from "../../base/db/faults";
import { SELDOM_ROWS_PER_SECOND, thenPause } from "../../base/db/paged-maintenance";
import type { Deps } from "../../base/deps";
import { describeError, log } from "../../base/log/log";
import type { PagedMaintenance } from "../../base/maintenance";
import { MINUTE_MS } from "../../base/time";
import { deletePurge, type Purge, savePurge, takePurges } from "./purge-store";
import type { Step } from "./steps";
import { TENANT_STEPS } from "./tenant-steps-store";
import { USER_STEPS } from "./user-steps-store";

/** Longer than a run. After this, another run continues a purge that a killed run had taken. */
const LEASE_MS = 2 * MINUTE_MS;
/** Few, because a run puts back each purge that it does not finish. */
const PURGES_PER_RUN = 20;
const WAIT_AFTER_FAILURE_MS = 5 * MINUTE_MS;

const STEPS: Record<Purge["kind"], readonly Step[]> = { user: USER_STEPS, tenant: TENANT_STEPS };

/**
 * Continues the due purges of a database in turns. A purge itself stores how far it has come, so there is no cursor.
 */
export const continuePurges: PagedMaintenance = async (deps, shard, _, isOver) => {
  const startedMs = deps.now();
  const lease = { limit: PURGES_PER_RUN, leaseUntil: startedMs + LEASE_MS };
  let open = await repeatable(() => takePurges(deps, shard, startedMs, lease));
  let isMoreDue = open.length === PURGES_PER_RUN;
  while (open.length > 0) {
    const next: Purge[] = [];
    for (const purge of open) {
      if (isOver()) isMoreDue = true;
      const advanced = isOver() ? await putBack(deps, purge) : await advance(deps, purge, lease.leaseUntil);
      if (advanced) next.push(advanced);
    }
    open = next;
  }
  return isMoreDue ? "" : null;
};

async function putBack(deps: Deps, purge: Purge): Promise<null> {
  await savePurge(deps, purge, deps.now());
  return null;
}

/** Processes one page. Returns the purge with its progress; null if it has ended or has to wait. */
async function advance(deps: Deps, purge: Purge, leaseUntil: number): Promise<Purge | null> {
  try {
    return await doPage(deps, purge, leaseUntil);
  } catch (error) {
    const { kind, subjectId, shard, step } = purge;
    log("error", "purge failed", { ...idOf(kind, subjectId), shard, step, ...describeError(error) });
    // If this fails too, the purge continues when its lease has ended.
    await savePurge(deps, purge, deps.now() + WAIT_AFTER_FAILURE_MS).catch(() => {});
    return null;
  }
}

async function doPage(deps: Deps, purge: Purge, leaseUntil: number): Promise<Purge | null> {
  const { kind, subjectId } = purge;
  const steps = STEPS[kind];
  const index = Math.max(
    0,
    steps.findIndex(({ name }) => name === purge.step),
  );
  const step = steps[index];
  if (!step) throw new Error(`no steps for ${kind}`);
  const cursor = step.name === purge.step ? purge.cursor : "";
  const after = await thenPause(deps, () => step.page(deps, purge, cursor), SELDOM_ROWS_PER_SECOND);
  if (after === "done" && index === steps.length - 1) {
    await repeatable(() => deletePurge(deps, purge));
    log("info", "purge finished", idOf(kind, subjectId));
    return null;
  }
  const next = after === "done" ? steps[index + 1] : step;
  const advanced = {
    ...purge,
    step: next?.name ?? "",
    cursor: typeof after === "object" && "cursor" in after ? after.cursor : "",
  };
  const waits = typeof after === "object" && "notBefore" in after;
  // No progress to store: the next page starts at the same place, where the deleted rows are gone.
  if (!waits && advanced.step === purge.step && advanced.cursor === purge.cursor) return purge;
  await repeatable(() => savePurge(deps, advanced, waits ? after.notBefore : leaseUntil));
  return waits ? null : advanced;
}

const idOf = (kind: Purge["kind"], id: string) => (kind === "user" ? { userId: id } : { tenantId: id });
