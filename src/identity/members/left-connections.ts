/** The feed tokens that a member was shown, and the sources that they have set up, which work on without them. */
import type { Deps } from "../../base/deps";
import { describeError, log } from "../../base/log/log";
import { permissionsOf, type Role } from "../../base/schemas/roles";
import { quotable } from "../../base/texts/known";
import { findTenant, listTenantsOfUser } from "../../tenancy/tenants/store";
import { listFeeds } from "../../webhooks/feeds/store";
import { tokensMadeBy } from "../../webhooks/feeds/tokens-store";
import { listSources } from "../../webhooks/sources/store";
import { MAX_NAMED } from "./left-subscriptions";

/** A feed with a token of the member, or a source. */
export interface LeftConnection {
  kind: "feed" | "source";
  id: string;
  name: string;
  /** When the token was made, or the source; Unix ms. */
  createdAt: number;
}

/** As mails name them. */
export const namesOfConnections = (connections: readonly LeftConnection[]): string[] =>
  connections.slice(0, MAX_NAMED).map(({ kind, name }) => quotable(`quoted.${kind}`, { name }));

/**
 * Those that a user set up before a time (Unix ms), in any of their tenants, as a mail names them. None if their
 * database does not answer: the mail is more important.
 */
export async function namesOfOlderConnections(deps: Deps, userId: string, beforeMs: number): Promise<string[]> {
  try {
    return namesOfConnections(await olderThan(deps, userId, beforeMs));
  } catch (error) {
    log("error", "background work failed", { what: "connections for a mail", ...describeError(error) });
    return [];
  }
}

async function olderThan(deps: Deps, userId: string, beforeMs: number): Promise<LeftConnection[]> {
  const older: LeftConnection[] = [];
  for (const { id: tenantId } of await listTenantsOfUser(deps, userId)) {
    const setUp = await connectionsLeftBy(deps, { tenantId, userId }, null);
    older.push(...setUp.filter(({ createdAt }) => createdAt < beforeMs));
    if (older.length >= MAX_NAMED) break;
  }
  return older;
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
  return [...feeds, ...setUp.map(({ id, name, createdAt }) => ({ kind: "source", id, name, createdAt }) as const)];
}

async function feedsReadBy(deps: Deps, tenantId: string, userId: string): Promise<LeftConnection[]> {
  // The oldest token of a feed counts: it is the last one.
  const tokens = new Map((await tokensMadeBy(deps, tenantId, userId)).map((token) => [token.feedId, token.createdAt]));
  const tenant = tokens.size > 0 ? await findTenant(deps, tenantId) : undefined;
  const feeds = tenant ? await listFeeds(deps, tenant) : [];
  return feeds.flatMap(({ id, name }) => {
    const createdAt = tokens.get(id);
    return createdAt === undefined ? [] : [{ kind: "feed", id, name, createdAt }];
  });
}
