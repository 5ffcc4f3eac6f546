/** The console's page of listeners: what is connected, whose it is, and who may close it. */
import { describe, expect, test } from "vitest";
import { call, eventually, type Person, signUp, signUpVerified } from "../support/client";
import { holding } from "../support/console";
import { connect, openListener } from "../support/listener";
import { joinTenant } from "../support/people";
import { endedAttempts, publish } from "../support/receiver";

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

describe("the page of one listener", () => {
  /** A listener that has answered one event, and the page of it that its row leads to. */
  async function withLog(status: number) {
    const owner = await signUpVerified();
    const { _id, ticket } = await open(owner, "Ada's laptop");
    const { ready, socket } = await connect(_id, ticket, () => ({ status }));
    await ready;
    await publish(owner, { order: 42 }, { type: "order.paid" });
    await endedAttempts(owner, _id, 1);
    const browser = await holding(owner);
    const [, path = ""] = /href="\/console([^"]+)">Ada/.exec((await browser.get("/listeners")).html) ?? [];
    return { owner, _id, socket, browser, path };
  }

  test("shows its log, and has no button and no link that is refused", async () => {
    const { browser, path } = await withLog(404);
    const { status, html } = await browser.get(path);
    expect([status, html.includes("404 Not Found")]).toEqual([200, true]);
    const main = html.slice(html.indexOf("<main"), html.indexOf("</main"));
    const linksOf = (attribute: string) =>
      [...main.matchAll(new RegExp(`${attribute}="/console([^"#]*)`, "g"))].map(([, to = ""]) => to);
    const links = linksOf("href");
    const attempt = links.find((link) => link.includes("/attempts/")) ?? "";
    const periods = ["24h", "7d", "30d"].map((period) => `${path}?period=${period}`);
    expect(links).toEqual(["/listeners", `${path}/replays`, ...periods, attempt]);
    for (const link of links) expect([link, (await browser.get(link)).status]).toEqual([link, 200]);
    expect(linksOf('method="post" action')).toEqual([`${path}/test`]);
    const answer = await browser.post(`${path}/test`);
    expect([answer.status, answer.location]).toEqual([303, `/console${path}#log`]);
    expect(html).not.toContain("listener.invalid");
    expect((await browser.get(attempt)).html).not.toContain("listener.invalid");
    expect((await browser.get("")).html).not.toContain("Needs attention");
  });

  test("says what waits while it is not connected, and needs no attention", async () => {
    const { owner, browser, path, socket } = await withLog(200);
    socket.close();
    await eventually("not connected", async () => (await browser.get(path)).html.includes(">not connected<"));
    await publish(owner, { order: 43 }, { type: "order.paid" });
    await eventually("one held", async () => (await browser.get(path)).html.includes("is connected: 1 so far."));
    expect((await browser.get("")).html).not.toContain("Needs attention");
    expect((await call("GET", "/stats", { token: owner.token })).body.data.attention).toEqual([]);
  });

  test("leads a reader who cannot open listeners to nothing that is refused", async () => {
    const { owner, path } = await withLog(200);
    const viewer = await holding(await joinTenant(owner, "viewer"));
    const { status, html } = await viewer.get(path);
    expect(status).toBe(200);
    expect([html.includes('href="/console/listeners"'), html.includes(`${path}/test`)]).toEqual([false, false]);
  });
});
