/** The console's pages of the audit log: the tenant's and the user's own. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { newIdAt } from "../../src/base/db/ids";
import { ACTION_NAMES } from "../../src/base/schemas/audit-actions";
import { sentenceOf, sentenceWithoutValues } from "../../src/base/schemas/audit-sentences";
import { call, logIn, type Person, signUp } from "../support/client";
import { holding } from "../support/console";
import { joinTenant } from "../support/people";
import { newInbox, subscribe } from "../support/receiver";

const DAY_MS = 86_400_000;
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

async function withEvents(): Promise<{ owner: Person; guest: Person }> {
  const owner = await signUp();
  const guest = await joinTenant(owner, "developer");
  await subscribe(owner, newInbox("200").url, { name: "Orders of <Ada>" });
  await call("PATCH", `/members/${guest.userId}`, {
    token: owner.token,
    body: { role: "viewer" },
    headers: { "cf-connecting-ip": "198.51.100.77" },
  });
  return { owner, guest };
}

const rowsIn = (html: string) => [...html.matchAll(/<tr>.*?<\/tr>/gs)].map(([row]) => row).slice(1);
/** A row without its tags. */
const textOf = (row: string) => row.replaceAll(/<[^>]*>/g, "");

describe("Activity", () => {
  test("names by id what is gone", async () => {
    const { owner, guest } = await withEvents();
    await call("DELETE", `/members/${guest.userId}`, { token: owner.token });
    const [removed = ""] = rowsIn((await (await holding(owner)).get("/activity")).html);
    expect(removed).toContain("removed a member");
    expect(removed).toContain(guest.userId);
  });

  test("shows who did what to what, from where, with the newest first", async () => {
    const { owner, guest } = await withEvents();
    const { status, html } = await (await holding(owner)).get("/activity");
    expect(status).toBe(200);
    const [role = "", created = "", ...rest] = rowsIn(html);
    expect(textOf(role)).toContain(`${owner.email} changed the role of ${guest.email} from developer to viewer`);
    expect(role).toContain("198.51.100.77");
    expect(textOf(created)).toContain("created the subscription Orders of &lt;Ada&gt;");
    expect(rest).toHaveLength(4);
  });

  test("filters by person, action and day", async () => {
    const { owner, guest } = await withEvents();
    const browser = await holding(owner);
    const byGuest = await browser.get(`/activity?actor=${encodeURIComponent(guest.email)}`);
    expect(rowsIn(byGuest.html)).toHaveLength(2);
    const inCapitals = await browser.get(`/activity?actor=${encodeURIComponent(guest.email.toUpperCase())}`);
    expect(rowsIn(inCapitals.html)).toHaveLength(2);
    const aboutGuest = await browser.get(`/activity?target=${guest.userId}`);
    expect(aboutGuest.html).toContain(`value="${guest.userId}"`);
    expect(rowsIn(aboutGuest.html).length).toBeGreaterThan(0);
    for (const row of rowsIn(aboutGuest.html)) expect(row).toContain(guest.email);
    const members = await browser.get("/activity?action=member.*");
    expect(rowsIn(members.html)).toHaveLength(3);
    expect(members.html).toContain('<option value="member.*" selected');
    const tomorrow = await browser.get(`/activity?since=${dayOf(Date.now() + DAY_MS)}`);
    expect(tomorrow.html).toContain("No event matches");
    const today = await browser.get(
      `/activity?since=${dayOf(Date.now())}&until=${dayOf(Date.now())}&action=webhook.created`,
    );
    expect(rowsIn(today.html)).toHaveLength(1);
  });

  test("leads to older events with the same filter", async () => {
    const owner = await signUp();
    const id = await subscribe(owner, newInbox("200").url);
    for (let n = 0; n < 51; n++) {
      await call("PATCH", `/webhooks/${id}`, { token: owner.token, body: { name: `name ${n}` } });
    }
    const browser = await holding(owner);
    const first = await browser.get("/activity?action=webhook.updated");
    expect(rowsIn(first.html)).toHaveLength(50);
    const [, older = ""] = first.html.match(/href="\/console([^"]*)">Older/) ?? [];
    const second = await browser.get(older.replaceAll("&amp;", "&"));
    expect(rowsIn(second.html)).toHaveLength(1);
    expect(second.html).toContain("Newest");
  });

  test("a bad filter is told in the form", async () => {
    const browser = await holding(await signUp());
    for (const query of ["since=yesterday", "action=nothing", "cursor=x", `actor=${"x".repeat(300)}`]) {
      const { status, html } = await browser.get(`/activity?${query}`);
      expect([query, status]).toEqual([query, 400]);
      expect(html).toContain('role="alert"');
    }
  });

  test("is exported as a file of the chosen days", async () => {
    const { owner } = await withEvents();
    const browser = await holding(owner);
    for (const days of [2, 0, -2]) {
      const id = newIdAt(Date.now() - days * DAY_MS);
      const event = env.DB.prepare(
        `INSERT INTO audit_events (tenant_id, id, action, actor_kind, request_id)
          VALUES (?, ?, 'session.revoked', 'system', ?)`,
      );
      await event.bind(owner.tenantId, id, `${days} days ago`).run();
    }
    const { html } = await browser.get(`/activity?since=${dayOf(Date.now())}&until=${dayOf(Date.now())}`);
    const [link = ""] = html.match(/\/activity\/export[^"]*format=csv/) ?? [];
    const file = await browser.get(link.replaceAll("&amp;", "&"));
    expect([file.status, file.headers.get("content-type")]).toEqual([200, "text/csv; charset=utf-8"]);
    expect(file.html).toContain('"0 days ago"');
    expect(file.html).not.toContain("2 days ago");
    expect(file.html.trimEnd().split("\r\n")).toHaveLength(8);
  });

  test("is for owners and admins, also its export", async () => {
    const { guest } = await withEvents();
    const browser = await holding(guest);
    expect((await browser.get("/activity")).status).toBe(403);
    expect((await browser.get("/activity/export")).status).toBe(403);
    expect((await browser.get("")).html).not.toContain("/console/activity");
  });
});

test.each(ACTION_NAMES)("%s has a sentence, with and without what it is about", (action) => {
  const values = { target: "<name>", role: "admin", from: "viewer", to: "admin", changed: ["url", "name"] };
  const sentences = [
    sentenceWithoutValues(action),
    sentenceOf(action, values)
      .map(({ text }) => text)
      .join(""),
  ];
  for (const sentence of sentences) expect(sentence).toMatch(/^[a-z][^{}[\]|]+[a-z0-9)">]$/);
  expect(sentences.every((sentence) => !/ {2}|undefined|null/.test(sentence))).toBe(true);
});

test("a sentence names the target and tells the meta, and an unknown action is shown as it is", () => {
  const told = (action: string, values: object) =>
    sentenceOf(action, { ...values })
      .map(({ text }) => text)
      .join("");
  expect(told("member.invited", { target: "bob@example.com", role: "admin" })).toBe("invited bob@example.com as admin");
  expect(told("webhook.updated", { target: "Orders", changed: ["url", "name"] })).toBe(
    "changed url, name of the subscription Orders",
  );
  expect(told("webhook.updated", {})).toBe("changed a subscription");
  expect(told("auth.login", { method: "passkey" })).toBe("signed in with a passkey");
  expect(told("of.tomorrow", {})).toBe("of.tomorrow");
});

test("My activity shows the user's own events, whatever their role", async () => {
  const { guest, owner } = await withEvents();
  const browser = await holding(guest);
  expect((await browser.get("/security")).html).toContain("/console/security/activity");
  const { status, html } = await browser.get("/security/activity");
  expect(status).toBe(200);
  expect(rowsIn(html)).toHaveLength(2);
  expect(html).toContain("joined the tenant");
  expect(html).not.toContain(guest.userId);
  expect(html).not.toContain(owner.email);
});

test("signing out of the console is recorded as signing out with a token is", async () => {
  const owner = await signUp();
  await (await holding(owner)).post("/sign-out");
  const { token } = await logIn(owner);
  await call("POST", "/auth/logout", { body: { refreshToken: (await logIn(owner)).refreshToken } });
  const { data } = (await call("GET", "/audit?action=auth.logout", { token })).body;
  const target = { kind: "user", id: owner.userId };
  expect(data).toMatchObject([{ target }, { target }]);
});
