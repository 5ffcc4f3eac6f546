/** The rules of tenants that this isolate has read, with their compiled schemas. */

import type { Filter } from "../filters/filter";
import { readFilter } from "../filters/stored";
import type { CompiledSchema } from "./json-schema/check";
import type { ReadFilter, ReadRule, ReadRules, Wanted } from "./rules-store";
import type { Mode } from "./schemas";
import { readSchema } from "./stored-schema";

/** All tenants together, by the lengths of their schemas. A compiled schema takes several times its text. */
const MAX_CHARACTERS = 2 * 1024 * 1024;
/** What a type takes besides its schema. */
const TYPE_CHARACTERS = 500;

export interface SubscriptionFilter {
  subscriptionId: string;
  filter: Filter;
}

/** A declared type with its schema. */
export interface EventTypeRule extends Omit<ReadRule, "schema"> {
  /** Null without a schema. A stored one that cannot be read refuses nothing. */
  compiled: CompiledSchema | null;
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
  characters: number;
}

const NOBODY: ReadonlySet<string> = new Set();
const tenants = new Map<string, Known>();
let characters = 0;

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

/** Remembers what was read, beside what is known at the same revisions. */
export function rememberRules(tenantId: string, seen: string, wanted: readonly Wanted[], read: ReadRules): Known {
  const before = knownRules(tenantId, seen);
  const isSame = before?.revision === read.revision;
  if (!isSame) forgetRules(tenantId);
  const empty = { rules: new Map(), filters: new Map(), characters: 0, receivers: "", receiving: NOBODY };
  const known: Known = isSame && before ? before : { seen, revision: read.revision, mode: read.mode, ...empty };
  known.receivers = read.receivers;
  known.receiving = new Set(JSON.parse(read.receivers) as string[]);
  const found = new Map(read.rules.map((rule) => [keyOf({ type: rule.type, version: rule.wantedVersion }), rule]));
  for (const one of wanted) {
    const rule = found.get(keyOf(one));
    known.rules.set(keyOf(one), rule ? ruleOf(tenantId, rule) : null);
    add(known, TYPE_CHARACTERS + (rule?.schema?.length ?? 0));
    known.filters.set(one.type, []);
  }
  for (const filter of read.filters) addFilter(known, tenantId, filter);
  tenants.set(tenantId, known);
  for (const id of tenants.keys()) {
    if (characters <= MAX_CHARACTERS) break;
    forgetRules(id);
  }
  return known;
}

function addFilter(known: Known, tenantId: string, { subscriptionId, filter: stored, types }: ReadFilter): void {
  const filter = readFilter(stored, { tenantId, webhookId: subscriptionId });
  for (const type of types) known.filters.get(type)?.push({ subscriptionId, filter });
  add(known, stored.length);
}

function add(known: Known, added: number): void {
  known.characters += added;
  characters += added;
}

export function forgetRules(tenantId: string): void {
  characters -= tenants.get(tenantId)?.characters ?? 0;
  tenants.delete(tenantId);
}

const ruleOf = (tenantId: string, { schema, ...rule }: ReadRule): EventTypeRule => ({
  ...rule,
  compiled: schema === null ? null : readSchema(schema, { tenantId, eventType: rule.type }),
});
