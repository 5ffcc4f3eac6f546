/** The console's page of listeners: what is connected, whose it is, and who may close it. */
import { describe, expect, test } from "vitest";
import { call, eventually, type Person, signUp, signUpVerified } from "../support/client";
import { holding } from "../support/console";
import { connect, openListener } from "../support/listener";
import { joinTenant } from "../support/people";

const open = ({ token }: Pick<Person, "token">, name: string) => openListener(token, { events: ["order.*"], name });

describe("the page of listeners", () => {
  test("shows an owner whose they are and which are connected, and closes them", async () => {
    const owner = await signUpVerified();
    const developer = await joinTenant(owner, "developer");
    const browser = await holding(owner);
    expect((await browser.get("/listeners")).html).toContain("No listeners");
    const body = { name: "ci", scopes: ["webhook.create", "webhook.read"], owner: "tenant" };
    const { key } = (await call("POST", "/api-keys", { token: owner.token, body })).body.data;
    const own = await open(owner, "Ada's laptop");
    const theirs = await open(developer, "Bob's laptop");
    await open({ token: key }, "The CI machine");
    const { ready, closed } = await connect(theirs._id, theirs.ticket);
    await ready;
    const rowOf = async (name: string) => {
      const rows = (await browser.get("/listeners")).html.split("<li>");
      return rows.find((row) => row.includes(`Close ${name}`))?.replaceAll(/<[^>]*>/g, "") ?? "";
    };
    await eventually("connected", async () => (await rowOf("Bob&#39;s laptop")).includes(" connected"));
    expect(await rowOf("Bob&#39;s laptop")).toMatch(new RegExp(`Of ${developer.email}order\\.\\*Connected since 20`));
    expect(await rowOf("Ada&#39;s laptop")).toMatch(new RegExp(`not connectedOf ${owner.email}.*Not connected since`));
    expect(await rowOf("The CI machine")).toContain("Of ci");
    const answer = await browser.post(`/listeners/${theirs._id}/close`);
    expect((await browser.follow(answer)).html).toContain("Listener closed.");
    expect(await closed).toBe(4004);
    await browser.post(`/listeners/${own._id}/close`);
    expect((await browser.get("/listeners")).html).not.toContain("laptop");
    const audit = await call("GET", "/audit?action=listen.closed", { token: owner.token });
    const targets = audit.body.data.map((event: { target: { id: string } }) => event.target.id);
    expect(targets).toEqual([own._id, theirs._id]);
  });

  test("shows others their own only, and closes no other's", async () => {
    const owner = await signUpVerified();
    const developer = await joinTenant(owner, "developer");
    const browser = await holding(developer);
    const { _id } = await open(owner, "Ada's laptop");
    await open(developer, "Bob's laptop");
    const { html } = await browser.get("/listeners");
    expect([html.includes("Bob&#39;s laptop"), html.includes("Ada&#39;s laptop")]).toEqual([true, false]);
    expect((await browser.post(`/listeners/${_id}/close`)).status).toBe(404);
    const stranger = await holding(await signUp());
    expect((await stranger.post(`/listeners/${_id}/close`)).status).toBe(404);
    expect((await call("GET", "/listen", { token: owner.token })).body.data).toHaveLength(1);
  });

  test("is not for viewers, who cannot open listeners", async () => {
    const owner = await signUpVerified();
    const { _id } = await open(owner, "Ada's laptop");
    const viewer = await holding(await joinTenant(owner, "viewer"));
    expect((await viewer.get("/listeners")).status).toBe(403);
    expect((await viewer.post(`/listeners/${_id}/close`)).status).toBe(403);
    expect((await viewer.get("/webhooks")).html).not.toContain("/console/listeners");
  });
});
