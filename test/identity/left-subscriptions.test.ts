/** What a member has set up and what stays when they leave, are removed or get a lower role: their subscriptions. */
import { beforeEach, describe, expect, test } from "vitest";
import { call, type Person, signUpVerified } from "../support/client";
import { holding } from "../support/console";
import { mailTo } from "../support/mailbox";
import { joinTenant } from "../support/people";

const create = async (caller: { token?: string; key?: string }, name: string, fields: object = {}) => {
  const { key, token } = caller;
  const headers = key === undefined ? {} : { "x-api-key": key };
  const body = { name, url: "https://taps.example/hook", events: ["*"], secret: "a signing secret", ...fields };
  return (await call("POST", "/webhooks", { token, headers, body })).body.data._id as string;
};

const change = (by: Person, id: string, body: object) => call("PATCH", `/webhooks/${id}`, { token: by.token, body });

const setUpBy = async (reader: Person, { userId }: Person) => {
  const { data } = (await call("GET", `/webhooks?setUpBy=${userId}`, { token: reader.token })).body;
  return data.map(({ name }: { name: string }) => name).sort();
};

let owner: Person;
let admin: Person;

beforeEach(async () => {
  owner = await signUpVerified();
  admin = await joinTenant(owner, "admin");
});

describe("GET /webhooks?setUpBy", () => {
  test("lists what a person has created or pointed elsewhere, also with a key, and after they have left", async () => {
    const own = await create(owner, "of the owner");
    await create(owner, "of the owner alone");
    const taken = await create(admin, "given away");
    const body = { name: "CI", scopes: ["webhook.create", "webhook.update"] };
    const { key } = (await call("POST", "/api-keys", { token: admin.token, body })).body.data;
    await create(admin, "by session");
    await create({ key }, "by key");
    await change(admin, own, { url: "https://taps.example/other" });
    await change(admin, own, { name: "redirected" });
    await change(owner, taken, { url: "https://example.com/mine" });
    const all = ["by key", "by session", "redirected"];
    expect([await setUpBy(owner, admin), await setUpBy(owner, owner)]).toEqual([
      all,
      ["given away", "of the owner alone"],
    ]);
    await call("DELETE", `/members/${admin.userId}`, { token: owner.token });
    expect(await setUpBy(owner, admin)).toEqual(all);
    expect(await setUpBy(await signUpVerified(), admin)).toEqual([]);
    expect((await call("GET", "/webhooks?setUpBy=somebody", { token: owner.token })).status).toBe(400);
  });

  test("does not count a change that leaves the URL as it is", async () => {
    const id = await create(owner, "of the owner");
    await change(admin, id, { url: "https://taps.example/hook", name: "renamed" });
    expect([await setUpBy(owner, admin), await setUpBy(owner, owner)]).toEqual([[], ["renamed"]]);
  });
});

describe("the mail to the owners", () => {
  test("names the subscriptions of a member who is removed", async () => {
    const developer = await joinTenant(owner, "developer");
    await create(developer, "tap");
    const paused = await create(developer, "paused");
    await call("POST", `/webhooks/${paused}/pause`, { token: developer.token });
    await call("DELETE", `/members/${developer.userId}`, { token: owner.token });
    const { text } = await mailTo(owner.email, /removed from your tenant/);
    expect(text).toContain(
      `${developer.email} has set up this subscription, which still receives events: "tap" (taps.example).`,
    );
  });

  test("names the keys of the tenant that a member has made, also for one who could not make them now", async () => {
    const key = async (by: Person, name: string) => {
      const body = { name, scopes: ["webhook.read"], owner: "tenant" };
      return (await call("POST", "/api-keys", { token: by.token, body })).body.data.prefix as string;
    };
    await key(owner, "of the owner");
    const prefix = await key(admin, "of the admin");
    await call("PATCH", `/members/${admin.userId}`, { token: owner.token, body: { role: "developer" } });
    const { text } = await mailTo(owner.email, /A role was changed/);
    expect(text).toContain(`has made this API key of the tenant, which still works: of the admin (${prefix}).`);
    const browser = await holding(owner);
    const removed = await browser.post(`/people/${admin.userId}/remove`);
    const { html } = await browser.follow(removed);
    expect(html).toContain("API keys of the tenant");
    expect([html.includes("of the admin"), html.includes("of the owner")]).toEqual([true, false]);
    const [, revoke = ""] = html.match(/action="\/console(\/api-keys\/[^"]+\/revoke)"/) ?? [];
    expect((await browser.post(revoke)).status).toBe(303);
    expect((await browser.get(`/people/${admin.userId}/left`)).html).toContain("Nothing that still works");
  });

  test("names the feeds and sources that a member has set up, and the console leads to them", async () => {
    const made = async (by: Person, path: string, body: object) =>
      (await call("POST", path, { token: by.token, body })).body.data.id as string;
    const feed = await made(admin, "/feeds", { name: "Billing", events: ["*"] });
    await made(owner, "/feeds", { name: "Of the owner", events: ["*"] });
    const handed = await made(owner, "/feeds", { name: "Handed on", events: ["*"] });
    await call("POST", `/feeds/${handed}/token`, { token: admin.token, body: {} });
    const github = { provider: "github", secrets: ["a secret"] };
    const source = await made(admin, "/sources", { name: "Repository", ...github });
    const added = await made(owner, "/sources", { name: "Added to", ...github });
    await call("POST", `/sources/${added}/secrets`, { token: admin.token, body: { secret: "another one" } });
    const browser = await holding(owner);
    const removed = await browser.post(`/people/${admin.userId}/remove`);
    const { text } = await mailTo(owner.email, /removed from your tenant/);
    const named = ['feed "Handed on"', 'feed "Billing"', 'source "Added to"', 'source "Repository"'];
    for (const name of named) expect(text).toContain(name);
    expect(text).not.toContain("Of the owner");
    const { html } = await browser.follow(removed);
    expect(html).toContain(`href="/console/feeds/${feed}"`);
    for (const id of [source, added]) await browser.post(`/sources/${id}/off`);
    for (const id of [feed, handed]) await browser.post(`/feeds/${id}/token`, { overlapSeconds: "0" });
    expect((await browser.get(`/people/${admin.userId}/left`)).html).toContain("Nothing that still works");
  });

  test("names those of a member who leaves", async () => {
    await create(admin, "tap");
    await call("DELETE", "/members/me", { token: admin.token });
    expect((await mailTo(owner.email, /left your tenant/)).text).toContain('"tap" (taps.example)');
  });

  test.each([
    ["viewer", ['"audit" (taps.example)', '"tap" (taps.example)']],
    ["developer", ['"audit" (taps.example)']],
    ["owner", []],
  ])("names what somebody could not set up as %s", async (role, named) => {
    await create(admin, "tap");
    await create(admin, "audit", { events: ["postern.audit"] });
    await call("PATCH", `/members/${admin.userId}`, { token: owner.token, body: { role } });
    const { text } = await mailTo(owner.email, /A role was changed/);
    expect(text.match(/"(audit|tap)" \(taps\.example\)/g) ?? []).toEqual(named);
  });
});

describe("the console", () => {
  test("names what stays before a member is removed, and offers to pause it and to rotate its secret", async () => {
    const id = await create(admin, "tap", { events: ["postern.*"] });
    const browser = await holding(owner);
    const asked = await browser.get(`/people/${admin.userId}/remove`);
    expect(asked.html).toContain("They have set up what stays afterwards");
    const removed = await browser.post(`/people/${admin.userId}/remove`);
    expect(removed.location).toBe(`/console/people/${admin.userId}/left`);
    const { html } = await browser.follow(removed);
    expect(html).toContain("Member removed.");
    expect(html).toContain("Set up by a former member");
    expect(html).toContain(`action="/console/webhooks/${id}/pause"`);
    expect(html).toContain(`href="/console/webhooks/${id}/secret/rotate"`);
    expect(html).toContain("audit log");
    await browser.post(`/webhooks/${id}/pause`);
    const after = await browser.get(`/people/${admin.userId}/left`);
    expect(after.html).toContain("Nothing that still works");
  });

  test("shows them after a lower role, and the list of people where nothing stays", async () => {
    await create(admin, "tap");
    const browser = await holding(owner);
    const change = (role: string) => browser.post(`/people/${admin.userId}/role`, { role });
    expect((await change("developer")).location).toBe("/console/people");
    expect((await change("viewer")).location).toBe(`/console/people/${admin.userId}/left`);
  });

  test("refuses somebody who does not manage members", async () => {
    const developer = await joinTenant(owner, "developer");
    const browser = await holding(developer);
    expect((await browser.get(`/people/${admin.userId}/left`)).status).toBe(403);
  });
});
