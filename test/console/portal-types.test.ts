/** The declared event types in a portal: to read, and to choose from. */
import { expect, test } from "vitest";
import { call, signUpVerified } from "../support/client";
import { ALL, newPortalLink, openPortal, portal } from "../support/portal";
import { newInbox } from "../support/receiver";

test("customers see the declared types with examples, and choose from them when they subscribe", async () => {
  const owner = await signUpVerified();
  const cookie = await openPortal(await newPortalLink(owner.token, { permissions: ALL }));
  const body = {
    name: "invoice.paid",
    description: "An invoice was paid.",
    group: "Invoices",
    schema: { type: "object", properties: { cents: { type: "integer" } } },
    examples: [{ cents: 4711 }],
  };
  expect((await call("POST", "/event-types", { token: owner.token, body })).status).toBe(201);
  const shown = async (path: string) => (await portal("GET", path, { cookie })).html;
  const list = await shown("/event-types");
  for (const text of ["Invoices", "An invoice was paid.", "/portal/event-types/named/invoice.paid"]) {
    expect(list).toContain(text);
  }
  const type = await shown("/event-types/named/invoice.paid");
  expect(type).toContain("4711");
  expect(type).not.toMatch(/new-version|Publish this example/);
  const form = await shown("/webhooks/new");
  expect(form).toMatch(/<legend>Invoices<\/legend>.*name="types" value="invoice\.paid"/s);
  const url = newInbox("200").url;
  const fields = { name: "Chosen", url, types: "invoice.paid", events: "order.*, other", secret: "a secret" };
  const { location } = await portal("POST", "/webhooks", { cookie, fields });
  const { data } = (await call("GET", `/webhooks/${location?.split("/").at(-1)}`, { token: owner.token })).body;
  expect(data.events).toEqual(["invoice.paid", "order.*", "other"]);
  const again = await shown(`/webhooks/${data._id}/edit`);
  expect(again).toMatch(/value="invoice\.paid" checked/);
  expect(again).toMatch(/order\.\*\nother<\/textarea>/);
});
