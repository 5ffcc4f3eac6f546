/** Event types of the platform, which hold in every tenant. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { createDb } from "../../src/base/db/client";
import { createDeps, type Deps } from "../../src/base/deps";
import { SYSTEM } from "../../src/base/schemas/actor";
import type { PlatformScope } from "../../src/base/schemas/platform-scopes";
import { changeRules } from "../../src/webhooks/event-types/change-store";
import { completeCopies } from "../../src/webhooks/event-types/platform-store";
import { browse, newSlug, openCatalogue } from "../support/catalogue";
import { call, type Person, signUpVerified } from "../support/client";
import { costOf } from "../support/cost";
import { operator } from "../support/operators";
import { callAs, newPlatformKey } from "../support/platform-keys";
import { maintain } from "../support/upkeep";

const ORDER = { type: "object", required: ["total"], properties: { total: { type: "integer" } } };

let key = "";
const asPlatform = async (method: string, path: string, body?: unknown) => {
  key ||= (await newPlatformKey(["webhooks.read", "webhooks.write"])).key;
  return callAs(key, "platform", method, `/event-types${path}`, body);
};
const declare = ({ token }: Person, body: object) => call("POST", "/event-types", { token, body });
const publish = ({ token }: Person, type: string, payload: unknown) =>
  call("POST", "/events", { token, body: { type, payload } });
const read = async (person: Person, path: string) => (await call("GET", `/event-types${path}`, person)).body.data;
const namesOf = (types: { name: string }[]) => types.map(({ name }) => name);

/** What a database has of the platform's types. */
async function copyIn(database: D1Database) {
  const [types, versions, rules] = await database.batch([
    database.prepare("SELECT * FROM event_types WHERE tenant_id = 'platform' ORDER BY name"),
    database.prepare("SELECT * FROM event_type_versions WHERE tenant_id = 'platform' ORDER BY name, version"),
    database.prepare("SELECT revision FROM publish_rules WHERE tenant_id = 'platform'"),
  ]);
  return { types: types?.results, versions: versions?.results, rules: rules?.results };
}

/** Dependencies whose second database is down. */
async function broken(): Promise<Deps> {
  const deps = await createDeps(env, createExecutionContext());
  const failing = { prepare: (text: string) => env.SHARD_1.prepare(text), batch: () => Promise.reject(new Error("x")) };
  const down = createDb(failing as unknown as D1Database, { trips: 0, sqlMs: 0, rowsWritten: 0 });
  return { ...deps, shards: { ...deps.shards, db: (shard) => (shard === 0 ? deps.shards.db(0) : down) } };
}

test("without a type of the platform, a tenant without rules publishes in two trips", async () => {
  const owner = await signUpVerified();
  const cost = await costOf("POST", "/events", { token: owner.token, body: { type: "free", payload: 1 } });
  expect(cost.trips).toBe(2);
});

describe("a type of the platform", () => {
  test("is declared by a key without records of people, and by operators, and holds in every tenant", async () => {
    const owner = await signUpVerified();
    expect((await publish(owner, "p.order", {})).status).toBe(202);
    const made = await asPlatform("POST", "", { name: "p.order", schema: ORDER, enforce: "reject" });
    expect([made.status, made.body.data.scope]).toEqual([201, "platform"]);
    const by = await operator();
    const headers = { "postern-tenant": "platform" };
    const other = await call("POST", "/event-types", { token: by.token, headers, body: { name: "p.plain" } });
    expect(other.status).toBe(201);
    expect((await publish(owner, "p.order", {})).body.details).toEqual([
      { path: "payload", message: "required: total" },
    ]);
    expect((await publish(owner, "p.order", { total: 1 })).status).toBe(202);
    expect(await read(owner, "/p.order")).toMatchObject({ scope: "platform", schema: ORDER, latestVersion: 1 });
    expect(namesOf(await read(owner, "?prefix=p."))).toEqual(["p.order", "p.plain"]);
    expect(await read(owner, "/p.order/versions")).toHaveLength(1);
    expect((await read(owner, "/p.order/versions/1")).schema).toEqual(ORDER);
    const tried = await call("POST", "/event-types/p.order/validate", { ...owner, body: { payload: {} } });
    expect(tried.body.data.valid).toBe(false);
    const exported = await call("GET", "/event-types/export", owner);
    expect(namesOf(exported.body.eventTypes)).toEqual(["p.order", "p.plain"]);
  });

  test("is changed by nobody but the platform", async () => {
    const owner = await signUpVerified();
    await asPlatform("POST", "", { name: "c", schema: ORDER });
    for (const [method, path, body] of [
      ["PATCH", "/c", { enforce: "off" }],
      ["DELETE", "/c", undefined],
      ["POST", "/c/versions", { schema: true }],
    ] as const) {
      const { status, body: answer } = await call(method, `/event-types${path}`, { ...owner, body });
      expect([status, answer.message]).toEqual([403, "This event type is declared by the platform."]);
    }
    const taken = await declare(owner, { name: "c" });
    expect([taken.status, taken.body.message]).toEqual([409, "This event type is declared by the platform."]);
    const importing = (type: object) => call("POST", "/event-types/import", { ...owner, body: { eventTypes: [type] } });
    expect((await importing({ name: "c", schema: ORDER })).body.data.unchanged).toEqual(["c"]);
    expect((await importing({ name: "c", schema: true })).status).toBe(409);
    const readOnly = (await newPlatformKey(["webhooks.read"])).key;
    expect((await callAs(readOnly, "platform", "GET", "/event-types/c")).status).toBe(200);
    expect((await callAs(readOnly, "platform", "DELETE", "/event-types/c")).status).toBe(403);
    expect((await callAs(readOnly, "platform", "GET", "/webhooks")).status).toBe(403);
    const ofTenant = await newPlatformKey(["webhooks.read", "webhooks.write"], { tenants: [owner.tenantId] });
    expect((await callAs(ofTenant.key, "platform", "GET", "/event-types/c")).status).toBe(404);
  });

  test("counts before the tenant's own, which counts again when it is deleted", async () => {
    const owner = await signUpVerified();
    await declare(owner, { name: "s", schema: { type: "string" }, enforce: "reject" });
    await declare(owner, { name: "t" });
    await asPlatform("POST", "", { name: "s", schema: ORDER, enforce: "reject" });
    expect((await publish(owner, "s", "text")).status).toBe(400);
    expect((await publish(owner, "s", { total: 1 })).status).toBe(202);
    const shown = (types: { name: string; scope: string; shadowed?: boolean }[]) =>
      types.filter(({ name }) => ["s", "t"].includes(name)).map(({ name, scope, shadowed }) => [name, scope, shadowed]);
    const [platform, own, t] = [
      ["s", "platform", undefined],
      ["s", "tenant", true],
      ["t", "tenant", undefined],
    ];
    expect(shown(await read(owner, ""))).toEqual([platform, t]);
    expect(shown(await read(owner, "?archived=include"))).toEqual([platform, own, t]);
    const pages = [];
    for (let cursor: string | null = "r"; cursor !== null; ) {
      const at = encodeURIComponent(cursor);
      const page = (await call("GET", `/event-types?archived=include&limit=1&cursor=${at}`, owner)).body;
      pages.push(...page.data);
      cursor = page.nextCursor;
    }
    expect(shown(pages)).toEqual([platform, own, t]);
    await asPlatform("DELETE", "/s");
    expect((await publish(owner, "s", "text")).status).toBe(202);
    expect((await publish(owner, "s", { total: 1 })).status).toBe(400);
    expect(shown(await read(owner, ""))).toEqual([["s", "tenant", undefined], t]);
  });

  test("is in every database when its change is answered, however many come at once", async () => {
    await Promise.all(
      Array.from({ length: 10 }, (_, at) => asPlatform("POST", "", { name: `many.${at}`, schema: ORDER })),
    );
    await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        asPlatform("PATCH", `/many.${at}`, { enforce: "warn", examples: [{ total: at }] }),
      ),
    );
    await asPlatform("POST", "/many.1/versions", { schema: true });
    await asPlatform("DELETE", "/many.2");
    const copy = await copyIn(env.DB);
    expect(copy.types?.length).toBeGreaterThanOrEqual(9);
    expect(await copyIn(env.SHARD_1)).toEqual(copy);
  });

  test("that does not reach a database is refused with 503, and the upkeep copies it later", async () => {
    const deps = await broken();
    const tenant = { tenantId: "platform", shard: 0, actor: SYSTEM };
    await expect(changeRules(deps, tenant, {})).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE" });
    await env.DB.batch([
      env.DB.prepare("UPDATE publish_rules SET revision = revision + 1 WHERE tenant_id = 'platform'"),
      env.DB.prepare(
        "UPDATE event_types SET enforce = 'off', updated_at = updated_at + 1 WHERE tenant_id = 'platform'",
      ),
    ]);
    const context = createExecutionContext();
    await maintain(await createDeps(env, context), completeCopies);
    await waitOnExecutionContext(context);
    expect(await copyIn(env.SHARD_1)).toEqual(await copyIn(env.DB));
  });

  test("makes the mode known take it in a tenant that has declared nothing", async () => {
    const owner = await signUpVerified();
    await asPlatform("POST", "", { name: "known.one" });
    await call("PATCH", "/tenant/event-types", { ...owner, body: { mode: "known" } });
    expect((await publish(owner, "known.one", 1)).status).toBe(202);
    expect((await publish(owner, "known.two", 1)).status).toBe(400);
  });
});

describe("the catalogue of the platform", () => {
  const SETTINGS = "/tenant/event-types";
  const change = async (tenant: string, scopes: PlatformScope[], body: object) =>
    callAs((await newPlatformKey(scopes)).key, tenant, "PATCH", SETTINGS, body);

  test("decides whether catalogues of tenants show its types", async () => {
    const owner = await signUpVerified();
    await asPlatform("POST", "", { name: "cat.platform", schema: ORDER, enforce: "reject" });
    await declare(owner, { name: "cat.own" });
    const slug = await openCatalogue(owner);
    const platform = newSlug();
    const shown = (name: string, of: string) =>
      Promise.all(
        ["", "/openapi.json", "/asyncapi.json", "/types.ts"].map(async (page) =>
          (await browse(of + page)).text.includes(name),
        ),
      );
    const hidden = [false, false, false, false];
    expect([await shown("cat.platform", slug), (await browse(`${slug}/cat.platform`)).status]).toEqual([hidden, 404]);
    expect(await shown("cat.own", slug)).toEqual(hidden.map(() => true));
    const opened = await change("platform", ["webhooks.write"], { catalog: { slug: platform, public: true } });
    expect(opened.body.data).toEqual({ mode: "open", catalog: { slug: platform, public: true } });
    expect(await shown("cat.platform", slug)).toEqual(hidden.map(() => true));
    expect((await browse(`${slug}/cat.platform`)).text).not.toContain("reject");
    expect(await shown("cat.platform", platform)).toEqual(hidden.map(() => true));
    expect(await shown("cat.own", platform)).toEqual(hidden);
    const { token } = await operator();
    const closing = { token, headers: { "postern-tenant": "platform" }, body: { catalog: { public: false } } };
    expect((await call("PATCH", SETTINGS, closing)).body.data.catalog.public).toBe(false);
    expect([await shown("cat.platform", slug), (await browse(`${slug}/cat.platform`)).status]).toEqual([hidden, 404]);
    expect((await browse(platform)).status).toBe(404);
  });

  test("is changed by nobody else, and the platform has no mode", async () => {
    const owner = await signUpVerified();
    const catalog = { catalog: { slug: newSlug() } };
    const limited = await newPlatformKey(["webhooks.write"], { tenants: [owner.tenantId] });
    const statuses = [
      await change("platform", ["webhooks.read"], catalog),
      await change("", ["webhooks.write"], catalog),
      await change(owner.tenantId, ["webhooks.write"], catalog),
      await callAs(limited.key, "platform", "PATCH", SETTINGS, catalog),
      await call("PATCH", SETTINGS, { token: owner.token, headers: { "postern-tenant": "platform" }, body: catalog }),
    ].map(({ status }) => status);
    expect(statuses).toEqual([403, 401, 401, 401, 404]);
    const mode = await change("platform", ["webhooks.write"], { mode: "known" });
    expect([mode.status, mode.body.details[0].path]).toEqual([400, "mode"]);
    const readKey = (await newPlatformKey(["webhooks.read"])).key;
    expect((await callAs(readKey, "platform", "GET", SETTINGS)).body.data.mode).toBe("open");
  });
});
