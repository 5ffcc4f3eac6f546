/**
 * Freezes and releases the sends of a tenant or of all tenants. Frozen deliveries wait in D1 and use up no attempt;
 * attempts that have begun are completed.
 */
import type { Deps } from "../../base/deps";
import { unavailable } from "../../base/errors";
import { describeError, log } from "../../base/log/log";
import type { SessionPrincipal } from "../../base/schemas/principal";
import { ALL_TENANTS } from "../../webhooks/plane/frozen-store";
import { ofService, ofTenant } from "../acting/audit-store";
import { tenantToChange } from "../acting/tenant-to-change";
import { inPlacesOf } from "./freeze-places";
import { deleteFreeze, insertFreeze, recordOfService } from "./freezes-store";
import { tellOperators } from "./notices";

type Change = "hold" | "release";

const ACTIONS = { hold: "operator.sends_held", release: "operator.sends_released" } as const;
const CHANGES = { hold: insertFreeze, release: deleteFreeze } as const;

/** Freezes or releases the sends of a tenant. Throws NOT_FOUND. */
export async function changeSendsOfTenant(
  deps: Deps,
  operator: SessionPrincipal,
  id: string,
  change: Change,
): Promise<void> {
  const tenant = await tenantToChange(deps, id);
  const { tenantId } = tenant;
  const freeze = { tenantId, cause: "held", since: deps.now() } as const;
  const [ofService, event] = ofTenant(operator, tenantId, ACTIONS[change]);
  // First, because the delivery database of the tenant may be another one.
  await recordOfService(deps, ofService);
  await inPlacesOf(deps, tenant, (place) => CHANGES[change](place, freeze, place.isFormer ? null : event));
}

/**
 * Freezes or releases the sends of all tenants, in every delivery database. The change of the first database also
 * records the action. Throws SERVICE_UNAVAILABLE, which names the databases that did not answer; a second call changes
 * those.
 */
export async function changeAllSends(deps: Deps, operator: SessionPrincipal, change: Change): Promise<void> {
  const freeze = { tenantId: ALL_TENANTS, cause: "held", since: deps.now() } as const;
  const [first, ...others] = deps.shards.numbers;
  if (first === undefined) return;
  await CHANGES[change]({ db: deps.shards.db(first) }, freeze, ofService(operator, ACTIONS[change]));
  const missed: number[] = [];
  for (const shard of others) {
    try {
      await CHANGES[change]({ db: deps.shards.db(shard) }, freeze, null);
    } catch (error) {
      log("error", "sends not held or released", { shard, ...describeError(error) });
      missed.push(shard);
    }
  }
  if (change === "hold") tellOperators(deps, operator, { what: "sendsHeld" });
  if (missed.length === 0) return;
  const names = missed.map((shard) => `SHARD_${shard}`).join(", ");
  throw unavailable({ message: `Done, except in ${names}, which did not answer. Call again.` });
}
