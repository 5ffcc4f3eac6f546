/** A portal link that is opened where another portal is open. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { signUp } from "../support/client";
import { newPortalLink, openPortal, portal } from "../support/portal";

test("a link waits for a click before it replaces an open portal of another tenant, and of no other", async () => {
  const owner = await signUp();
  const cookie = await openPortal(await newPortalLink(owner.token));
  const stranger = await signUp();
  await env.DB.prepare("UPDATE tenants SET name = 'Mallory & Co' WHERE id = ?").bind(stranger.tenantId).run();
  const another = await newPortalLink(stranger.token);
  const asked = await portal("GET", `/open?token=${another.token}`, { cookie });
  expect([asked.status, asked.html.includes("data-at-once")]).toEqual([200, false]);
  expect(asked.html).toContain("Open the portal of Mallory &amp; Co");
  const { html } = await portal("GET", "/webhooks", { cookie });
  expect(html).toContain("Webhooks");
  const clicked = await portal("POST", "/open", { cookie, fields: { token: another.token } });
  expect([clicked.status, clicked.cookies.length]).toEqual([303, 1]);
  const same = await newPortalLink(owner.token);
  const isAtOnce = async (token: string, held?: string) =>
    (await portal("GET", `/open?token=${token}`, held === undefined ? {} : { cookie: held })).html.includes(
      "data-at-once",
    );
  expect(await isAtOnce(same.token, cookie)).toBe(true);
  expect(await isAtOnce(another.token, cookie)).toBe(true);
  const fresh = await newPortalLink((await signUp()).token);
  expect(await isAtOnce(fresh.token)).toBe(true);
  await env.DB.prepare("UPDATE portal_links SET expires_at = 0 WHERE tenant_id = ?").bind(owner.tenantId).run();
  expect(await isAtOnce(fresh.token, cookie)).toBe(true);
});
