/** Creating, changing and deleting feeds, and their tokens. */
import { makeChecked } from "../../base/crypto/checked-token";
import { sha256Hex } from "../../base/crypto/encoding";
import { newId } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import { AppError, changedMeanwhile, notFound, orNotFound } from "../../base/errors";
import { capReached } from "../../base/limits/caps";
import type { ActingIn } from "../../base/schemas/actor";
import type { Principal } from "../../base/schemas/principal";
import { PLATFORM_TENANT, type TenantRef } from "../../base/schemas/tenant-ref";
import type { Feed } from "./schemas";
import { deleteFeed, type FeedRow, findFeed, insertFeed, listFeeds, updateFeed } from "./store";
import { deleteTokens, insertToken, type NewFeedToken, replaceToken, tokenPrefixes } from "./tokens-store";
import { feedView } from "./view";

const RANDOM_CHARACTERS = 34;
const SHOWN_CHARACTERS = 8;

/** A feed with its new token, which is shown once. */
export interface Tokened {
  row: FeedRow;
  token: string;
  tokenPrefix: string;
}

/** Somebody to whom a token is shown. */
type Maker = ActingIn & Pick<Principal, "userId">;

/** Creates a feed. Throws CONFLICT at the cap. */
export async function createFeed(
  deps: Deps,
  tenant: Maker,
  { name, events }: { name: string; events: string[] },
): Promise<Tokened> {
  // Its events are written by other statements, which make no entries.
  if (tenant.tenantId === PLATFORM_TENANT) throw new AppError("CONFLICT", { message: "The platform has no feeds." });
  const nowMs = deps.now();
  const row = { id: newId(), name, events, createdAt: nowMs, updatedAt: nowMs };
  const { token, stored } = await newToken(tenant, row.id);
  // First: once the feed exists, every publish that begins must see that the tenant has feeds.
  await insertToken(deps, stored, nowMs);
  const { caps } = deps.config;
  if (await insertFeed(deps, tenant, row, caps.feeds)) return { row, token, tokenPrefix: stored.prefix };
  await deleteTokens(deps, tenant.tenantId, row.id);
  throw capReached("feeds", caps);
}

/** Changes the given fields. Throws NOT_FOUND, and CONFLICT for a change at the same time. */
export async function changeFeed(
  deps: Deps,
  tenant: ActingIn,
  id: string,
  change: { name?: string | undefined; events?: string[] | undefined },
): Promise<FeedRow> {
  const before = await feedOf(deps, tenant, id);
  const { name = before.name, events = before.events } = change;
  if (name === before.name && JSON.stringify(events) === JSON.stringify(before.events)) return before;
  const after = { ...before, name, events, updatedAt: deps.now() };
  if (await updateFeed(deps, tenant, before, after)) return after;
  throw changedMeanwhile("feed");
}

/** Gives a feed a new token; the former one stays valid for `overlapSeconds`. Throws NOT_FOUND. */
export async function rotateToken(deps: Deps, tenant: Maker, id: string, overlapSeconds: number): Promise<Tokened> {
  const row = await feedOf(deps, tenant, id);
  const nowMs = deps.now();
  const { token, stored } = await newToken(tenant, id);
  await replaceToken(deps, tenant, stored, { formerUntilMs: nowMs + overlapSeconds * 1_000, nowMs });
  return { row, token, tokenPrefix: stored.prefix };
}

/** Deletes a feed with its consumers and tokens. Throws NOT_FOUND. */
export async function removeFeed(deps: Deps, tenant: ActingIn, id: string): Promise<void> {
  if (!(await deleteFeed(deps, tenant, id))) throw notFound("Feed");
  // Afterwards: without a token, publishes would write no more entries for it.
  await deleteTokens(deps, tenant.tenantId, id);
}

/** Returns the tenant's feed. Throws NOT_FOUND. */
export async function feedOf(deps: Deps, tenant: TenantRef, id: string): Promise<FeedRow> {
  return orNotFound(await findFeed(deps, tenant, id), "Feed");
}

/** The tenant's feeds, newest first, with what is shown of their tokens. */
export async function feedsOf(deps: Deps, tenant: TenantRef): Promise<Feed[]> {
  const [rows, prefixes] = await Promise.all([listFeeds(deps, tenant), tokenPrefixes(deps, tenant.tenantId)]);
  return rows.map((row) => feedView(row, prefixes.get(row.id)));
}

/** One of them. Throws NOT_FOUND. */
export async function shownFeed(deps: Deps, tenant: TenantRef, id: string): Promise<Feed> {
  const [row, prefixes] = await Promise.all([feedOf(deps, tenant, id), tokenPrefixes(deps, tenant.tenantId)]);
  return feedView(row, prefixes.get(id));
}

async function newToken({ tenantId, userId }: Maker, feedId: string): Promise<{ token: string; stored: NewFeedToken }> {
  const token = makeChecked("psf_", RANDOM_CHARACTERS);
  const prefix = `${token.slice(0, SHOWN_CHARACTERS)}…`;
  return { token, stored: { tenantId, feedId, hash: await sha256Hex(token), prefix, madeBy: userId || null } };
}
