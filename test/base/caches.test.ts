/** What an isolate remembers is bounded by its bytes, and each place that remembers is in the list. */
import { describe, expect, test } from "vitest";
import { CACHES, mostBytesOf } from "../../src/base/caches";
import { heldBytes } from "../../src/base/held-bytes";
import {
  forgetRules,
  knownRules,
  MAX_RULES_BYTES,
  MAX_TENANT_BYTES,
  rememberedBytes,
  rememberRules,
} from "../../src/webhooks/event-types/rules-cache";
import { TOO_COSTLY } from "../../src/webhooks/event-types/stored-schema";
import { Meter, REQUEST_STEPS } from "../../src/webhooks/work/meter";

const sources = import.meta.glob("../../src/**/*.{ts,tsx}", { query: "?raw", import: "default", eager: true });

/** Of these, none runs in the Worker for the requests of others. */
const ELSEWHERE = /^(sdk|docs)\/|\.browser\./;
/** A collection that is empty at first: a property of an object too, but none of a class and none in a function. */
const EMPTY = String.raw`new (?:HungryLanes|(?:Bounded|Weak)?(?:Map|Set))(?:<.*>)?\((?:[A-Z_]*|[\d_]+)\)`;
const COLLECTION = new RegExp(String.raw`^(?:export )?(?:const|let) (\w+)\b[^\n]*?(?:=|=>) ${EMPTY}`, "gm");
const PROPERTY = new RegExp(String.raw`^ {2}(\w+): ${EMPTY}`, "gm");
/** Facts about functions of our own, and what stays empty. */
const NOT_GROWING = /docsByMiddleware$| NONE$/;

test("the list has every collection that outlives a request, and no other", () => {
  const found = Object.entries(sources)
    .map(([path, text]) => [path.replace("../../src/", ""), text] as const)
    .filter(([path]) => !ELSEWHERE.test(path))
    .flatMap(([path, text]) =>
      [...text.matchAll(COLLECTION), ...text.matchAll(PROPERTY)].map(([, name]) => `${path} ${name}`),
    )
    .filter((name) => !NOT_GROWING.test(name));
  expect(found.sort()).toEqual(Object.keys(CACHES).sort());
});

test("together they take at most 80 of the 128 MiB of an isolate", () => {
  const total = Object.values(CACHES).reduce((sum, cache) => sum + mostBytesOf(cache), 0);
  expect(total).toBeLessThanOrEqual(80 * 1024 * 1024);
});

describe("rules", () => {
  const wanted = (type: string) => [{ type, version: null }];
  const read = (type: string, schema: unknown) => ({
    revision: "1.0",
    mode: "open" as const,
    filters: [],
    receivers: "[]",
    rules: [
      {
        type,
        wantedVersion: null,
        enforce: "reject" as const,
        isArchived: 0 as const,
        deprecated: null,
        version: 1,
        schema: JSON.stringify(schema),
      },
    ],
  });
  const unbounded = new Meter(Number.POSITIVE_INFINITY);
  /** A few bytes of text and thousands of instructions. */
  const large = { pattern: "(a?){660}b" };

  test("of a tenant take at most 1 MiB: those that were wanted last stay", () => {
    const tenantId = crypto.randomUUID();
    const before = rememberedBytes();
    for (let at = 0; at < 40; at += 1) {
      const known = rememberRules(tenantId, "1.0", wanted(`t${at}`), read(`t${at}`, large), unbounded);
      expect(known.rules.get(`t${at} `)?.compiled).not.toBeNull();
      expect(rememberedBytes() - before).toBeLessThanOrEqual(MAX_TENANT_BYTES);
    }
    const rules = knownRules(tenantId, "1.0")?.rules;
    expect([rules?.has("t0 "), rules?.has("t39 ")]).toEqual([false, true]);
    forgetRules(tenantId);
    expect(rememberedBytes()).toBe(before);
  });

  test("that are larger serve their request, and are not remembered", () => {
    const tenantId = crypto.randomUUID();
    const schema = { allOf: Array.from({ length: 4 }, (_, at) => ({ pattern: `(a?){660}${at}` })) };
    const known = rememberRules(tenantId, "1.0", wanted("t"), read("t", schema), unbounded);
    expect(known.bytes).toBeGreaterThan(MAX_TENANT_BYTES);
    expect(known.rules.get("t ")?.compiled).not.toBeNull();
    expect(knownRules(tenantId, "1.0")).toBeUndefined();
  });

  test("of 100 types cost a request what it may spend; those beyond are not compiled, and not remembered", () => {
    const [tenantId, meter] = [crypto.randomUUID(), new Meter()];
    const types = Array.from({ length: 100 }, (_, at) => `t${at}`);
    const deep = `${"(".repeat(110)}(a?){400}${")".repeat(110)}`;
    const rules = types.flatMap((type) => read(type, { pattern: deep }).rules);
    const known = rememberRules(tenantId, "1.0", types.flatMap(wanted), { ...read("t", true), rules }, meter);
    expect(meter.spent).toBeLessThan(REQUEST_STEPS * 1.1);
    const compiled = types.map((type) => known.rules.get(`${type} `)?.compiled);
    expect(compiled[0]).toMatchObject({ schema: { pattern: deep } });
    expect(compiled.at(-1)).toBe(TOO_COSTLY);
    expect(knownRules(tenantId, "1.0")).toBeUndefined();
  });

  test("of all tenants take at most 16 MiB: those that were used last stay", () => {
    const tenants = Array.from({ length: 200 }, () => crypto.randomUUID());
    for (const tenantId of tenants) rememberRules(tenantId, "1.0", wanted("t"), read("t", large), unbounded);
    expect(rememberedBytes()).toBeLessThanOrEqual(MAX_RULES_BYTES);
    expect(rememberedBytes()).toBeGreaterThan(MAX_RULES_BYTES / 2);
    const kept = tenants.map((tenantId) => knownRules(tenantId, "1.0") !== undefined);
    expect([kept[0], kept.at(-1)]).toEqual([false, true]);
    for (const tenantId of tenants) forgetRules(tenantId);
  });
});

test("what a value holds is counted with its members, and once", () => {
  const text = "x".repeat(1000);
  expect(heldBytes(text)).toBeGreaterThan(1000);
  expect(heldBytes(new Map([[text, { of: [text] }]]))).toBeGreaterThan(4000);
  const shared = { text };
  expect(heldBytes([shared, shared]) - heldBytes([shared])).toBeLessThan(100);
});
