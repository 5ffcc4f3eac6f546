/** The pages of the platform's tenant: those of every tenant, for operators, with links that stay below them. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { createDeps } from "../../src/base/deps";
import { publishPlatform } from "../../src/webhooks/platform-events/feed";
import { call, eventually, signUpVerified } from "../support/client";
import { holding, visit } from "../support/console";
import { named, operator } from "../support/operators";
import { newInbox } from "../support/receiver";

const HERE = "/platform/webhooks";
const ELSEWHERE = /[a-z-]="\/console\/(?:webhooks|events|activity)/;
const mainOf = (html: string) => html.slice(html.indexOf("<main"));

async function subscribed(name: string) {
  const person = await operator();
  const browser = await holding(person);
  const inbox = newInbox("200");
  const fields = { name, url: inbox.url, events: "user.created", secret: "a-signing-secret" };
  const made = await browser.post(HERE, fields);
  return { person, browser, inbox, made };
}

describe("an operator", () => {
  test("makes a subscription of the platform, which gets its events and is in no other list", async () => {
    const name = crypto.randomUUID();
    const { person, browser, inbox, made } = await subscribed(name);
    expect([made.status, made.location]).toEqual([303, expect.stringMatching(/^\/console\/platform\/webhooks\//)]);
    const detail = await browser.follow(made);
    expect([detail.status, detail.html.includes(name)]).toEqual([200, true]);
    expect(mainOf(detail.html)).not.toMatch(ELSEWHERE);
    expect((await browser.get(HERE)).html).toContain(name);
    expect((await browser.get("/webhooks")).html).not.toContain(name);

    const newcomer = await signUpVerified();
    const context = createExecutionContext();
    await publishPlatform(await createDeps(env, context), () => false);
    await waitOnExecutionContext(context);
    // People whom earlier tests made may come first.
    await eventually("the event of the newcomer", async () =>
      (await inbox.received()).some(({ body }) => body.includes(newcomer.userId)),
    );
    const events = await browser.get("/platform/events");
    expect(events.html).toContain("user.created");
    expect(mainOf(events.html)).not.toMatch(ELSEWHERE);
    expect(events.html).not.toContain("/console/platform/events/new");
    const activity = await browser.get("/platform/activity");
    expect([activity.status, activity.html.includes(person.email)]).toEqual([200, true]);
  });

  test("pauses and deletes it, and confirms the session first where the page asks for it", async () => {
    const { browser, made } = await subscribed("to be paused");
    const path = made.location?.replace("/console", "") ?? "";
    const paused = await browser.post(`${path}/pause`);
    expect([paused.status, paused.location]).toEqual([303, `/console${path}`]);
    expect((await browser.follow(paused)).html).toContain("paused");
    const deleted = await browser.post(`${path}/delete`);
    expect([deleted.status, deleted.location]).toEqual([303, "/console/platform/webhooks"]);
  });

  test("gets to the log of the platform by links that stay there, and back there from the sign-in", async () => {
    const { browser, made } = await subscribed("linked");
    const path = made.location?.replace("/console", "") ?? "";
    const pages = [path, `${path}/edit`, `${path}/replays`, `${path}/security`, `${path}/filter`, "/platform/events"];
    for (const page of pages) {
      const { status, html } = await browser.get(page);
      expect([page, status, ELSEWHERE.exec(mainOf(html))]).toEqual([page, 200, null]);
      expect(html).toMatch(/<a href="\/console\/webhooks"[^>]*>Subscriptions<\/a>/);
    }
    const { location } = await visit().get(path);
    expect(location).toBe(`/console/sign-in?to=${encodeURIComponent(made.location ?? "")}`);
  });

  test("cannot publish there", async () => {
    const browser = await holding(await operator());
    const { status } = await browser.post("/platform/events", { type: "user.created", payload: "{}" });
    expect(status).toBe(403);
  });
});

describe("nobody else", () => {
  test("gets a page there, or changes anything", async () => {
    const { made } = await subscribed("not theirs");
    const path = made.location?.replace("/console", "") ?? "";
    const [browser, stranger] = [await holding(await signUpVerified()), visit()];
    for (const page of ["/platform", HERE, path, "/platform/events", "/platform/activity"]) {
      expect([page, (await browser.get(page)).status]).toEqual([page, 404]);
      const { status, location } = await stranger.get(page);
      expect([page, status, location?.startsWith("/console/sign-in")]).toEqual([page, 303, true]);
    }
    expect((await browser.post(`${path}/delete`)).status).toBe(404);
    expect((await browser.post(HERE, { name: "x", url: "https://x.example", events: "*" })).status).toBe(404);
  });

  test("not even an operator without a second factor, who is told how to set one up", async () => {
    const { status, html } = await (await holding(await named("operator@example.com"))).get(HERE);
    expect([status, html.includes("/console/security#two-factor")]).toEqual([403, true]);
  });
});

test("a session that names the tenant of the platform in the API has the same rights", async () => {
  const { token } = await operator();
  const headers = { "postern-tenant": "platform" };
  expect((await call("GET", "/webhooks", { token, headers })).status).toBe(200);
  expect((await call("POST", "/events", { token, headers, body: { type: "A", payload: {} } })).status).toBe(403);
});
