/** The rules of tenants that this isolate has read, with their compiled schemas. */

import { heldBytes } from "../../base/held-bytes";
import type { Filter } from "../filters/filter";
import { readFilter } from "../filters/stored";
import { type Meter, PRICES } from "../work/meter";
import type { CompiledSchema } from "./json-schema/check";
import type { ReadRule, ReadRules, Wanted } from "./rules-store";
import type { Mode } from "./schemas";
import { readSchema, TOO_COSTLY } from "./stored-schema";

const MIB = 1024 * 1024;
/** By the bytes of what is kept: a compiled schema can take a thousand times its text. */
export const MAX_TENANT_BYTES = MIB;
export const MAX_RULES_BYTES = 16 * MIB;
/** What a type takes besides what is compiled of it. */
const TYPE_BYTES = 1000;

export interface SubscriptionFilter {
  subscriptionId: string;
  filter: Filter;
}

/** A declared type with its schema. */
export interface EventTypeRule extends Omit<ReadRule, "schema"> {
  /** Null without a schema. A stored one that cannot be read refuses nothing. */
  compiled: CompiledSchema | typeof TOO_COSTLY | null;
}

/** What this isolate knows of a tenant's rules. */
export interface Known {
  /** The revisions in `TenantStanding` when they were read. */
  seen: string;
  /** The revisions that the database had. */
  revision: string;
  mode: Mode;
  /** As `receiversOf` selects them, and as a set. */
  receivers: string;
  receiving: ReadonlySet<string>;
  /** By `keyOf`; null: the type is not declared. */
  rules: Map<string, EventTypeRule | null>;
  /** The filters of the subscriptions to a type, for each type that was wanted. */
  filters: Map<string, SubscriptionFilter[]>;
  /** What all of this holds. */
  bytes: number;
}

const tenants = new Map<string, Known>();
let bytes = 0;

export const keyOf = ({ type, version }: Wanted): string => `${type} ${version ?? ""}`;

/** What is known of the tenant; undefined if its rules have changed since. */
export function knownRules(tenantId: string, seen: string): Known | undefined {
  const known = tenants.get(tenantId);
  if (!known || known.seen !== seen) return undefined;
  // The last one is the one that was used last.
  tenants.delete(tenantId);
  tenants.set(tenantId, known);
  return known;
}

/**
 * Returns what was read with what is known at the same revisions, and remembers it. A tenant whose rules are too large
 * for that has those that were wanted now, or none, remembered. `meter`, that of the request, pays for what is
 * compiled.
 */
export function rememberRules(
  tenantId: string,
  seen: string,
  wanted: readonly Wanted[],
  read: ReadRules,
  meter: Meter,
): Known {
  const before = knownRules(tenantId, seen);
  const fresh = added(tenantId, wanted, read, meter, {
    seen,
    revision: read.revision,
    mode: read.mode,
    receivers: read.receivers,
    receiving: new Set(JSON.parse(read.receivers) as string[]),
    rules: new Map(),
    filters: new Map(),
    bytes: 2 * heldBytes(read.receivers),
  });
  forgetRules(tenantId);
  const known = before?.revision === read.revision ? joined(before, fresh) : fresh;
  const kept = [known, fresh].find((one) => one.bytes <= MAX_TENANT_BYTES);
  if (kept) keep(tenantId, kept);
  return known;
}

function added(tenantId: string, wanted: readonly Wanted[], read: ReadRules, meter: Meter, known: Known): Known {
  const found = new Map(read.rules.map((rule) => [keyOf({ type: rule.type, version: rule.wantedVersion }), rule]));
  for (const one of wanted) {
    const stored = found.get(keyOf(one));
    const rule = stored ? ruleOf(tenantId, stored, meter) : null;
    known.rules.set(keyOf(one), rule);
    // With the canonical texts that a validation keeps of what the schema lists. What the request could not pay for is
    // not remembered: the next one may have the steps.
    known.bytes += TYPE_BYTES + bytesOf(rule) + 2 * (stored?.schema?.length ?? 0);
    known.filters.set(one.type, []);
  }
  for (const { subscriptionId, filter: stored, types } of read.filters) {
    meter.count(stored.length * PRICES.filterCharacter);
    const filter = readFilter(stored, { tenantId, webhookId: subscriptionId });
    const one = { subscriptionId, filter };
    for (const type of types) known.filters.get(type)?.push(one);
    known.bytes += heldBytes(one) + types.length * 8;
  }
  return known;
}

const bytesOf = (rule: EventTypeRule | null): number =>
  rule?.compiled === TOO_COSTLY ? Number.POSITIVE_INFINITY : rule?.compiled ? heldBytes(rule.compiled) : 0;

/** What is replaced counts until the tenant is forgotten. */
function joined(before: Known, fresh: Known): Known {
  return {
    ...fresh,
    rules: new Map([...before.rules, ...fresh.rules]),
    filters: new Map([...before.filters, ...fresh.filters]),
    bytes: before.bytes + fresh.bytes,
  };
}

function keep(tenantId: string, known: Known): void {
  tenants.set(tenantId, known);
  bytes += known.bytes;
  for (const id of tenants.keys()) {
    if (bytes <= MAX_RULES_BYTES) break;
    forgetRules(id);
  }
}

/** What is remembered of all tenants, in bytes. */
export const rememberedBytes = (): number => bytes;

export function forgetRules(tenantId: string): void {
  bytes -= tenants.get(tenantId)?.bytes ?? 0;
  tenants.delete(tenantId);
}

const ruleOf = (tenantId: string, { schema, ...rule }: ReadRule, meter: Meter): EventTypeRule => ({
  ...rule,
  compiled: schema === null ? null : readSchema(schema, { tenantId, eventType: rule.type }, meter),
});
