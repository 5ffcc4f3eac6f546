/** "This was not me" covers whatever was done: each action of the audit log is undone, named, or harmless. */
import { env, exports } from "cloudflare:workers";
import { expect, test } from "vitest";
import { newId } from "../../src/base/db/ids";
import { ACTION_NAMES } from "../../src/base/schemas/audit-actions";
import { sentenceWithoutValues } from "../../src/base/schemas/audit-sentences";
import { NAMED_ACTIONS, pageOf, REMEDIES } from "../../src/identity/recovery/remedies";
import { call, eventually, newAddress, PASSWORD, type Person, signUpVerified } from "../support/client";
import { holding } from "../support/console";
import { mailsTo, mailTo, tokenIn } from "../support/mailbox";
import { operator } from "../support/operators";
import { deliveryDb } from "../support/shard";

const HOOK = { name: "Orders", url: "https://example.com/hook", events: ["*"], secret: "a secret of the owner" };

/** A thief with the owner's password signs in from elsewhere. Returns the session, and the token of the notice. */
async function stolen(owner: Person): Promise<{ thief: string; notMe: string }> {
  const headers = { "cf-connecting-ip": newAddress(), "user-agent": "Opera/9.80 (Windows NT 6.1)" };
  const { body } = await call("POST", "/auth/login", { body: { email: owner.email, password: PASSWORD }, headers });
  return { thief: body.data.accessToken, notMe: tokenIn(await mailTo(owner.email, /New sign-in/)) };
}

const report = async (token: string) =>
  (await call("POST", "/auth/not-me", { body: { token }, headers: { "cf-connecting-ip": newAddress() } })).status;

const catalogueStatus = async (slug: string) =>
  (await exports.default.fetch(`http://postern.test/catalog/${slug}`)).status;

const resetMail = (email: string) =>
  eventually("the mail", async () => mailsTo(email).find(({ text }) => /You told us that somebody else/.test(text)));

test("every action of the audit log has a remedy, and every page that one names is there", async () => {
  expect(Object.keys(REMEDIES).sort()).toEqual([...ACTION_NAMES].sort());
  expect(NAMED_ACTIONS.length).toBeGreaterThan(30);
  const browser = await holding(await operator());
  const pages = NAMED_ACTIONS.map((action) => pageOf(action, "order.paid") ?? "");
  for (const page of new Set([...pages, "/activity"])) {
    const { status } = await browser.get(page);
    expect([page, status]).toEqual([page, page.startsWith("/event-types/named/") ? 404 : 200]);
  }
});

test("each action that is named is in the mail, with its page", async () => {
  const owner = await signUpVerified();
  const { notMe } = await stolen(owner);
  const placed = NAMED_ACTIONS.slice(0, 30);
  for (const actions of [placed, NAMED_ACTIONS.slice(30)]) {
    for (const action of actions) {
      await env.DB.prepare(
        `INSERT INTO audit_events (tenant_id, id, action, actor_kind, actor_id, target_kind, target_id)
          VALUES (?, ?, ?, 'user', ?, 'event-type', 'order.paid')`,
      )
        .bind(owner.tenantId, newId(), action, owner.userId)
        .run();
    }
  }
  expect(await report(notMe)).toBe(200);
  const { text } = await resetMail(owner.email);
  expect(text).not.toContain("Nothing had to be undone");
  const lines = NAMED_ACTIONS.filter((action) => text.includes(`: ${sentenceWithoutValues(action)}`));
  expect(lines).toHaveLength(30);
  expect(text).toContain(`${NAMED_ACTIONS.length - 30} more are listed here`);
});

test("a theft of secrets, filters, types and catalogue is undone or named, and never called nothing", async () => {
  const owner = await signUpVerified();
  const made = (await call("POST", "/webhooks", { token: owner.token, body: HOOK })).body.data;
  const { thief, notMe } = await stolen(owner);
  const byThief = async (method: string, path: string, body?: unknown) => {
    const { status } = await call(method, path, { token: thief, ...(body === undefined ? {} : { body }) });
    expect([method, path, status < 300]).toEqual([method, path, true]);
  };
  await byThief("GET", `/webhooks/${made._id}`);
  await byThief("POST", `/webhooks/${made._id}/secret/rotate`, {
    secret: "thiefs-secret-1234567890",
    overlapSeconds: 0,
  });
  await byThief("PATCH", `/webhooks/${made._id}`, { delivery: { filter: { "payload.never": 1 } } });
  await byThief("POST", "/event-types", { name: "order.paid", schema: false, enforce: "reject" });
  const slug = `shop-${crypto.randomUUID().slice(0, 8)}`;
  await byThief("PATCH", "/tenant/event-types", { catalog: { slug, public: true }, mode: "known" });
  expect(await catalogueStatus(slug)).toBe(200);
  expect(await report(notMe)).toBe(200);

  const row = await deliveryDb
    .prepare("SELECT enabled FROM subscriptions WHERE id = ?")
    .bind(made._id)
    .first("enabled");
  expect(row).toBe(0);
  expect(await catalogueStatus(slug)).toBe(404);
  const { text } = await resetMail(owner.email);
  for (const words of [
    'The subscription "Orders" is paused. Look at its URL, filter and options, and give it a new secret',
    "The catalogue of event types is not public any more",
    'declared an event type "order.paid"',
    "/event-types/named/order.paid",
    "of the settings of event types",
    'rotate the secret of "Orders"',
    `/webhooks/${made._id}/secret/rotate`,
  ]) {
    expect(text).toContain(words);
  }
  expect(text).not.toContain("Nothing had to be undone");
});

test("without any act, the mail says that nothing had to be undone, and which secrets may have been read", async () => {
  const owner = await signUpVerified();
  await call("POST", "/webhooks", { token: owner.token, body: HOOK });
  await new Promise((done) => setTimeout(done, 5));
  const { notMe } = await stolen(owner);
  expect(await report(notMe)).toBe(200);
  const { text } = await resetMail(owner.email);
  expect(text).toContain("Nothing had to be undone in your tenants.");
  expect(text).toContain('rotate the secret of "Orders"');
});
