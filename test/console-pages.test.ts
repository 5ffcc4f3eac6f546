/** What the console's pages do: no more than the API would, and what it refuses is shown where it belongs. */
import { env } from "cloudflare:workers";
import { Secret, TOTP } from "otpauth";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { app } from "../src/app";
import { call, eventually, newEmail, PASSWORD, type Person, setRole, signUp, verify } from "./support/client";
import { holding, ORIGIN, signedIn, type Visit, visit } from "./support/console";
import { addDelivery, consumeBatch, makeDue, messageFor } from "./support/engine";
import { joinTenant } from "./support/people";
import { endedAttempts, newInbox, publish, subscribe } from "./support/receiver";

const MISSING = "0190a0a0-0000-7000-8000-000000000000";
const PAGE_KIB = 100;

/** A tenant with one of everything, and the paths that name them. */
async function furnished() {
  const owner = await signUp();
  const webhookId = await subscribe(owner, newInbox("200").url);
  const event = await publish(owner, { order: 42 });
  const [attempt] = await endedAttempts(owner, webhookId, 1);
  const member = await joinTenant(owner, "viewer");
  const { token } = owner;
  const key = await call("POST", "/api-keys", { token, body: { name: "k", scopes: ["webhook.read"] } });
  const invited = await call("POST", "/invitations", { token, body: { email: newEmail(), role: "viewer" } });
  const sessions = await call("GET", "/auth/sessions", { token });
  const ids: Record<string, string> = {
    webhooks: webhookId,
    events: event.id,
    people: member.userId,
    "api-keys": key.body.data.id,
    invitations: invited.body.data.id,
    sessions: sessions.body.data[0].id,
  };
  return { owner, webhookId, attemptId: attempt._id as string, ids };
}

const withIds = [
  ...new Set(
    app.routes
      .filter(({ method, path }) => method !== "ALL" && path.startsWith("/console/") && path.includes(":"))
      .map(({ method, path }) => `${method} ${path.slice("/console".length)}`),
  ),
].filter((route) => !route.includes("/assets/"));

describe("another tenant's things", () => {
  test("are as missing ones on every route that names one", async () => {
    const { attemptId, ids, webhookId, owner } = await furnished();
    const stranger = await holding(await signUp());
    expect(withIds.length).toBeGreaterThan(20);
    const fields = { name: "n", url: "https://example.com/", events: "A", role: "viewer", hours: "24" };
    for (const route of withIds) {
      const [method, path = ""] = route.split(" ");
      const noun =
        path.split("/").findLast((part, at, parts) => parts[at + 1]?.startsWith(":") && part !== "attempts") ?? "";
      const at = path.replace(":attemptId", attemptId).replace(/:\w+/, ids[noun] ?? "");
      const { status } = method === "GET" ? await stranger.get(at) : await stranger.post(at, fields);
      expect([route, status]).toEqual([route, 404]);
    }
    const hook = await call("GET", `/webhooks/${webhookId}`, { token: owner.token });
    expect(hook.body.data).toMatchObject({ enabled: true, version: 0, isDeleted: false });
  });
});

/** Where a role that lacks the permission must neither see a way nor find one. */
const NEEDS: Record<string, string> = {
  "/webhooks": "webhook.create",
  "/webhooks/:id": "webhook.update",
  "/webhooks/:id/delete": "webhook.delete",
  "/webhooks/:id/pause": "webhook.update",
  "/webhooks/:id/resume": "webhook.update",
  "/webhooks/:id/test": "webhook.update",
  "/webhooks/:id/retry-failed": "webhook.update",
  "/webhooks/:id/attempts/:attemptId/retry": "webhook.update",
  "/events": "event.publish",
  "/people/invitations": "member.manage",
  "/people/invitations/:id/revoke": "member.manage",
  "/people/:userId/role": "member.manage",
  "/people/:userId/remove": "member.manage",
};

describe("a viewer", () => {
  test("gets 403 for every forged form, as from the API", async () => {
    const { owner } = await furnished();
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
      "/events",
      "/people",
    ]) {
      expect([path, (await browser.get(path)).status]).toEqual([path, 403]);
    }
  });

  test("sees no form and no link that would be refused", async () => {
    const { owner, webhookId, attemptId } = await furnished();
    const browser = await holding(await joinTenant(owner, "viewer"));
    for (const path of ["", "/webhooks", `/webhooks/${webhookId}`, `/webhooks/${webhookId}/attempts/${attemptId}`]) {
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

  test("and a member without any permission finds a page that says so", async () => {
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
    "%s %j is shown again with the error at the field and what was typed",
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

  test("says beside the form what no field is about: a wrong password, a taken email, a member already", async () => {
    const person = await signUp();
    const wrong = await visit().post("/sign-in", { email: person.email, password: "not the password" });
    expect([wrong.status, wrong.html.includes("Invalid email or password.")]).toEqual([401, true]);
    const taken = await visit().post("/register", { email: person.email, password: PASSWORD });
    expect([taken.status, taken.html.includes("already exists")]).toEqual([409, true]);
    const browser = await holding(person);
    const member = await browser.post("/people/invitations", { email: person.email, role: "viewer" });
    expect([member.status, member.html.includes("a member already")]).toEqual([409, true]);
    const last = await browser.post(`/people/${person.userId}/role`, { role: "viewer" });
    expect([last.status, last.html.includes("The last owner")]).toEqual([409, true]);
  });

  test("tells how long a limit lasts, with the API's status and headers", async () => {
    const browser = visit();
    const ask = () => browser.post("/forgot-password", { email: "a@example.com" });
    await ask();
    await ask();
    await ask();
    const { status, headers, html } = await ask();
    expect([status, headers.get("ratelimit-remaining")]).toEqual([429, "0"]);
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    expect(html).toMatch(/Try again in \d+ seconds\./);
  });
});

describe("subscriptions", () => {
  const FIELDS = {
    name: "orders",
    url: "https://example.com/hook",
    events: "OrderPaid, OrderShipped\n*",
    secret: "s3cret",
  };

  async function created(): Promise<{ person: Person; browser: Visit; path: string; id: string }> {
    const person = await signUp();
    const browser = await holding(person);
    const { location } = await browser.post("/webhooks", FIELDS);
    const path = location?.replace("/console", "") ?? "";
    return { person, browser, path, id: path.split("/").at(-1) ?? "" };
  }

  test("are created, changed, paused, resumed and deleted as by the API; an empty secret keeps the old one", async () => {
    const { person, browser, path, id } = await created();
    const read = async () => (await call("GET", `/webhooks/${id}`, { token: person.token })).body.data;
    expect(await read()).toMatchObject({ events: ["OrderPaid", "OrderShipped", "*"], secret: "s3cret", enabled: true });
    await browser.post(path, { ...FIELDS, name: "renamed", secret: "" });
    expect(await read()).toMatchObject({ name: "renamed", secret: "s3cret", version: 1 });
    expect((await browser.follow(await browser.post(`${path}/pause`))).html).toContain("Resume</button>");
    expect((await read()).enabled).toBe(false);
    expect((await browser.follow(await browser.post(`${path}/resume`))).html).toContain("Pause</button>");
    expect((await browser.get(`${path}/delete`)).html).toContain("Delete “renamed”?");
    expect((await browser.follow(await browser.post(`${path}/delete`))).html).toContain("Subscription deleted.");
    expect((await call("GET", `/webhooks/${id}`, { token: person.token })).status).toBe(404);
  });

  test("show their secret only when it is asked for", async () => {
    const { browser, path } = await created();
    for (const page of [path, `${path}/edit`, "/webhooks"])
      expect((await browser.get(page)).html).not.toContain("s3cret");
    expect((await browser.get(`${path}?secret=shown`)).html).toContain("s3cret");
  });

  test("are found by name and URL, 50 a page", async () => {
    const { person, browser } = await created();
    await Promise.all(
      Array.from({ length: 50 }, (_, n) => subscribe(person, `https://example.com/%_${n}`, { name: `n${n}` })),
    );
    const rowsOf = (html: string) => html.match(/<tr><td/g)?.length ?? 0;
    const first = await browser.get("/webhooks");
    expect(rowsOf(first.html)).toBe(50);
    expect(rowsOf((await browser.get("/webhooks?q=&from=50")).html)).toBe(1);
    expect(rowsOf((await browser.get("/webhooks?q=ORDERS")).html)).toBe(1);
    expect(rowsOf((await browser.get("/webhooks?q=%25_4")).html)).toBe(11);
    expect((await browser.get("/webhooks?q=%3Cscript%3E")).html).toContain("Nothing matches “&lt;script&gt;”");
    for (const from of ["-1e99", "99999999999999999999", "9".repeat(400)]) {
      expect((await browser.get(`/webhooks?from=${from}`)).status).toBe(200);
    }
  });

  test("show strangers' words as text, and no page grows over its bound", async () => {
    const person = await signUp();
    const browser = await holding(person);
    const evil = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'&";
    const id = await subscribe(person, newInbox("200").url, { name: evil, events: ["*"] });
    await publish(
      person,
      { [evil]: [evil, "x".repeat(200_000)] },
      { type: "<script>alert(2)</script>", correlationId: evil },
    );
    await Promise.all(
      Array.from({ length: 55 }, (_, n) => publish(person, { n }, { type: `Type${n}`.padEnd(128, "x") })),
    );
    const rows = await endedAttempts(person, id, 50);
    const first = await env.DB.prepare(
      "SELECT id FROM attempts WHERE subscription_id = ? AND event_type LIKE '<script%'",
    )
      .bind(id)
      .first<{ id: string }>();
    const attempt = `/webhooks/${id}/attempts/${first?.id}`;
    expect(rows.length).toBe(50);
    for (const path of ["", "/webhooks", `/webhooks/${id}`, attempt]) {
      const { status, html } = await browser.get(path);
      expect([path, status]).toEqual([path, 200]);
      expect(html).not.toMatch(/<script>|<img|onerror=alert\(1\)>"/);
      expect(html.length / 1024, path).toBeLessThan(PAGE_KIB);
    }
    const download = await browser.get(`${attempt}/payload`);
    expect(download.headers.get("content-disposition")).toMatch(/^attachment; filename="[\w-]+\.json"$/);
    expect(JSON.parse(download.html)[evil][0]).toBe(evil);
  });
});

describe("the log", () => {
  test("is filtered and paged as the API's, and a bad filter is told at its field", async () => {
    const person = await signUp();
    const browser = await holding(person);
    const id = await subscribe(person, newInbox("200").url, { events: ["*"] });
    await Promise.all(Array.from({ length: 51 }, () => publish(person, 1, { type: "Many" })));
    await publish(person, 1, { type: "Rare" });
    await endedAttempts(person, id, 50);
    await eventually(
      "52 rows",
      async () => (await call("GET", `/webhooks/${id}/metrics`, { token: person.token })).body.data.success === 52,
    );
    const rowsOf = (html: string) => html.match(/<tr><td/g)?.length ?? 0;
    const first = await browser.get(`/webhooks/${id}`);
    expect(rowsOf(first.html)).toBe(50);
    const older = first.html.match(/href="\/console([^"]+cursor=[^"#]+)/)?.[1] ?? "";
    expect(rowsOf((await browser.get(older)).html)).toBe(2);
    expect(rowsOf((await browser.get(`/webhooks/${id}?eventType=Rare`)).html)).toBe(1);
    expect((await browser.get(`/webhooks/${id}?status=failed`)).html).toContain("No attempt matches");
    const fragment = await browser.get(`/webhooks/${id}/log?eventType=Rare`);
    expect([rowsOf(fragment.html), fragment.html.startsWith("<section")]).toEqual([1, true]);
    const bad = await browser.get(`/webhooks/${id}?status=bogus`);
    expect([bad.status, bad.html.includes('id="status-error"')]).toEqual([400, true]);
  });

  test("sends again one failed delivery, or all that failed", async () => {
    const person = await signUp();
    const browser = await holding(person);
    const id = await subscribe(person, newInbox("500").url);
    const deliveryId = await addDelivery(person, id);
    for (const lane of ["postern-deliveries", "postern-deliveries-slow", "postern-deliveries-slow"]) {
      await makeDue(deliveryId);
      await consumeBatch([messageFor(deliveryId)], lane);
    }
    const [row] = await endedAttempts(person, id, 3);
    const path = `/webhooks/${id}/attempts/${row._id}`;
    const opened = await browser.get(path);
    expect(opened.html).toContain("Attempts of this delivery");
    expect(opened.html.match(/status 500/g)?.length).toBeGreaterThanOrEqual(4);
    expect(opened.html).toContain("X-Webhook-Signature");
    expect((await browser.get("")).html).toMatch(/Needs attention.*status 500; 3 failed attempts/s);
    const inbox = newInbox("200");
    await browser.post(`/webhooks/${id}`, { name: "t", url: inbox.url, events: "OrderPaid", secret: "" });
    expect((await browser.post(`/webhooks/${id}/retry-failed`, { hours: "24" })).location).toBe(
      `/console/webhooks/${id}#log`,
    );
    await inbox.arrived(1);
    await browser.post(`/webhooks/${id}/pause`);
    const paused = await browser.post(`/webhooks/${id}/retry-failed`, { hours: "24" });
    expect([paused.status, paused.html.includes("Resume the webhook first.")]).toEqual([409, true]);
  });
});

describe("an event published by hand", () => {
  test("tells where it went, and where nobody wants it", async () => {
    const person = await signUp();
    const browser = await holding(person);
    await subscribe(person, newInbox("200").url, { name: "receiver one" });
    const { location } = await browser.post("/events", { type: "OrderPaid", payload: '{"a":1}', correlationId: "c-1" });
    const path = location?.replace("/console", "") ?? "";
    const seen = await eventually("the delivery on the page", async () => {
      const { html } = await browser.get(path);
      return html.includes("status 200") && html;
    });
    expect(seen).toContain("receiver one");
    const nowhere = await browser.follow(await browser.post("/events", { type: "Unwanted", payload: "null" }));
    expect(nowhere.html).toContain("No active subscription wants Unwanted.");
  });
});

describe("API keys", () => {
  test("are shown once, never again, and work until they are revoked", async () => {
    const browser = await holding(await signUp());
    const made = await browser.post("/api-keys", {
      name: "CI",
      scopes: ["webhook.read", "event.publish"],
      expiresAt: "30",
    });
    const key = made.html.match(/ak_[0-9A-Za-z]{40}/)?.[0] ?? "";
    expect([made.status, key.length]).toEqual([201, 43]);
    expect((await call("GET", "/webhooks", { token: key })).status).toBe(200);
    const listed = await browser.get("/api-keys");
    expect(listed.html).not.toContain(key);
    const revoke = listed.html.match(/\/api-keys\/[\w-]+\/revoke/)?.[0] ?? "";
    expect((await browser.follow(await browser.post(revoke))).html).toContain("API key revoked.");
    expect((await call("GET", "/webhooks", { token: key })).status).toBe(401);
  });
});

test("forged values and paths are refused, never a 500", async () => {
  const browser = await holding(await signUp());
  for (const expiresAt of ["999999999", "1e999", "-1e999", "soon"]) {
    const answer = await browser.post("/api-keys", { name: "CI", scopes: ["webhook.read"], expiresAt });
    expect([expiresAt, answer.status]).toEqual([expiresAt, 400]);
  }
  for (const path of ["/%0Ax/", "/a%00b/", "/%0D%0Ax/"]) {
    expect((await browser.follow(await browser.get(path))).status).toBe(404);
  }
});

test("a payload that indentation would blow up is shown on one line", async () => {
  const person = await signUp();
  const browser = await holding(person);
  const id = await subscribe(person, newInbox("200").url);
  const deep = 400;
  const payload = JSON.parse(`${"[".repeat(deep)}${"1,".repeat(2_000)}1${"]".repeat(deep)}`);
  await publish(person, payload);
  const [attempt] = await endedAttempts(person, id, 1);
  const { status, html } = await browser.get(`/webhooks/${id}/attempts/${attempt._id}`);
  expect([status, html.includes("1,1,1,1")]).toEqual([200, true]);
  expect(html.length).toBeLessThan(100_000);
});

describe("two factors", () => {
  const codeOf = (secret: string, stepsAhead = 0) =>
    new TOTP({ issuer: "Postern", secret: Secret.fromBase32(secret) }).generate({
      timestamp: Date.now() + stepsAhead * 30_000,
    });

  async function enrolled() {
    const person = await signUp();
    const browser = await holding(person);
    const { html } = await browser.post("/security/two-factor");
    const secret = html.match(/name="secret" value="([A-Z2-7]+)"/)?.[1] ?? "";
    const wrong = await browser.post("/security/two-factor/confirm", { secret, token: "000000" });
    expect([wrong.status, wrong.html.includes('class="qr"'), wrong.html.includes('id="token-error"')]).toEqual([
      401,
      true,
      true,
    ]);
    const on = await browser.post("/security/two-factor/confirm", { secret, token: codeOf(secret, -1) });
    expect(on.html).toContain("Two-factor authentication is on");
    return { person, browser, secret };
  }

  test("are enrolled, give recovery codes, take a code at sign-in, and are turned off", async () => {
    const { person, browser, secret } = await enrolled();
    const codes = await browser.post("/security/recovery-codes", { token: codeOf(secret), first: "yes" });
    const [code = ""] = codes.html.match(/[A-Z2-7]{4}(-[A-Z2-7]{4}){3}/) ?? [];
    expect(code).not.toBe("");
    await verify(person.email);
    const other = visit();
    const asked = await other.post("/sign-in", { email: person.email, password: PASSWORD, to: "/console/webhooks" });
    expect([asked.status, asked.location]).toEqual([303, "/console/sign-in/code"]);
    expect(other.jar.has("__Host-postern-session")).toBe(false);
    expect(asked.cookies.join()).toMatch(/^__Host-postern-sign-in=[^;]+; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
    const form = await other.get("/sign-in/code");
    expect(form.html + asked.cookies.join() + asked.html).not.toContain(PASSWORD);
    expect((await other.post("/sign-in/code", { totp: "000000" })).status).toBe(401);
    expect((await other.post("/sign-in/code", { totp: code })).location).toBe("/console/webhooks");
    expect(other.jar.has("__Host-postern-sign-in")).toBe(false);
    const off = await browser.post("/security/two-factor/disable", { token: codeOf(secret, 1) });
    expect((await browser.follow(off)).html).toContain("Two-factor authentication is off.");
  });

  test("a sign-in that waits for its code does so for five minutes, and in no other browser's words", async () => {
    const { person } = await enrolled();
    await verify(person.email);
    const browser = visit();
    await browser.post("/sign-in", { email: person.email, password: PASSWORD });
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 5 * 60_000 + 1 });
    const late = await browser.post("/sign-in/code", { totp: "000000" });
    vi.useRealTimers();
    expect(late.location).toBe("/console/sign-in");
    browser.jar.set("__Host-postern-sign-in", "a.b.c");
    expect((await browser.post("/sign-in/code", { totp: "000000" })).location).toBe("/console/sign-in");
  });
});

describe("sessions", () => {
  test("are listed with their device, and each can be ended", async () => {
    const person = await signUp({
      headers: { "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0" },
    });
    const browser = await signedIn(person);
    const { html } = await browser.get("/security");
    expect(html).toContain("Firefox 150.0 on Linux");
    const revoke = html.match(/\/security\/sessions\/[\w-]+\/revoke/)?.[0] ?? "";
    await browser.post(revoke);
    expect((await call("GET", "/auth/me", { token: person.token })).status).toBe(401);
    const out = await browser.follow(await browser.post("/security/sign-out-everywhere"));
    expect(out.html).toContain("You are signed out everywhere.");
  });
});

describe("a page costs the database", () => {
  const lines: string[] = [];
  let spy: ReturnType<typeof vi.spyOn>;
  beforeAll(() => {
    spy = vi.spyOn(console, "log").mockImplementation((line: unknown) => void lines.push(String(line)));
  });
  afterAll(() => spy.mockRestore());

  test("two round trips: the session's check, and one batch", async () => {
    const { owner, webhookId, attemptId, ids } = await furnished();
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
      expect((await browser.get(path, { "x-request-id": requestId })).status).toBe(200);
      const line = lines.map((text) => JSON.parse(text)).find((entry) => entry.requestId === requestId);
      expect([path, line.d1Trips]).toEqual([path, 2]);
      expect(line.route).toMatch(/^\/console/);
    }
    expect(ORIGIN).toMatch(/^http:/);
  });
});
