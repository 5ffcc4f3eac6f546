/** "This was not me": reverting what a mail reports, and reclaiming an address that somebody else has registered. */

import { sha256Hex } from "../../base/crypto/encoding";
import { newId } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import { AppError } from "../../base/errors";
import { queueMailIfPossible } from "../../base/mail/queue";
import type { RevertKind } from "../../base/mail/revert-store";
import { type RequestOrigin, userActor } from "../../base/schemas/actor";
import { type QuotedKey, quotable } from "../../base/texts/known";
import { tellOwners } from "../../tenancy/tenants/owner-notices";
import { findTenant } from "../../tenancy/tenants/store";
import { endTokensSince, readFeedsBy, type SuspectFeed } from "../../webhooks/feeds/suspects-store";
import { pauseSubscription } from "../../webhooks/subscriptions/changes";
import {
  readSubscriptionsBy,
  type Suspect,
  type SuspectSubscription,
} from "../../webhooks/subscriptions/suspects-store";
import { findClaimByToken, reclaimByLink } from "../reclaim/by-link-store";
import { disableAbandoned } from "../reclaim/reclaim";
import { readTotpSecret } from "../two-factor/codes";
import { closeCatalogues, type LineOfTenant, linesAboutActs, linesAboutSecrets } from "./named-acts";
import { readNamedActs } from "./named-acts-store";
import { ENDING, type FoundRevert, findRevertByToken, revertByToken, type UndoneAccess } from "./revert-store";
import { readSuspects } from "./suspects-store";
import type { ChangedAccess } from "./tenant-changes-store";

/** What a link would do; "reclaim" for the link of a verification mail. */
export type MailedLinkKind = RevertKind | "reclaim";

export const REVERT_MESSAGES = {
  undone: "Undone. All sessions and API keys have ended, and a reset link has been sent.",
  undoneWithoutFactor:
    "Undone, except that two-factor authentication stays off. All sessions and API keys have ended, and a reset " +
    "link has been sent.",
  apiKeys: "All API keys have been revoked.",
  reclaimed: "Everything set up with your address has ended, and a reset link has been sent.",
} as const;

/** A mail lists no more. */
const MAX_LINES = 50;

const badLink = () => new AppError("INVALID_TOKEN", { message: "Invalid or expired link." });

/** Returns what the link of a mailed token would do. Changes nothing. Throws INVALID_TOKEN. */
export async function describeRevert(deps: Deps, token: string): Promise<MailedLinkKind> {
  const hash = await sha256Hex(token);
  const revert = await findRevertByToken(deps, hash, deps.now());
  if (revert) return revert.kind;
  if (await findClaimByToken(deps, hash, deps.now())) return "reclaim";
  throw badLink();
}

/** What a link has done. */
export type Reverted = keyof typeof REVERT_MESSAGES;

/** Does what the link of a mailed token is for, once. Throws INVALID_TOKEN. */
export async function reportNotMe(deps: Deps, token: string, origin: RequestOrigin): Promise<Reverted> {
  const hash = await sha256Hex(token);
  const link = await findRevertByToken(deps, hash, deps.now());
  if (!link) return reclaimAccount(deps, hash, origin);
  const isEnding = ENDING.includes(link.kind);
  const suspects = isEnding ? await readSuspects(deps, link.userId, link.createdAt) : [];
  // First: after a fault in between, the link still works and can be followed again.
  const acts = isEnding ? await readNamedActs(deps, suspects, link.createdAt) : [];
  const closedCatalogues = await closeCatalogues(deps, acts, userActor(link, origin));
  const paused = await pauseSuspects(deps, link, suspects, origin);
  const closed = await closeFeeds(deps, link, suspects, origin);
  const isReadable = link.secret === null || (await readTotpSecret(deps, link.userId, link.secret)) !== null;
  const reverted = await revertByToken(deps, { ...link, hash, isReadable, suspects }, origin, deps.now());
  if (!reverted) throw badLink();
  if (link.kind === "apiKeys") return "apiKeys";
  const undone = [...undoneLines(reverted.access, paused, closed), ...closedCatalogues.map(catalogueLine)];
  const named = await linesAboutActs(deps, acts);
  const email = link.formerEmail ?? link.email;
  await queueMailIfPossible(deps, {
    kind: "passwordReset",
    email,
    origin,
    undone: undone.slice(0, MAX_LINES).map(({ line }) => line),
    named: named.map(({ tenantId: _, ...line }) => line),
    secrets: isEnding ? await linesAboutSecrets(deps, link.userId) : [],
    isFactorLost: !isReadable,
  });
  tellTenants(deps, email, undone, named);
  return isReadable ? "undone" : "undoneWithoutFactor";
}

/** Pauses what the suspects have created or changed since the event. */
async function pauseSuspects(
  deps: Deps,
  link: FoundRevert,
  suspects: readonly Suspect[],
  origin: RequestOrigin,
): Promise<SuspectSubscription[]> {
  if (suspects.length === 0) return [];
  const actor = userActor(link, origin);
  const paused: SuspectSubscription[] = [];
  for (const shard of deps.shards.numbers) {
    for (const suspect of await readSubscriptionsBy(deps, shard, suspects, link.createdAt)) {
      // It may be the copy of one whose tenant was moved.
      const tenant = await findTenant(deps, suspect.tenantId);
      if (!tenant || paused.some(({ id }) => id === suspect.id)) continue;
      if (suspect.isEnabled === 1) await pauseSubscription(deps, { ...tenant, actor }, suspect.id);
      paused.push(suspect);
    }
  }
  return paused;
}

/** Ends the tokens that the suspects have made for feeds since the event. Returns the feeds. */
async function closeFeeds(
  deps: Deps,
  link: FoundRevert,
  suspects: readonly Suspect[],
  origin: RequestOrigin,
): Promise<SuspectFeed[]> {
  if (suspects.length === 0) return [];
  const actor = userActor(link, origin);
  const closed: SuspectFeed[] = [];
  for (const feed of await readFeedsBy(deps, suspects, link.createdAt)) {
    if (await endTokensSince(deps, feed, actor, link.createdAt, deps.now())) closed.push(feed);
  }
  return closed;
}

/** A sentence for a mail about something that was undone in a tenant. */
interface UndoneLine {
  tenantId: string;
  line: string;
}

/** Something that was undone, and what the mail says about it. */
type Changed = Pick<ChangedAccess, "tenantId"> & Partial<ChangedAccess & Pick<SuspectFeed, "name">>;

function undoneLines(
  access: UndoneAccess,
  paused: readonly SuspectSubscription[],
  closed: readonly SuspectFeed[],
): UndoneLine[] {
  const lines = (of: readonly Changed[], key: QuotedKey): UndoneLine[] =>
    of.map(({ tenantId, tenantName: tenant = "", name = "", email = "", role = "" }) => ({
      tenantId,
      line: quotable(key, { tenant, name, email, role }),
    }));
  return [
    ...lines(access.revokedInvitations, "quoted.invitation"),
    ...lines(access.removedGuests, "quoted.guest"),
    ...lines(access.revertedRoles, "quoted.role"),
    ...lines(access.endedTenantKeys, "quoted.tenantKey"),
    ...lines(access.endedPlatformKeys, "quoted.platformKey"),
    ...lines(access.disabledSources, "quoted.sourceOff"),
    ...lines(paused, "quoted.paused"),
    ...lines(closed, "quoted.feedToken"),
  ];
}

const catalogueLine = (tenantId: string): UndoneLine => ({
  tenantId,
  line: quotable("quoted.catalogue", {}),
});

function tellTenants(deps: Deps, by: string, undone: readonly UndoneLine[], named: readonly LineOfTenant[]): void {
  for (const tenantId of new Set([...undone, ...named].map((one) => one.tenantId))) {
    const isOf = (one: UndoneLine) => one.tenantId === tenantId;
    const lines = undone.filter(isOf).slice(0, MAX_LINES);
    const links = named.filter(isOf).map(({ tenantId: _, ...line }) => line);
    tellOwners(deps, tenantId, { what: "undone", by, lines: lines.map(({ line }) => line), named: links });
  }
}

async function reclaimAccount(deps: Deps, hash: string, origin: RequestOrigin): Promise<Reverted> {
  const claim = await findClaimByToken(deps, hash, deps.now());
  if (!claim) throw badLink();
  await disableAbandoned(deps, claim.tenants);
  const ended = await reclaimByLink(deps, { hash, userId: claim.userId, origin }, deps.now());
  if (!ended) throw badLink();
  await queueMailIfPossible(deps, { kind: "accountTakenOver", id: newId(), userId: claim.userId, ended });
  return "reclaimed";
}
