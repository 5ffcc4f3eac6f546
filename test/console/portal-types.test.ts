/** The declared event types in a portal: to read, and to choose from. */
import { expect, test } from "vitest";
import { call, signUpVerified } from "../support/client";
import { ALL, newPortalLink, openPortal, portal } from "../support/portal";
import { newInbox, subscribe } from "../support/receiver";

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
  const fields = { name: "Chosen", url, types: "invoice.paid", events: "order.*, invoice.piad", secret: "a secret" };
  const { location } = await portal("POST", "/webhooks", { cookie, fields });
  // A type that may be mistyped leads back to the form.
  const [, id = ""] = /^\/portal\/webhooks\/([^/]+)\/edit$/.exec(location ?? "") ?? [];
  const { data } = (await call("GET", `/webhooks/${id}`, { token: owner.token })).body;
  expect(data.events).toEqual(["invoice.paid", "order.*", "invoice.piad"]);
  const again = await shown(`/webhooks/${data._id}/edit`);
  expect(again).toMatch(/value="invoice\.paid" checked/);
  expect(again).toMatch(/order\.\*\ninvoice\.piad<\/textarea>/);
  expect(again).toContain("<code>invoice.piad</code> No event type has this name. Do you mean invoice.paid?");
  const changed = await portal("POST", `/webhooks/${id}`, { cookie, fields: { ...fields, events: "order.*" } });
  expect(changed.location).toBe(`/portal/webhooks/${id}`);
});

test("an example of a type goes to one subscription alone, and no replay sends it to others", async () => {
  const owner = await signUpVerified();
  const cookie = await openPortal(await newPortalLink(owner.token, { permissions: ALL }));
  const examples = [{ cents: 1 }, { cents: 2, note: "long ".repeat(300) }];
  await call("POST", "/event-types", { token: owner.token, body: { name: "invoice.paid", examples } });
  const [tested, other] = [newInbox("200"), newInbox("200")];
  const id = await subscribe(owner, tested.url, { name: "Tested", events: ["invoice.*"] });
  const otherId = await subscribe(owner, other.url, { events: ["*"] });
  const { html } = await portal("GET", "/event-types/named/invoice.paid", { cookie });
  expect(html).toContain(`action="/portal/webhooks/${id}/test"`);
  expect((await portal("GET", `/webhooks/${id}/test`, { cookie })).html).toContain('<option value="invoice.paid">');
  const sent = await portal("POST", `/webhooks/${id}/test`, { cookie, fields: { type: "invoice.paid", example: "1" } });
  expect(sent.status).toBe(303);
  const [received] = await tested.arrived(1);
  expect([received?.headers["x-webhook-event"], JSON.parse(received?.body ?? "")]).toEqual([
    "invoice.paid",
    examples[1],
  ]);
  const as = { token: owner.token };
  const { data: events } = (await call("GET", "/events?type=invoice.paid", as)).body;
  expect(events).toMatchObject([{ test: true, deliveries: 1 }]);
  const { data: event } = (await call("GET", `/events/${events[0].id}`, as)).body;
  expect(event.subscriptions).toMatchObject([{ webhookId: id, state: "delivered" }]);
  const since = new Date(Date.now() - 60_000).toISOString();
  for (const which of ["all", "missing"]) {
    const body = { which, since, dryRun: true, includeBefore: true };
    const preview = await call("POST", `/webhooks/${otherId}/replay`, { ...as, body });
    expect(preview.body.data.matched).toBe(0);
  }
  expect(await other.received()).toEqual([]);
});

test.each([
  ["type=none", "type"],
  ["type=plain", "example"],
  ["type=plain&example=5", "example"],
])("a test with %s is refused", async (query, path) => {
  const owner = await signUpVerified();
  await call("POST", "/event-types", { token: owner.token, body: { name: "plain" } });
  const id = await subscribe(owner, newInbox("200").url);
  const { status, body } = await call("POST", `/webhooks/${id}/test?${query}`, { token: owner.token });
  expect([status, body.details?.[0]?.path]).toEqual([400, path]);
});
