/** The public catalogue of a tenant's event types: who switches it on, and what everybody sees. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { RULES } from "../../src/base/limits/rules";
import { browse, changeCatalogue, newSlug, openCatalogue } from "../support/catalogue";
import { call, newAddress, PASSWORD, type Person, signUp, signUpVerified } from "../support/client";
import { holding } from "../support/console";
import { newInbox, subscribe } from "../support/receiver";

const ORDER = { type: "object", required: ["total"], properties: { total: { type: "integer" } } };
const FILES = ["openapi.json", "asyncapi.json", "types.ts"];

const declare = async ({ token }: Person, body: object) => {
  const { status } = await call("POST", "/event-types", { token, body });
  if (status !== 201) throw new Error(`event type answered ${status}`);
};
const settings = async (person: Person) => (await call("GET", "/tenant/event-types", person)).body.data;
const refusal = ({ status, body }: { status: number; body: { code?: string; details?: { path: string }[] } }) => [
  status,
  body.code,
  ...(body.details ?? []).map(({ path }) => path),
];

describe("the setting", () => {
  test("is merged by field, shown, exported, recorded, and ends with its slug", async () => {
    const person = await signUpVerified();
    const slug = newSlug();
    expect(await settings(person)).toEqual({ mode: "open", catalog: { public: false } });
    expect((await changeCatalogue(person, { slug, title: "Acme" })).body.data).toEqual({
      mode: "open",
      catalog: { public: false, slug, title: "Acme" },
    });
    await changeCatalogue(person, { public: true, description: "Orders." });
    await changeCatalogue(person, { public: true });
    const catalog = { public: true, slug, title: "Acme", description: "Orders." };
    expect(await settings(person)).toEqual({ mode: "open", catalog });
    expect((await call("GET", "/tenant/export", person)).body.data.catalog).toEqual(catalog);
    const { data } = (await call("GET", "/audit?action=tenant.settings_changed", person)).body;
    expect(data.map(({ meta }: { meta: object }) => meta)).toEqual([
      { changed: ["catalog.public", "catalog.description"], public: true },
      { changed: ["catalog.slug", "catalog.title"], public: false },
    ]);
    await changeCatalogue(person, { title: null, description: null });
    expect((await settings(person)).catalog).toEqual({ public: true, slug });
    await changeCatalogue(person, { public: false, slug: null });
    expect((await settings(person)).catalog).toEqual({ public: false });
  });

  test.each<[object, string]>([
    [{ public: true }, "catalog.slug"],
    [{ title: "Acme" }, "catalog.slug"],
    [{ slug: "ab" }, "catalog.slug"],
    [{ slug: "-abc" }, "catalog.slug"],
    [{ slug: "abc-" }, "catalog.slug"],
    [{ slug: "Abc" }, "catalog.slug"],
    [{ slug: "a".repeat(51) }, "catalog.slug"],
    [{ slug: "abc", title: "" }, "catalog.title"],
    [{ slug: "abc", description: "d".repeat(2001) }, "catalog.description"],
    [{ slug: "abc", pubic: true }, "catalog"],
  ])("is refused as %j", async (catalog, path) => {
    const person = await signUpVerified();
    expect(refusal(await changeCatalogue(person, catalog))).toEqual([400, "VALIDATION_FAILED", path]);
    expect((await settings(person)).catalog).toEqual({ public: false });
  });

  test("does not lose its slug while it is public", async () => {
    const person = await signUpVerified();
    const slug = await openCatalogue(person);
    expect(refusal(await changeCatalogue(person, { slug: null }))).toEqual([400, "VALIDATION_FAILED", "catalog.slug"]);
    expect((await settings(person)).catalog).toEqual({ public: true, slug });
  });

  test("is switched on only with a verified owner, and leaves the mode alone when it is refused", async () => {
    const person = await signUp();
    const slug = newSlug();
    const body = { mode: "known", catalog: { public: true, slug } };
    const refused = await call("PATCH", "/tenant/event-types", { token: person.token, body });
    expect(refusal(refused)).toEqual([403, "EMAIL_NOT_VERIFIED"]);
    expect((await changeCatalogue(person, { slug })).status).toBe(200);
    expect(await settings(person)).toEqual({ mode: "open", catalog: { public: false, slug } });
  });

  test("of 10 tenants that want one slug at once, one gets it, and another one when it is free", async () => {
    const slug = newSlug();
    const people = await Promise.all(Array.from({ length: 10 }, () => signUpVerified()));
    // Half of them have another slug already.
    await Promise.all(people.slice(5).map((person) => openCatalogue(person)));
    const answers = await Promise.all(people.map((person) => changeCatalogue(person, { slug, public: true })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)]);
    const refused = answers.find(({ status }) => status === 409);
    expect(refused?.body).toMatchObject({ code: "CONFLICT", message: "This slug is taken." });
    const at = answers.findIndex(({ status }) => status === 200);
    const [winner, loser] = [people[at], people[(at + 1) % people.length]] as [Person, Person];
    await changeCatalogue(winner, { slug: newSlug() });
    expect((await changeCatalogue(loser, { slug })).status).toBe(200);
  });

  test("loses no field of changes that come at once", async () => {
    const person = await signUpVerified();
    const slug = await openCatalogue(person);
    const changes = [{ title: "Acme" }, { description: "Orders." }, { public: false }];
    const answers = await Promise.all(changes.map((change) => changeCatalogue(person, change)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await settings(person)).catalog).toEqual({ public: false, slug, title: "Acme", description: "Orders." });
  });
});

describe("the pages", () => {
  test("show the list, each type and the files to everybody, for a minute", async () => {
    const person = await signUpVerified();
    const since = "2026-01-02T00:00:00.000Z";
    await declare(person, {
      name: "order/paid",
      schema: ORDER,
      examples: [{ total: 4711 }],
      description: "It is paid.",
    });
    await declare(person, { name: "order.old", deprecated: { since, note: "Too old.", replacedBy: "order/paid" } });
    // Its page would have the address of a file, which comes first.
    await declare(person, { name: "types.ts" });
    const slug = await openCatalogue(person, { title: "Acme events", description: "What we tell." });
    const list = await browse(slug);
    for (const shown of [
      "Acme events",
      "What we tell.",
      "It is paid.",
      `/catalog/${slug}/order%2Fpaid`,
      "deprecated",
    ]) {
      expect(list.text).toContain(shown);
    }
    const type = await browse(`${slug}/order%2Fpaid`);
    for (const shown of ["order/paid", "It is paid.", "Schema, version 1", "&quot;total&quot;", "4711"]) {
      expect(type.text).toContain(shown);
    }
    expect((await browse(`${slug}/order.old`)).text).toContain("Too old.");
    const [openapi, asyncapi, types] = await Promise.all(FILES.map((file) => browse(`${slug}/${file}`)));
    expect(JSON.parse(openapi?.text ?? "")).toMatchObject({
      info: { title: "Acme events" },
      webhooks: { "order/paid": { post: { "x-postern": { version: 1 } } } },
    });
    expect(JSON.parse(asyncapi?.text ?? "")).toMatchObject({
      info: { title: "Acme events" },
      channels: { "order/paid": {}, "order.old": {} },
    });
    expect(types?.text).toContain('"order/paid": {');
    expect(types?.text).toContain('"types.ts": unknown');
    for (const { status, headers } of [list, type, openapi, asyncapi, types].flatMap((answer) => answer ?? [])) {
      expect([status, headers.get("cache-control")]).toEqual([200, "public, max-age=60"]);
      expect(headers.get("content-security-policy")).toMatch(/^default-src 'none';(?!.*script-src)/);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
    }
  });

  test("never show rules, counts, subscribers, ids and archived types", async () => {
    const person = await signUpVerified();
    await declare(person, { name: "checked", schema: ORDER, enforce: "warn" });
    await declare(person, { name: "strict", schema: ORDER, enforce: "reject" });
    await declare(person, { name: "bygone", description: "Archived long ago." });
    await call("PATCH", "/event-types/bygone", { token: person.token, body: { archived: true } });
    const webhookId = await subscribe(person, newInbox("200").url, { events: ["checked"] });
    const warned = { token: person.token, body: { type: "checked", payload: {} } };
    expect((await call("POST", "/events", warned)).body.data.warnings).toHaveLength(1);
    const slug = await openCatalogue(person);
    const name = await env.DB.prepare("SELECT name FROM tenants WHERE id = ?")
      .bind(person.tenantId)
      .first<string>("name");
    const pages = ["", "/checked", "/strict", ...FILES.map((file) => `/${file}`)];
    const texts = (await Promise.all(pages.map((page) => browse(slug + page)))).map(({ text }) => text);
    expect(texts.every((text) => text.includes("checked") || text.includes("strict"))).toBe(true);
    const secrets = ["enforce", "reject", "warn", "ubscri", "bygone", "Archived", "createdAt"];
    for (const secret of [...secrets, person.tenantId, webhookId, person.email, name]) {
      expect(texts.filter((text) => text.includes(secret ?? ""))).toEqual([]);
    }
    expect((await browse(`${slug}/bygone`)).status).toBe(404);
  });

  test("are missing alike when unknown, not public, suspended or deleted", async () => {
    const [closed, suspended, deleted, open] = await Promise.all(Array.from({ length: 4 }, () => signUpVerified()));
    const people = [closed, suspended, deleted, open] as [Person, Person, Person, Person];
    await Promise.all(people.map((person) => declare(person, { name: "order.paid" })));
    const slugs = (await Promise.all(people.map((person) => openCatalogue(person)))) as [
      string,
      string,
      string,
      string,
    ];
    await changeCatalogue(people[0], { public: false });
    await env.DB.prepare("UPDATE tenants SET suspended_at = 1 WHERE id = ?").bind(people[1].tenantId).run();
    const removed = await call("DELETE", "/tenant", { token: people[2].token, body: { password: PASSWORD } });
    expect(removed.status).toBe(200);
    const below = ["", "/order.paid", ...FILES.map((file) => `/${file}`)];
    const missing = [newSlug(), ...slugs.slice(0, 3)].flatMap((slug) => below.map((path) => slug + path));
    missing.push(`${slugs[3]}/order.unpaid`, `${slugs[3]}/order.paid/more`, "", "A");
    const seen = await Promise.all(
      missing.map(async (path) => {
        const { status, headers, text } = await browse(path);
        const kept = [...headers].filter(
          ([name]) => !/^(x-request-id|ratelimit-.*|access-control-.*|vary)$/.test(name),
        );
        return JSON.stringify([status, text, kept]);
      }),
    );
    expect(new Set(seen).size).toBe(1);
    expect(seen[0]).toMatch(/^\[404,.*no-store/s);
    expect((await browse(`${slugs[3]}/order.paid`)).status).toBe(200);
  });

  test("escape what tenants write, and run nothing", async () => {
    const person = await signUpVerified();
    const evil = '"><script>alert(1)</script><img src=x onerror=alert(2)>';
    const name = "</td><script>alert(3)</script>";
    const schema = { description: `</pre>${evil}`, type: "object", properties: { "</pre><script>": { const: evil } } };
    await declare(person, { name, description: evil, group: evil.slice(0, 64), schema, examples: [{ evil }] });
    const deprecated = { since: "2026-01-02T00:00:00.000Z", note: evil, replacedBy: "'><script>" };
    await call("PATCH", `/event-types/${encodeURIComponent(name)}`, { token: person.token, body: { deprecated } });
    const slug = await openCatalogue(person, { title: evil, description: evil });
    for (const path of [slug, `${slug}/${encodeURIComponent(name)}`]) {
      const { status, text } = await browse(path);
      expect([status, text.includes("&lt;script&gt;")]).toEqual([200, true]);
      expect(text.match(/<(script|img)|\son\w+="/gi)).toBeNull();
    }
    const files = await Promise.all(FILES.map((file) => browse(`${slug}/${file}`)));
    expect(files.map(({ headers }) => headers.get("content-type"))).toEqual([
      "application/json; charset=UTF-8",
      "application/json; charset=UTF-8",
      "text/plain; charset=UTF-8",
    ]);
  });

  test("are gone as soon as the catalogue is switched off, and a type as soon as it is archived", async () => {
    const person = await signUpVerified();
    await declare(person, { name: "order.paid" });
    const slug = await openCatalogue(person);
    const paths = [slug, `${slug}/order.paid`, ...FILES.map((file) => `${slug}/${file}`)];
    const statuses = () => Promise.all(paths.map(async (path) => (await browse(path)).status));
    expect(new Set(await statuses())).toEqual(new Set([200]));
    await changeCatalogue(person, { public: false });
    expect(new Set(await statuses())).toEqual(new Set([404]));
    await changeCatalogue(person, { public: true });
    await call("PATCH", "/event-types/order.paid", { token: person.token, body: { archived: true } });
    expect((await browse(`${slug}/order.paid`)).status).toBe(404);
  });

  test("are limited by the IP address: of 50 requests at once, exactly the limit is answered", async () => {
    const ip = newAddress();
    const variables = { RATE_LIMITS: JSON.stringify({ catalog: { ...RULES.catalog, limit: 5 } }) };
    const answers = await Promise.all(Array.from({ length: 50 }, () => browse(newSlug(), { ip, variables })));
    const refused = answers.filter(({ status }) => status === 429);
    expect([refused.length, answers.filter(({ status }) => status === 404).length]).toEqual([45, 5]);
    for (const { headers, text } of refused) {
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
      expect([headers.get("cache-control"), text.includes("Too many requests")]).toEqual(["no-store", true]);
    }
  });

  test("list 200 types a page", async () => {
    const person = await signUpVerified();
    const eventTypes = Array.from({ length: 201 }, (_, at) => ({ name: `t.${String(at).padStart(3, "0")}` }));
    const imported = await call("POST", "/event-types/import", { token: person.token, body: { eventTypes } });
    expect(imported.status).toBe(200);
    const slug = await openCatalogue(person);
    const { text } = await browse(slug);
    expect([text.includes("t.199"), text.includes("t.200")]).toEqual([true, false]);
    const next = /href="\/catalog\/([^"]+\?after=[^"]+)"/.exec(text)?.[1] ?? "";
    expect((await browse(next)).text).toContain("t.200");
  });
});

test("the console changes it, and keeps what was entered when it is refused", async () => {
  const [person, other] = [await signUpVerified(), await signUpVerified()];
  const taken = await openCatalogue(other);
  const browser = await holding(person);
  const fields = { "catalog.public": "yes", "catalog.slug": taken, "catalog.title": "Acme", "catalog.description": "" };
  const refused = await browser.post("/event-types/catalogue", fields);
  expect([refused.status, refused.html.includes("This slug is taken."), refused.html.includes("Acme")]).toEqual([
    409,
    true,
    true,
  ]);
  const wrong = await browser.post("/event-types/catalogue", { ...fields, "catalog.slug": "-" });
  expect(wrong.html).toContain('id="catalog.slug-error"');
  const slug = newSlug();
  const done = await browser.post("/event-types/catalogue", { ...fields, "catalog.slug": slug });
  expect(done.location).toBe("/console/event-types");
  expect((await browser.follow(done)).html).toContain(`href="/catalog/${slug}"`);
  expect((await browser.get("/event-types/catalogue")).html).toContain(`value="${slug}"`);
});
