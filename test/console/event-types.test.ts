/** The pages on which event types are declared, changed and read. */
import { expect, test } from "vitest";
import { call, setRole, signUp, signUpVerified } from "../support/client";
import { holding } from "../support/console";

const SCHEMA = '{"type":"object","required":["total"],"properties":{"total":{"type":"integer"}}}';
const TYPE = "/event-types/named/order.paid";
const read = async ({ token }: { token: string }) =>
  (await call("GET", "/event-types/order.paid", { token })).body.data;

test("a type is declared, shown, changed, given a version and deleted", async () => {
  const person = await signUpVerified();
  const browser = await holding(person);
  const values = { name: "order.paid", description: "Paid.", group: "Orders", enforce: "reject", schema: SCHEMA };
  const made = await browser.post("/event-types", { ...values, examples: '[{"total":7}]' });
  expect([made.status, made.location]).toEqual([303, `/console${TYPE}`]);
  expect(await read(person)).toMatchObject({ enforce: "reject", group: "Orders", examples: [{ total: 7 }] });
  const list = (await browser.get("/event-types")).html;
  for (const text of ["order.paid", "Orders", "refused if it does not fit"]) expect(list).toContain(text);
  const page = (await browser.get(TYPE)).html;
  for (const text of ["Paid.", "Example 1", "Version 1", "Publish this example"]) expect(page).toContain(text);
  const [, link = ""] = /href="\/console(\/events\/new[^"]*)"/.exec(page) ?? [];
  expect((await browser.get(link.replaceAll("&amp;", "&"))).html).toMatch(/&quot;total&quot;: 7/);

  const change = { enforce: "warn", deprecated: "yes", note: "Old.", replacedBy: "order.settled", archived: "yes" };
  expect((await browser.post(TYPE, { ...change, examples: "" })).location).toBe(`/console${TYPE}`);
  const changed = await read(person);
  expect(changed).toMatchObject({ enforce: "warn", archived: true, deprecated: { note: "Old." } });
  expect([changed.description, changed.examples]).toEqual([undefined, undefined]);
  const { since } = changed.deprecated;
  await browser.post(TYPE, { ...change, since, note: "Older." });
  expect((await read(person)).deprecated).toEqual({ since, note: "Older.", replacedBy: "order.settled" });
  expect((await browser.get("/event-types")).html).not.toContain("order.paid");
  expect((await browser.get("/event-types?archived=include")).html).toContain("order.paid");

  const version = await browser.post(`${TYPE}/versions`, { schema: SCHEMA.replace("integer", "string") });
  expect(version.location).toBe(`/console${TYPE}/versions/2`);
  expect((await browser.get(`${TYPE}/versions/2`)).html).toContain("<code>total</code>");
  expect((await browser.get(`${TYPE}/delete`)).html).toContain("order.paid");
  expect((await browser.post(`${TYPE}/delete`)).location).toBe("/console/event-types");
  expect((await browser.get(TYPE)).status).toBe(404);
});

test("what is refused is marked in its field", async () => {
  const person = await signUpVerified();
  const browser = await holding(person);
  const refused = async (path: string, fields: Record<string, string>, field: string) => {
    const { status, html } = await browser.post(path, fields);
    expect([path, fields, status]).toEqual([path, fields, 400]);
    expect(html).toContain(`id="${field}-error"`);
  };
  await refused("/event-types", { name: "a b", enforce: "off" }, "name");
  await refused("/event-types", { name: "a", enforce: "off", schema: "{" }, "schema");
  await refused("/event-types", { name: "a", enforce: "off", schema: '{"typ":1}' }, "schema");
  await refused("/event-types", { name: "a", enforce: "off", schema: SCHEMA, examples: "[1]" }, "examples");
  await refused("/event-types", { name: "a", enforce: "reject" }, "enforce");
  await browser.post("/event-types", { name: "order.paid", enforce: "off" });
  await refused(`${TYPE}/versions`, { schema: "5" }, "schema");
  await refused(TYPE, { enforce: "warn" }, "enforce");
});

test("owners choose what can be published, viewers only read, and other tenants see nothing", async () => {
  const [person, stranger] = [await signUpVerified(), await signUp()];
  const browser = await holding(person);
  await browser.post("/event-types", { name: "order.paid", enforce: "off" });
  expect((await browser.post("/tenants/event-types", { mode: "known" })).location).toBe("/console/event-types");
  expect((await call("GET", "/tenant/event-types", person)).body.data).toMatchObject({ mode: "known" });
  expect((await (await holding(stranger)).get(TYPE)).status).toBe(404);
  await setRole(person, "viewer");
  const { html } = await browser.get("/event-types");
  expect([html.includes("order.paid"), html.includes("Declare a type"), html.includes('name="mode"')]).toEqual([
    true,
    false,
    false,
  ]);
  expect((await browser.get(TYPE)).html).not.toContain("Edit");
  expect((await browser.post(TYPE, { enforce: "off" })).status).toBe(403);
});
