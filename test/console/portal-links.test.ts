/** The console's page of portal links. */
import { expect, test } from "vitest";
import { setRole, signUp } from "../support/client";
import { holding } from "../support/console";
import { newPortalToken, portal } from "../support/portal";

test("an owner makes a link that opens a portal, sees it and a token, and revokes them", async () => {
  const owner = await signUp();
  const browser = await holding(owner);
  const { id } = await newPortalToken(owner.token);
  const made = await browser.post("/portal-links", { permissions: ["webhook.read"], ttlSeconds: "900" });
  expect(made.status).toBe(201);
  const [, token = ""] = made.html.match(/portal\/open\?token=(pl_[0-9A-Za-z]{40})/) ?? [];
  expect((await portal("POST", "/open", { fields: { token } })).status).toBe(303);
  const { html } = await browser.get("/portal-links");
  expect([
    html.includes("<strong>Link</strong>"),
    html.includes("<strong>Token</strong>"),
    html.includes(token),
  ]).toEqual([true, true, false]);
  const revoked = await browser.post(`/portal-links/${id}/revoke`);
  expect((await browser.follow(revoked)).html).toContain("Portal link revoked.");
});

test("a link without webhook.read is refused with its reason beside the field", async () => {
  const browser = await holding(await signUp());
  const { status, html } = await browser.post("/portal-links", { permissions: ["webhook.update"], ttlSeconds: "900" });
  expect([status, html.includes("Must include webhook.read")]).toEqual([400, true]);
});

test("a developer does not get the page, nor its entry in the navigation", async () => {
  const owner = await signUp();
  await setRole(owner, "developer");
  const browser = await holding(owner);
  expect((await browser.get("/portal-links")).status).toBe(403);
  expect((await browser.get("/webhooks")).html).not.toContain("/console/portal-links");
});
