/** What every page of the console has in common: tenancy, permissions, refused forms and cost. */
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { app } from "../../src/app";
import { call, eventually, newEmail, PASSWORD, setRole, signUp, signUpVerified } from "../support/client";
import { holding, ORIGIN, visit } from "../support/console";
import { readSigners } from "../support/cost";
import { joinTenant } from "../support/people";
import { endedAttempts, newInbox, publish, subscribe } from "../support/receiver";

const MISSING = "0190a0a0-0000-7000-8000-000000000000";

/** A tenant with one of everything, and the ids for paths that contain one. */
async function createTenant() {
  const owner = await signUp();
  const webhookId = await subscribe(owner, newInbox("200").url);
  const event = await publish(owner, { order: 42 });
  const [attempt] = await endedAttempts(owner, webhookId, 1);
  const member = await joinTenant(owner, "viewer");
  const { token } = owner;
  const key = await call("POST", "/api-keys", { token, body: { name: "k", scopes: ["webhook.read"] } });
  const invited = await call("POST", "/invitations", { token, body: { email: newEmail(), role: "viewer" } });
  const sessions = await call("GET", "/auth/sessions", { token });
  const source = await call("POST", "/sources", {
    token,
    body: { name: "n", provider: "github", secrets: ["a secret"] },
  });
  const feed = await call("POST", "/feeds", { token, body: { name: "n", events: ["*"] } });
  const listener = await call("POST", "/listen", { token, body: { events: ["*"] } });
  const link = await call("POST", "/portal-links", { token, body: { permissions: ["webhook.read"] } });
  await call("POST", "/event-types", { token, body: { name: "order.paid" } });
  const ids: Record<string, string> = {
    feeds: feed.body.data.id,
    consumers: feed.body.data.id,
    listeners: listener.body.data._id,
    webhooks: webhookId,
    events: event.id,
    named: "order.paid",
    people: member.userId,
    tenants: owner.tenantId,
    "api-keys": key.body.data.id,
    "portal-links": link.body.data.id,
    invitations: invited.body.data.id,
    sessions: sessions.body.data[0].id,
    sources: source.body.data.id,
    imports: MISSING,
    registered: MISSING,
    apis: MISSING,
    documents: MISSING,
    connections: MISSING,
    domains: MISSING,
    directories: MISSING,
    tokens: MISSING,
    "setup-links": MISSING,
  };
  return { owner, webhookId, attemptId: attempt._id as string, ids };
}

const withIds = [
  ...new Set(
    app.routes
      .filter(({ method, path }) => method !== "ALL" && path.startsWith("/console/") && path.includes(":"))
      .map(({ method, path }) => `${method} ${path.slice("/console".length)}`),
  ),
  // The last one shows what somebody has left behind in the reader's own tenant, who need not be a member any more.
].filter((route) => !/\/assets\/|:provider|\/left$/.test(route));

describe("things of another tenant", () => {
  test("are not found on any route, like things that do not exist", async () => {
    const { attemptId, ids, webhookId, owner } = await createTenant();
    const stranger = await holding(await signUp());
    expect(withIds.length).toBeGreaterThan(20);
    const fields = {
      name: "n",
      url: "https://example.com/",
      events: "A",
      role: "viewer",
      hours: "24",
      members: "keep",
      enforce: "off",
      schema: "{}",
    };
    for (const route of withIds) {
      const [method, path = ""] = route.split(" ");
      const noun =
        path.split("/").findLast((part, at, parts) => parts[at + 1]?.startsWith(":") && part !== "attempts") ?? "";
      const at = path.replace(":attemptId", attemptId).replace(/:\w+/, ids[noun] ?? "");
      const { status } = method === "GET" ? await stranger.get(at) : await stranger.post(at, fields);
      expect(`${route}: ${status}`).toBe(`${route}: 404`);
    }
    const left = await stranger.get(`/people/${owner.userId}/left`);
    expect([left.status, left.html.includes("/console/webhooks/")]).toEqual([200, false]);
    const hook = await call("GET", `/webhooks/${webhookId}`, { token: owner.token });
    expect(hook.body.data).toMatchObject({ enabled: true, version: 0, isDeleted: false });
  });
});

/** The permission that each form needs. */
const NEEDS: Record<string, string> = {
  "/webhooks": "webhook.create",
  "/webhooks/:id": "webhook.update",
  "/webhooks/:id/delete": "webhook.delete",
  "/webhooks/:id/secret/rotate": "webhook.update",
  "/webhooks/:id/secret/previous/delete": "webhook.update",
  "/webhooks/:id/pause": "webhook.update",
  "/webhooks/:id/resume": "webhook.update",
  "/webhooks/:id/test": "webhook.update",
  "/webhooks/:id/attempts/:attemptId/retry": "webhook.update",
  "/webhooks/:id/attempts/:attemptId/now": "webhook.update",
  "/events": "event.publish",
  "/people/invitations": "member.manage",
  "/people/invitations/:id/revoke": "member.manage",
  "/people/:userId/role": "member.manage",
  "/people/:userId/remove": "member.manage",
};

describe("a viewer", () => {
  test("gets 403 for every forged form, as in the API", async () => {
    const { owner } = await createTenant();
    const browser = await holding(await joinTenant(owner, "viewer"));
    for (const path of Object.keys(NEEDS)) {
      const { status, html } = await browser.post(path.replaceAll(/:\w+/g, MISSING), { name: "n" });
      expect([path, status]).toEqual([path, 403]);
      expect(html).toContain("You do not have permission to do this.");
    }
    for (const path of [
      "/webhooks/new",
      `/webhooks/${MISSING}/edit`,
      `/webhooks/${MISSING}/delete`,
      "/events/new",
      "/people",
    ]) {
      expect([path, (await browser.get(path)).status]).toEqual([path, 403]);
    }
  });

  test("sees no form and no link that would be refused", async () => {
    const { owner, webhookId, attemptId } = await createTenant();
    const browser = await holding(await joinTenant(owner, "viewer"));
    for (const path of [
      "",
      "/webhooks",
      "/events",
      `/webhooks/${webhookId}`,
      `/webhooks/${webhookId}/attempts/${attemptId}`,
    ]) {
      const { status, html } = await browser.get(path);
      expect([path, status]).toEqual([path, 200]);
      const forms = [...html.matchAll(/<form method="post" action="([^"]+)"/g)].map(([, action]) => action);
      expect(forms).toEqual(["/console/sign-out"]);
      const links = [...html.matchAll(/href="(\/console[^"#]*)"/g)].map(([, link = ""]) =>
        link.replace("/console", ""),
      );
      for (const link of new Set(links.filter((name) => !name.includes("/assets/")))) {
        expect([link, (await browser.get(link)).status]).toEqual([link, 200]);
      }
    }
  });

  test("and a member without any permission sees a page that explains it", async () => {
    const owner = await signUp();
    await setRole(owner, "member");
    const { status, html } = await (await holding(owner)).get("");
    expect([status, html.includes("Your role in Personal is member")]).toEqual([200, true]);
  });
});

describe("a refused form", () => {
  const FORMS: [string, Record<string, string>, string][] = [
    ["/webhooks", { name: "", url: "https://example.com/", events: "A", secret: "s" }, "name"],
    ["/webhooks", { name: "n", url: "nonsense", events: "A", secret: "s" }, "url"],
    ["/webhooks", { name: "n", url: "https://example.com/", events: "", secret: "s" }, "events"],
    ["/webhooks", { name: "n", url: "https://example.com/", events: "A naïve", secret: "s" }, "events"],
    ["/webhooks", { name: "n", url: "https://example.com/", events: "A", secret: "" }, "secret"],
    ["/events", { type: "A", payload: "{" }, "payload"],
    ["/events", { type: "*", payload: "1" }, "type"],
    ["/people/invitations", { email: "nobody", role: "viewer" }, "email"],
    ["/people/invitations", { email: "a@example.com", role: "king" }, "role"],
    ["/security/password", { currentPassword: PASSWORD, newPassword: "password1" }, "newPassword"],
    ["/api-keys", { name: "" }, "name"],
  ];

  test.each(FORMS)(
    "%s %j is shown again with the error at its field and the entered values",
    async (path, fields, field) => {
      const browser = await holding(await signUp());
      const { status, html } = await browser.post(path, fields);
      expect(status).toBe(400);
      expect(html).toMatch(
        new RegExp(`id="${field}"[^>]*aria-describedby="[^"]*${field}-error"[^>]*aria-invalid="true"`),
      );
      expect(html).toContain(`id="${field}-error"`);
      for (const [name, value] of Object.entries(fields)) {
        if (/password/i.test(name)) expect(html).not.toContain(value);
        else if (name !== "role" && value !== "") expect(html).toContain(value);
      }
    },
  );

  test("shows errors that belong to no field: a wrong password, a taken email, an existing member", async () => {
    const person = await signUpVerified();
    const wrong = await visit().post("/sign-in", { email: person.email, password: "not the password" });
    expect([wrong.status, wrong.html.includes("Invalid email or password.")]).toEqual([401, true]);
    const taken = await visit().post("/register", { email: person.email, password: PASSWORD });
    expect([taken.status, taken.html.includes("already exists")]).toEqual([409, true]);
    const browser = await holding(person);
    const member = await browser.post("/people/invitations", { email: person.email, role: "viewer" });
    expect([member.status, member.html.includes("already a member")]).toEqual([409, true]);
    const last = await browser.post(`/people/${person.userId}/role`, { role: "viewer" });
    expect([last.status, last.html.includes("The last owner")]).toEqual([409, true]);
  });
});

describe("an event published with the form", () => {
  test("shows its deliveries, or that there are none", async () => {
    const person = await signUp();
    const browser = await holding(person);
    await subscribe(person, newInbox("200").url, { name: "receiver one" });
    const { location } = await browser.post("/events", { type: "OrderPaid", payload: '{"a":1}', correlationId: "c-1" });
    const path = location?.replace("/console", "") ?? "";
    const seen = await eventually("the delivery on the page", async () => {
      const { html } = await browser.get(path);
      return html.includes("200 OK") && html;
    });
    expect(seen).toContain("receiver one");
    const nowhere = await browser.follow(await browser.post("/events", { type: "Unwanted", payload: "null" }));
    expect(nowhere.html).toContain("No active subscription is for <code>Unwanted</code>.");
  });
});

describe("the database cost of a page", () => {
  const lines: string[] = [];
  let spy: ReturnType<typeof vi.spyOn>;
  beforeAll(() => {
    spy = vi.spyOn(console, "log").mockImplementation((line: unknown) => void lines.push(String(line)));
  });
  afterAll(() => spy.mockRestore());

  test("is two round trips: the session check and one batch", async () => {
    const { owner, webhookId, attemptId, ids } = await createTenant();
    const browser = await holding(owner);
    const paths = [
      "",
      "/webhooks",
      `/webhooks/${webhookId}`,
      `/webhooks/${webhookId}/log`,
      `/events/${ids.events}`,
      "/api-keys",
    ];
    for (const path of [...paths, "/security", `/webhooks/${webhookId}/attempts/${attemptId}/payload`]) {
      const requestId = crypto.randomUUID();
      await readSigners();
      expect((await browser.get(path, { "x-request-id": requestId })).status).toBe(200);
      const line = lines.map((text) => JSON.parse(text)).find((entry) => entry.clientRequestId === requestId);
      expect([path, line.d1Trips]).toEqual([path, 2]);
      expect(line.route).toMatch(/^\/console/);
    }
    expect(ORIGIN).toMatch(/^http:/);
  });
});
