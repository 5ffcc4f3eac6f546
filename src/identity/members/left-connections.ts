/** The feed tokens that a member was shown, and the sources that they have set up, which work on without them. */
import type { Deps } from "../../platform/deps";
import { permissionsOf, type Role } from "../../platform/schemas/roles";
import { findTenant } from "../../tenancy/tenants/store";
import { listFeeds } from "../../webhooks/feeds/store";
import { tokensMadeBy } from "../../webhooks/feeds/tokens-store";
import { listSources } from "../../webhooks/sources/store";

/** A feed with a token of the member, or a source. */
export interface LeftConnection {
  kind: "feed" | "source";
  id: string;
  name: string;
}

/** Those that the member could not set up with `role`; all of them for null: somebody who is no member. */
export async function connectionsLeftBy(
  deps: Deps,
  { tenantId, userId }: { tenantId: string; userId: string },
  role: Role | null,
): Promise<LeftConnection[]> {
  const permissions = role === null ? [] : permissionsOf(role);
  const [feeds, sources] = await Promise.all([
    permissions.includes("webhook.update") ? [] : feedsReadBy(deps, tenantId, userId),
    permissions.includes("source.manage") ? [] : listSources(deps, { tenantId }),
  ]);
  const setUp = sources.filter(({ enabled, setUpBy }) => enabled && setUpBy === userId);
  return [...feeds, ...setUp.map(({ id, name }) => ({ kind: "source", id, name }) as const)];
}

async function feedsReadBy(deps: Deps, tenantId: string, userId: string): Promise<LeftConnection[]> {
  const ids = new Set((await tokensMadeBy(deps, tenantId, userId)).map(({ feedId }) => feedId));
  const tenant = ids.size > 0 ? await findTenant(deps, tenantId) : undefined;
  const feeds = tenant ? await listFeeds(deps, tenant) : [];
  return feeds.filter(({ id }) => ids.has(id)).map(({ id, name }) => ({ kind: "feed", id, name }));
}
