/**
 * The export of a tenant: one JSON document, streamed page by page, so that its size does not matter. Without secrets
 * and payloads.
 */

import { hasSignOn } from "../../base/config/sign-on-settings";
import { utf8 } from "../../base/crypto/encoding";
import type { Deps } from "../../base/deps";
import { describeError, log } from "../../base/log/log";
import type { SessionPrincipal } from "../../base/schemas/principal";
import type { After } from "../../base/schemas/time-page-schemas";
import { iso } from "../../base/time";
import { listInvitations } from "../../identity/invitations/store";
import { listMembers } from "../../identity/members/list-store";
import { appsOfTenant } from "../../oauth/apps/rules/api";
import { exportedConnections } from "../../sign-on/connections/view";
import { domainsOf } from "../../sign-on/domains/domains";
import { placesOf } from "../../tenancy/moves/places";
import { tellOwners } from "../../tenancy/tenants/owner-notices";
import { catalogueView } from "../../webhooks/event-types/catalogue/change";
import { findCatalogue } from "../../webhooks/event-types/catalogue/store";
import { readOwnPage } from "../../webhooks/event-types/declared-store";
import { typeView } from "../../webhooks/event-types/view";
import { readEventPage } from "../../webhooks/events/list-store";
import { listFeeds } from "../../webhooks/feeds/store";
import { tokenPrefixes } from "../../webhooks/feeds/tokens-store";
import { feedView } from "../../webhooks/feeds/view";
import { listSources } from "../../webhooks/sources/store";
import { storedView } from "../../webhooks/sources/view";
import { listSubscriptions } from "../../webhooks/subscriptions/store";
import { subscriptionView } from "../../webhooks/subscriptions/view";
import { recordPages } from "./directory";
import { keyView } from "./key-view";
import type { TenantExport } from "./schemas";
import { type ExportedAttemptRow, readAttempts, readTenant } from "./tenant-store";

const PAGE_ROWS = 1_000;
/** An invocation may make 1,000 calls of D1. */
const MAX_PAGES = 900;
/**
 * Members, people of directories and event types take from them. The rest is for events: a page of them may find few,
 * because it examines rows of other tenants too.
 */
const MAX_ATTEMPT_PAGES = 600;

/** Everything except the parts that are streamed. */
type Head = Omit<TenantExport, "members" | "directory" | "eventTypes" | "events" | "attempts" | "isComplete">;

/**
 * Tells the owners, and returns the document, wrapped as `{ data }`. A fault cuts it short, so that it is not valid
 * JSON.
 */
export async function exportTenant(deps: Deps, caller: SessionPrincipal): Promise<ReadableStream<Uint8Array>> {
  const head = await readHead(deps, caller);
  tellOwners(deps, caller.tenantId, { what: "exported", by: caller.account.email });
  const chunks = documentOf(deps, caller, head);
  return new ReadableStream({
    async pull(controller) {
      try {
        const { value, done } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(utf8(value));
      } catch (error) {
        log("error", "tenant export failed", { tenantId: caller.tenantId, ...describeError(error) });
        throw error;
      }
    },
  });
}

async function readHead(deps: Deps, caller: SessionPrincipal): Promise<Head> {
  const { tenantId, account } = caller;
  const nowMs = deps.now();
  const hasApps = deps.config.oauthServer === "on";
  const [domains, connections] = hasSignOn(deps.config)
    ? await Promise.all([domainsOf(deps, tenantId), exportedConnections(deps, tenantId)])
    : [[], []];
  const [{ createdAt, externalId, keys }, apps, invitations, subscriptions, sources, feeds, ...rest] =
    await Promise.all([
      readTenant(deps, caller, nowMs),
      hasApps ? appsOfTenant(deps, tenantId) : [],
      listInvitations(deps, tenantId, nowMs),
      listSubscriptions(deps, caller),
      listSources(deps, caller),
      listFeeds(deps, caller),
      tokenPrefixes(deps, tenantId),
      findCatalogue(deps, caller),
    ]);
  const [prefixes, catalogue] = rest;
  const views = await Promise.all(subscriptions.map((row) => subscriptionView(deps, row)));
  return {
    exportedAt: iso(nowMs),
    tenant: { id: tenantId, externalId, name: account.tenantName, createdAt: iso(createdAt) },
    invitations: invitations.map(({ id, email, role, invitedBy, createdAt: invitedAt, expiresAt }) => ({
      id,
      email,
      role,
      invitedBy: invitedBy || null,
      createdAt: iso(invitedAt),
      expiresAt: iso(expiresAt),
    })),
    apiKeys: keys.map(keyView),
    subscriptions: views.map(({ secret: _, ...subscription }) => subscription),
    sources: sources.map(storedView),
    feeds: feeds.map((row) => feedView(row, prefixes.get(row.id))),
    catalog: catalogueView(catalogue),
    ...(apps.length > 0 ? { apps } : {}),
    ...(connections.length > 0 ? { connections } : {}),
    ...(domains.length > 0 ? { domains } : {}),
  };
}

async function* documentOf(deps: Deps, caller: SessionPrincipal, head: Head): AsyncGenerator<string, void> {
  const ofAttempts: Budget = { pages: MAX_ATTEMPT_PAGES, isExceeded: false };
  yield `{"data":${JSON.stringify(head).slice(0, -1)},"members":`;
  yield* listOf(memberPages(deps, caller, ofAttempts));
  if (head.connections !== undefined) {
    yield `,"directory":`;
    yield* listOf(recordPages(deps, caller.tenantId, () => takePage(ofAttempts)));
  }
  yield `,"eventTypes":`;
  yield* listOf(typePages(deps, caller, ofAttempts));
  yield `,"attempts":`;
  yield* listOf(attemptPages(deps, caller, head.subscriptions, ofAttempts));
  const ofEvents: Budget = { pages: MAX_PAGES - MAX_ATTEMPT_PAGES + Math.max(0, ofAttempts.pages), isExceeded: false };
  yield `,"events":`;
  yield* listOf(eventPages(deps, caller, ofEvents));
  yield `,"isComplete":${!ofAttempts.isExceeded && !ofEvents.isExceeded}}}`;
}

/** A JSON array of the items of all pages. */
async function* listOf(pages: AsyncIterable<readonly object[]>): AsyncGenerator<string, void> {
  let before = "[";
  for await (const items of pages) {
    if (items.length === 0) continue;
    yield before + items.map((item) => JSON.stringify(item)).join(",");
    before = ",";
  }
  yield before === "[" ? "[]" : "]";
}

interface Budget {
  /** How many more pages may be read. */
  pages: number;
  /** Whether pages are missing. */
  isExceeded: boolean;
}

/** Takes one page from the budget. Returns false when there is none left. */
function takePage(budget: Budget): boolean {
  budget.pages -= 1;
  budget.isExceeded = budget.pages < 0;
  return !budget.isExceeded;
}

async function* memberPages(deps: Deps, { tenantId }: SessionPrincipal, budget: Budget) {
  for (let cursor: After | undefined; takePage(budget); ) {
    const { rows } = await listMembers(deps, tenantId, { limit: PAGE_ROWS, cursor });
    yield rows.map(({ joinedAt, ...member }) => ({ ...member, joinedAt: iso(joinedAt) }));
    const last = rows.at(-1);
    if (!last || rows.length < PAGE_ROWS) break;
    cursor = { at: last.joinedAt, id: last.userId };
  }
}

async function* typePages(deps: Deps, caller: SessionPrincipal, budget: Budget) {
  for (let after: string | null = ""; after !== null && takePage(budget); ) {
    const page: Awaited<ReturnType<typeof readOwnPage>> = await readOwnPage(deps, caller, after);
    yield page.types.map((declared) => typeView(declared));
    after = page.nextCursor;
  }
}

async function* eventPages(deps: Deps, caller: SessionPrincipal, budget: Budget) {
  for (const place of placesOf(caller)) {
    for (let cursor: string | undefined; takePage(budget); ) {
      const page = await readEventPage(deps, place, { limit: PAGE_ROWS, since: 0, cursor });
      yield page.rows.map(({ deliveryCount, filtered: _, isTest, createdAt, ...event }) => ({
        ...event,
        deliveries: deliveryCount,
        ...(isTest ? { test: true } : {}),
        createdAt: iso(createdAt),
      }));
      if (page.nextCursor === null) break;
      cursor = page.nextCursor;
    }
  }
}

async function* attemptPages(
  deps: Deps,
  caller: SessionPrincipal,
  subscriptions: Head["subscriptions"],
  budget: Budget,
) {
  const logs = subscriptions.flatMap(({ _id }) => placesOf(caller).map((place) => ({ webhookId: _id, place })));
  for (const { webhookId, place } of logs) {
    for (let before: string | null = null; takePage(budget); ) {
      const found: ExportedAttemptRow[] = await readAttempts(deps, place, webhookId, { before, limit: PAGE_ROWS });
      yield found.map(({ attemptedAt, completedAt, ...attempt }) => ({
        ...attempt,
        webhookId,
        attemptedAt: iso(attemptedAt),
        completedAt: iso(completedAt),
      }));
      if (found.length < PAGE_ROWS) break;
      before = found.at(-1)?.id ?? null;
    }
  }
}
