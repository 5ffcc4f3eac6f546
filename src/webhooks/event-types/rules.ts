/**
 * The rules that publishing obeys: which types may be published, what their payloads must be, and which subscriptions
 * receive an event by their filters. A tenant without rules pays nothing for them. A refusal is decided by rules that
 * were read in the same request, and an event is stored only if the rules have not changed since they were read.
 */
import { BoundedMap } from "../../base/bounded-map";
import type { Deps } from "../../base/deps";
import type { ErrorDetail } from "../../base/errors";
import { parseExact } from "../../base/exact-json";
import type { TenantStanding } from "../../base/schemas/principal";
import type { TenantRef } from "../../base/schemas/tenant-ref";
import { iso, MINUTE_MS } from "../../base/time";
import { matches } from "../filters/match";
import { KnownValues } from "../work/known-values";
import { Meter } from "../work/meter";
import type { Finding } from "./json-schema/report";
import { tooCostly, validate } from "./json-schema/validate";
import {
  type EventTypeRule,
  type Known,
  keyOf,
  knownRules,
  rememberRules,
  type SubscriptionFilter,
} from "./rules-cache";
import { noteWarned, readRules, type Wanted } from "./rules-store";
import { TOO_COSTLY } from "./stored-schema";

/** An event that is about to be published. */
export interface Candidate {
  type: string;
  /** JSON. */
  payload: string;
  schemaVersion?: number | null | undefined;
}

/** What the rules say of an event. */
interface CheckResult {
  /** Why it is refused; empty: it is not. Paths are those of the event. */
  refusals: ErrorDetail[];
  warnings: Finding[];
  /** Since when its type is deprecated, Unix ms; null: it is not. */
  deprecatedSince: number | null;
}

/** The ids of the receiving subscriptions to a type whose filters let an event through, and of the others. */
interface Fitting {
  included: string[];
  excluded: string[];
}

/** `fitting` is null for a type that no subscription with a filter lists. */
type CheckedEvent = CheckResult & { fitting: Fitting | null };

/** What the rules say of events, and what must not have changed when they are written. */
export interface CheckedEvents {
  revision: string;
  /** The receiving subscriptions with a filter, as `receiversOf` selects them. */
  receivers: string;
  results: CheckedEvent[];
}

const wantedBy = ({ type, schemaVersion = null }: Candidate): Wanted => ({ type, version: schemaVersion });

/** Checks the events; null for a tenant without rules. Throws when D1 is down. */
export async function checkEvents(
  deps: Deps,
  tenant: TenantRef & TenantStanding,
  candidates: readonly Candidate[],
): Promise<CheckedEvents | null> {
  const { tenantId, rulesRevision = null, platformRevision = null } = tenant;
  if (rulesRevision === null && platformRevision === null) return null;
  const seen = `${rulesRevision ?? 0}.${platformRevision ?? 0}`;
  const wanted = [...new Map(candidates.map((one) => [keyOf(wantedBy(one)), wantedBy(one)])).values()];
  const known = knownRules(tenantId, seen);
  const meter = new Meter();
  if (known && wanted.every((one) => known.rules.has(keyOf(one)))) {
    const checked = checkedBy(known, candidates, meter);
    if (checked.results.every(({ refusals }) => refusals.length === 0)) return checked;
    const read = await readRules(deps.shards.db(tenant.shard), tenant, wanted);
    // A refusal is not worked out twice.
    if (read.revision === checked.revision && read.receivers === checked.receivers) return checked;
    return checkedBy(rememberRules(tenantId, seen, wanted, read, meter), candidates, meter);
  }
  const read = await readRules(deps.shards.db(tenant.shard), tenant, wanted);
  return checkedBy(rememberRules(tenantId, seen, wanted, read, meter), candidates, meter);
}

function checkedBy(known: Known, candidates: readonly Candidate[], meter: Meter): CheckedEvents {
  return {
    revision: known.revision,
    receivers: known.receivers,
    results: candidates.map((candidate) => {
      const subject = new ParsedOnce(candidate);
      return { ...checkOne(known, subject, meter), fitting: fittingOf(known, subject, meter) };
    }),
  };
}

/** An event whose payload is parsed when it is first needed. */
class ParsedOnce {
  readonly known = new KnownValues();
  #parsed: { payload: unknown } | undefined;

  constructor(readonly candidate: Candidate) {}

  get type(): string {
    return this.candidate.type;
  }

  get payload(): unknown {
    this.#parsed ??= { payload: parseExact(this.candidate.payload) };
    return this.#parsed.payload;
  }
}

function fittingOf({ filters, receiving }: Known, subject: ParsedOnce, meter: Meter): Fitting | null {
  const ofType = filters.get(subject.type) ?? [];
  if (ofType.length === 0) return null;
  const live = ofType.filter(({ subscriptionId }) => receiving.has(subscriptionId));
  const excluded = keptBackBy(live, subject, meter);
  const kept = new Set(excluded);
  return { included: live.map(({ subscriptionId }) => subscriptionId).filter((id) => !kept.has(id)), excluded };
}

/** Returns the ids of the subscriptions whose filters do not let the event through. `meter` is that of the request. */
export const excludedBy = (filters: readonly SubscriptionFilter[], candidate: Candidate, meter: Meter): string[] =>
  keptBackBy(filters, new ParsedOnce(candidate), meter);

function keptBackBy(filters: readonly SubscriptionFilter[], event: ParsedOnce, meter: Meter): string[] {
  if (filters.length === 0) return [];
  const subject = { type: event.type, payload: event.payload };
  return filters.flatMap(({ subscriptionId, filter }) =>
    matches(filter, subject, meter, event.known) ? [] : [subscriptionId],
  );
}

function checkOne({ mode, rules }: Known, subject: ParsedOnce, meter: Meter): CheckResult {
  const { candidate } = subject;
  const rule = rules.get(keyOf(wantedBy(candidate))) ?? null;
  const refused = (path: string, message: string): CheckResult => ({
    refusals: [{ path, message }],
    warnings: [],
    deprecatedSince: null,
  });
  if (rule === null) return mode === "open" ? ACCEPTED : refused("type", "Unknown event type");
  if (rule.isArchived && mode !== "open") return refused("type", "Archived event type");
  if (rule.version === null || (candidate.schemaVersion && rule.version === 0)) {
    return refused("schemaVersion", "The event type has no such version");
  }
  if (mode === "validated" && rule.compiled === null) return refused("type", "The event type has no schema");
  const enforce = mode === "validated" ? "reject" : rule.enforce;
  const findings = enforce === "off" || rule.compiled === null ? [] : findingsOf(rule.compiled, subject, meter);
  return {
    refusals: enforce === "reject" ? findings : [],
    warnings: [...deprecationOf(rule), ...(enforce === "warn" ? findings : [])],
    deprecatedSince: rule.deprecated?.since ?? null,
  };
}

const findingsOf = (
  compiled: NonNullable<EventTypeRule["compiled"]>,
  { payload, known }: ParsedOnce,
  meter: Meter,
): Finding[] =>
  compiled === TOO_COSTLY ? [tooCostly("payload")] : validate(compiled, payload, "payload", meter, known);

const ACCEPTED: CheckResult = { refusals: [], warnings: [], deprecatedSince: null };

function deprecationOf({ deprecated }: EventTypeRule): Finding[] {
  if (deprecated === null) return [];
  const instead = deprecated.replacedBy === undefined ? "" : `, use ${deprecated.replacedBy}`;
  return [{ path: "type", message: `deprecated: since ${iso(deprecated.since)}${instead}` }];
}

const MAX_WARNED_TENANTS = 200;
/** Of a tenant in a minute. The counts are for whoever looks, so the others are left out. */
const MAX_WARNED_TYPES = 100;
/** What was published with a warning since this isolate last wrote it down, by tenant. */
const warned = new BoundedMap<{ sinceMs: number; counts: Map<string, number> }>(MAX_WARNED_TENANTS);

/** Counts events that were published with a warning. Writes the counts at most once a minute. */
export function countWarned(deps: Deps, tenant: TenantRef, types: readonly string[]): void {
  if (types.length === 0) return;
  const nowMs = deps.now();
  const entry = warned.get(tenant.tenantId) ?? { sinceMs: 0, counts: new Map<string, number>() };
  for (const type of types) {
    const count = entry.counts.get(type);
    if (count !== undefined || entry.counts.size < MAX_WARNED_TYPES) entry.counts.set(type, (count ?? 0) + 1);
  }
  warned.set(tenant.tenantId, entry);
  if (nowMs - entry.sinceMs < MINUTE_MS) return;
  const counts = [...entry.counts].map(([type, count]) => ({ type, count }));
  warned.set(tenant.tenantId, { sinceMs: nowMs, counts: new Map() });
  deps.background("warned events", noteWarned(deps.shards.db(tenant.shard), tenant, counts, nowMs));
}
