/** The pages of a portal: opened once, within the permissions of the link, framed only where that is allowed. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { app } from "../../src/app";
import { RULES } from "../../src/base/limits/rules";
import { call, newAddress, setRole, signUp, signUpVerified } from "../support/client";
import { holding } from "../support/console";
import { ALL, newPortalLink, openPortal, portal } from "../support/portal";
import { newInbox, subscribe } from "../support/receiver";
import { MISSING } from "../support/routes";

const SHOP = "https://shop.example";
const FRAMED = { PORTAL_ORIGINS: SHOP };
const open = (token: string, headers: Record<string, string> = {}) =>
  portal("POST", "/open", { fields: { token }, headers });

/** An owner with a subscription, and the cookie of a portal of theirs. */
async function opened(body: Record<string, unknown> = {}) {
  const owner = await signUpVerified();
  const webhookId = await subscribe(owner, newInbox("200").url);
  const link = await newPortalLink(owner.token, body);
  return { owner, webhookId, link, cookie: await openPortal(link) };
}

describe("a link", () => {
  test("is not used up by looking at it, and opens the portal once", async () => {
    const { id, token } = await newPortalLink((await signUp()).token);
    for (const _ of [1, 2]) {
      const { status, html, cookies } = await portal("GET", `/open?token=${token}`);
      expect([status, html.includes(`value="${token}"`), cookies]).toEqual([200, true, []]);
    }
    const first = await open(token);
    expect([first.status, first.location]).toEqual([303, "/portal/webhooks"]);
    expect(first.cookies).toEqual([
      expect.stringMatching(
        /^__Host-postern-portal=[0-9a-f.-]{101}; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Lax$/,
      ),
    ]);
    expect(first.cookies[0]).toContain(id);
    expect((await open(token)).status).toBe(410);
  });

  test("opened 20 times at once, opens one portal and leaves one event", async () => {
    const owner = await signUpVerified();
    const { token } = await newPortalLink(owner.token);
    const answers = await Promise.all(Array.from({ length: 20 }, () => open(token)));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, ...Array(19).fill(410)]);
    const { data } = (await call("GET", "/audit?action=portal.link_opened", { token: owner.token })).body;
    expect(data).toHaveLength(1);
    expect(data[0].actor.kind).toBe("portal");
  });

  test("answers one page, whyever it does not work", async () => {
    const owner = await signUp();
    const [used, revoked, expired, lost] = [
      await newPortalLink(owner.token),
      await newPortalLink(owner.token),
      await newPortalLink(owner.token),
      await newPortalLink(owner.token),
    ];
    await open(used.token);
    await call("DELETE", `/portal-links/${revoked.id}`, { token: owner.token });
    await env.DB.prepare("UPDATE portal_links SET expires_at = ? WHERE id = ?").bind(Date.now(), expired.id).run();
    await setRole(owner, "member");
    const tokens = [used.token, revoked.token, expired.token, lost.token, `pl_${"0".repeat(40)}`, "x", ""];
    const pages = await Promise.all(tokens.map((token) => open(token)));
    expect(pages.map(({ status }) => status)).toEqual(Array(tokens.length).fill(410));
    const texts = pages.map(({ html }) => html.replaceAll(/nonce="[^"]*"/g, ""));
    expect(new Set(texts).size).toBe(1);
  });

  test.each([
    ["another origin", { origin: "https://evil.example" }],
    ["another site", { "sec-fetch-site": "cross-site" }],
    ["a page that hides its origin", { origin: "null" }],
  ])("is not opened by a form of %s", async (_name, headers) => {
    const { token } = await newPortalLink((await signUp()).token);
    expect((await open(token, headers)).status).toBe(403);
    expect((await open(token)).status).toBe(303);
  });
});

test("an address opens 60 links a minute", async () => {
  const headers = { "cf-connecting-ip": newAddress() };
  const limit = { RATE_LIMITS: JSON.stringify({ openPortal: { limit: 2, windowSeconds: 60 } }) };
  const tryOne = () => portal("POST", "/open", { fields: { token: "x" }, headers, variables: limit });
  expect([(await tryOne()).status, (await tryOne()).status, (await tryOne()).status]).toEqual([410, 410, 429]);
  expect(RULES.openPortal).toEqual({ limit: 60, windowSeconds: 60 });
});

describe("the pages", () => {
  test("need a session of the portal: the console's is none, nor is the portal's one of the console", async () => {
    const { owner, cookie } = await opened();
    const console = await holding(owner);
    const [[name, value] = ["", ""]] = console.jar;
    const statusWith = async (given?: string) =>
      (await portal("GET", "/webhooks", given === undefined ? {} : { cookie: given })).status;
    expect([await statusWith(), await statusWith(`${name}=${value}`), await statusWith(cookie)]).toEqual([
      401, 401, 200,
    ]);
    const [, secret = ""] = cookie.split("=");
    expect(await statusWith(`__Host-postern-portal=${value}`)).toBe(401);
    console.jar.set(name, secret);
    expect((await console.get("/webhooks")).status).toBe(303);
  });

  test("are those of subscriptions and events, and lead nowhere else", async () => {
    const { owner, webhookId, cookie } = await opened();
    const event = await call("POST", "/events", { token: owner.token, body: { type: "OrderPaid", payload: 1 } });
    const at = `/webhooks/${webhookId}`;
    for (const path of [
      "/webhooks",
      at,
      `${at}/security`,
      `${at}/replays`,
      "/events",
      `/events/${event.body.data.id}`,
    ]) {
      const { status, html } = await portal("GET", path, { cookie });
      expect([path, status]).toEqual([path, 200]);
      expect(html.match(/(?:href|action|data-[a-z]+)="\/console\/(?!assets)[^"]*"/g)).toBe(null);
    }
  });

  test("of the console that a portal does not have are not found", async () => {
    const { cookie } = await opened({ permissions: ALL });
    const paths = app.routes
      .filter(({ method, path }) => method !== "ALL" && path.startsWith("/console/"))
      .map(({ method, path }) => [method, path.slice("/console".length).replaceAll(/:\w+/g, MISSING)] as const)
      .filter(([, path]) => !/^\/(webhooks|events)(\/|$)/.test(path))
      // Customers see the types; an unknown one is not found either.
      .filter(([method, path]) => method !== "GET" || path !== "/event-types");
    expect(paths.length).toBeGreaterThan(40);
    for (const [method, path] of paths) {
      expect([method, path, (await portal(method, path, { cookie })).status]).toEqual([method, path, 404]);
    }
  });

  test("write within the permissions of the link", async () => {
    const [reader, writer] = [await opened(), await opened({ permissions: ALL })];
    const pausing = ({ webhookId, cookie }: typeof reader) =>
      portal("POST", `/webhooks/${webhookId}/pause`, { cookie });
    expect((await pausing(reader)).status).toBe(403);
    const paused = await pausing(writer);
    expect([paused.status, paused.location]).toEqual([303, `/portal/webhooks/${writer.webhookId}`]);
    const [flash] = paused.cookies;
    expect(flash).toMatch(/^__Host-postern-portal-flash=paused;/);
    const { html } = await portal("GET", `/webhooks/${writer.webhookId}`, {
      cookie: `${writer.cookie}; ${flash?.split(";")[0]}`,
    });
    expect(html).toContain("Paused. Nothing is sent to this webhook until you resume it.");
    const foreign = await portal("POST", `/webhooks/${reader.webhookId}/pause`, { cookie: writer.cookie });
    expect(foreign.status).toBe(404);
    for (const path of ["/events/new", "/events"]) {
      const method = path === "/events" ? "POST" : "GET";
      expect((await portal(method, path, { cookie: writer.cookie })).status).toBe(403);
    }
  });

  test("take no form of another origin", async () => {
    const { webhookId, cookie } = await opened({ permissions: ALL });
    const headers = { origin: SHOP, "sec-fetch-site": "cross-site" };
    const { status } = await portal("POST", `/webhooks/${webhookId}/pause`, { cookie, headers, variables: FRAMED });
    expect(status).toBe(403);
  });

  test("end at once when the link is revoked, and with the role of its maker", async () => {
    const [one, other] = [await opened(), await opened()];
    await call("DELETE", `/portal-links/${one.link.id}`, { token: one.owner.token });
    await setRole(other.owner, "member");
    for (const { cookie } of [one, other]) expect((await portal("GET", "/webhooks", { cookie })).status).toBe(401);
  });
});

describe("frames", () => {
  test("are allowed to nobody without PORTAL_ORIGINS", async () => {
    const { cookie } = await opened();
    const { headers } = await portal("GET", "/webhooks", { cookie });
    expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(headers.get("x-frame-options")).toBe("SAMEORIGIN");
  });

  test("are allowed to PORTAL_ORIGINS, on portals alone, with a cookie that browsers keep there", async () => {
    const link = await newPortalLink((await signUp()).token);
    const { cookies, status } = await portal("POST", "/open", { fields: { token: link.token }, variables: FRAMED });
    expect([status, cookies[0]]).toEqual([
      303,
      expect.stringMatching(/; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=None; Partitioned$/),
    ]);
    const cookie = cookies[0]?.split(";")[0] ?? "";
    for (const path of ["/webhooks", "/open?token=x", "/nowhere"]) {
      const { headers } = await portal("GET", path, { cookie, variables: FRAMED });
      expect(headers.get("content-security-policy")).toContain(`frame-ancestors ${SHOP}`);
      expect(headers.get("x-frame-options")).toBe(null);
    }
    const { headers } = await portal("GET", "/../console/sign-in", { variables: FRAMED });
    expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(headers.get("x-frame-options")).toBe("SAMEORIGIN");
  });

  test("may be in a page that is isolated, also with a logo of another origin", async () => {
    const policies = async (theme: object) => {
      const link = await newPortalLink((await signUp()).token, { theme });
      const cookie = await openPortal(link, FRAMED);
      const { headers } = await portal("GET", "/webhooks", { cookie, variables: FRAMED });
      return [headers.get("cross-origin-resource-policy"), headers.get("cross-origin-embedder-policy")];
    };
    expect(await policies({})).toEqual(["cross-origin", "require-corp"]);
    const logoUrl = "https://cdn.example/logo.svg";
    expect(await policies({ logoUrl })).toEqual(["cross-origin", "credentialless"]);
    const { headers } = await portal("GET", "/../console/sign-in", { variables: FRAMED });
    expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
  });

  test("may call the API, without cookies", async () => {
    const cors = async (method: string, path: string) => {
      const { headers } = await portal("OPTIONS", `/../api/v1${path}`, {
        headers: { origin: SHOP, "access-control-request-method": method },
        variables: FRAMED,
      });
      return [headers.get("access-control-allow-origin"), headers.get("access-control-allow-credentials")];
    };
    expect(await cors("GET", "/webhooks")).toEqual([SHOP, null]);
    expect((await cors("POST", "/auth/oauth/exchange"))[0]).toBe(null);
  });
});

describe("a theme", () => {
  test("gives colours, a title, a logo and a way back", async () => {
    const colors = { background: "#101010", accent: "#ffee00", text: "#fafafa" };
    const theme = { colors, title: "Shop <hooks>", logoUrl: "https://cdn.example/logo.svg" };
    const { cookie } = await opened({ theme, returnUrl: "https://shop.example/settings?a=1&b=2" });
    const { html, headers } = await portal("GET", "/webhooks", { cookie });
    expect(headers.get("content-security-policy")).toContain("img-src 'self' https://cdn.example;");
    expect(html).toMatch(/<style nonce="[^"]+">:root \{ color-scheme: dark;[^<]*--bg: #101010;[^<]*--accent: #ffee00;/);
    expect(html).toContain("--on-accent: #000000;");
    expect(html).toContain("Shop &lt;hooks&gt;");
    expect(html).toContain('src="https://cdn.example/logo.svg"');
    expect(html).toContain('href="https://shop.example/settings?a=1&amp;b=2" target="_top"');
  });

  test("names what a subscription is called, and nothing that somebody has typed", async () => {
    const { owner, cookie } = await opened({ theme: { wording: "endpoints" } });
    await subscribe(owner, newInbox("200").url, { name: "My subscription" });
    const { html } = await portal("GET", "/webhooks", { cookie });
    expect(html).toContain("<h1>Endpoints</h1>");
    expect(html).toContain("<title>Endpoints · ");
    expect(html).toContain("My subscription");
    const plain = await opened();
    expect((await portal("GET", "/webhooks", { cookie: plain.cookie })).html).toContain("<h1>Webhooks</h1>");
  });

  test("leaves a name and a search as they were typed, also if they are a word or an address of ours", async () => {
    const { owner, cookie } = await opened();
    const id = await subscribe(owner, newInbox("200").url, { name: "Subscriptions" });
    const list = await portal("GET", "/webhooks", { cookie });
    expect(list.html).toContain(`<a href="/portal/webhooks/${id}">Subscriptions</a>`);
    expect((await portal("GET", `/webhooks/${id}`, { cookie })).html).toContain("<h1>Subscriptions</h1>");
    const found = await portal("GET", "/webhooks?q=/console/events", { cookie });
    expect(found.html).toContain('value="/console/events"');
  });

  test("changes the word on every page, in what it says after a form, and in refusals", async () => {
    const { owner, webhookId, cookie } = await opened({ permissions: ALL, theme: { wording: "endpoints" } });
    const at = `/webhooks/${webhookId}`;
    await portal("POST", `${at}/pause`, { cookie });
    const event = await call("POST", "/events", { token: owner.token, body: { type: "OrderPaid", payload: 1 } });
    const seen = ["/webhooks", "/webhooks/new", at, `${at}/edit`, `${at}/delete`, `${at}/security`, `${at}/replays`];
    const more = [`${at}/secret/rotate`, `${at}/filter`, "/events", `/events/${event.body.data.id}`];
    for (const path of [...seen, ...more]) {
      const { html } = await portal("GET", path, { cookie });
      expect([path, html.match(/[^<>]*\bsubscriptions?\b[^<>]*/i)]).toEqual([path, null]);
    }
    const fields = {
      name: "n",
      url: newInbox("200").url,
      events: "postern.webhook.disabled",
      secret: "a-signing-secret",
    };
    const refused = await portal("POST", "/webhooks", { cookie, fields: { ...fields, filter: '{"type":"A"}' } });
    expect(refused.html).toContain("An endpoint with a filter must not list operational events");
    const { cookies, location } = await portal("POST", "/webhooks", { cookie, fields });
    const flash = cookies[0]?.split(";")[0];
    const next = await portal("GET", location?.replace("/portal", "") ?? "", { cookie: `${cookie}; ${flash}` });
    expect(next.html).toContain("Endpoint created.");
  });
});
