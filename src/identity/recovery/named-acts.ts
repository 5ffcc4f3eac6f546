/**
 * What a mail names after "this was not me", because only a person can tell what is right: acts that no link undoes,
 * and secrets that somebody may have read.
 */
import type { Deps } from "../../base/deps";
import type { NamedLine } from "../../base/mail/job";
import type { Actor } from "../../base/schemas/actor";
import { type ToldAct, toldBy } from "../../base/schemas/audit-sentences";
import { permissionsOf } from "../../base/schemas/roles";
import { actLine, quotable } from "../../base/texts/known";
import { ENGLISH } from "../../base/texts/texts";
import { findTenant, listTenantsOfUser } from "../../tenancy/tenants/store";
import { changeCatalogue } from "../../webhooks/event-types/catalogue/change";
import { findCatalogue } from "../../webhooks/event-types/catalogue/store";
import { listSubscriptions } from "../../webhooks/subscriptions/store";
import { type NamedAct, readTenantNames } from "./named-acts-store";
import { pageOf } from "./remedies";

/** A mail names no more of each kind. */
const MAX_LINES = 30;

/** A line about a tenant. */
export type LineOfTenant = NamedLine & { tenantId: string };

/** The lines about these acts, one for all of a kind on the same thing. */
export async function linesAboutActs(deps: Deps, acts: readonly NamedAct[]): Promise<LineOfTenant[]> {
  const names = await readTenantNames(deps, [...new Set(acts.map(({ tenantId }) => tenantId))]);
  const byKind = Map.groupBy(acts, ({ tenantId, action, targetId }) => JSON.stringify([tenantId, action, targetId]));
  const lines = [...byKind.values()].flatMap((same) => {
    const [act] = same;
    const path = act ? pageOf(act.action, act.targetId) : null;
    if (!act || path === null) return [];
    const told = toldOf(act, names.get(act.tenantId) ?? null, same.length);
    return [{ tenantId: act.tenantId, line: actLine(ENGLISH, told), act: told, path }];
  });
  return cut(lines, "/activity");
}

/** The name of an event type is its id. */
function toldOf({ action, targetId, meta }: NamedAct, tenant: string | null, count: number): ToldAct {
  const all = meta === null ? {} : (JSON.parse(meta) as Record<string, unknown>);
  const values = Object.fromEntries(toldBy(action).map((name) => [name, all[name]]));
  return { action, values, tenant, name: action.startsWith("event_type.") ? targetId : null, count };
}

/** The subscriptions whose signing secrets the user may read, with the page on which each gets a new one. */
export async function linesAboutSecrets(deps: Deps, userId: string): Promise<NamedLine[]> {
  const lines: LineOfTenant[] = [];
  for (const { id: tenantId, name, role } of await listTenantsOfUser(deps, userId)) {
    if (lines.length > MAX_LINES) break;
    const tenant = permissionsOf(role).includes("webhook.read") ? await findTenant(deps, tenantId) : undefined;
    const subscriptions = tenant ? await listSubscriptions(deps, tenant) : [];
    for (const { id, name: title } of subscriptions) {
      lines.push({
        tenantId,
        line: quotable("quoted.secret", { tenant: name, name: title }),
        path: `/webhooks/${id}/secret/rotate`,
      });
    }
  }
  return cut(lines, "/webhooks");
}

/** Ends the lines with one that leads to the rest. */
const cut = (lines: readonly LineOfTenant[], restPath: string): LineOfTenant[] => {
  const [first] = lines.slice(MAX_LINES);
  if (!first) return [...lines];
  const rest = {
    tenantId: first.tenantId,
    line: quotable("quoted.more", { count: String(lines.length - MAX_LINES) }),
    path: restPath,
  };
  return [...lines.slice(0, MAX_LINES), rest];
};

/** Switches off the catalogues that these acts have made public. Returns the ids of their tenants. */
export async function closeCatalogues(deps: Deps, acts: readonly NamedAct[], actor: Actor): Promise<string[]> {
  const opened = acts.filter(({ action, meta }) => action === "tenant.settings_changed" && hasMadePublic(meta));
  const closed: string[] = [];
  for (const tenantId of new Set(opened.map((act) => act.tenantId))) {
    const tenant = await findTenant(deps, tenantId);
    if (!tenant || (await findCatalogue(deps, tenant))?.isPublic !== 1) continue;
    await changeCatalogue(deps, { ...tenant, actor }, { public: false });
    closed.push(tenantId);
  }
  return closed;
}

const hasMadePublic = (meta: string | null): boolean =>
  meta !== null && (JSON.parse(meta) as { public?: unknown }).public === true;
