/** The console's page of portal links. */
import { expect, test } from "vitest";
import { call, setRole, signUp } from "../support/client";
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

test("a link gets the look and the way back of its form, and nothing that is left empty", async () => {
  const owner = await signUp();
  const browser = await holding(owner);
  const look = { "theme.title": "Shop hooks", "theme.wording": "endpoints", "theme.colors.accent": "#7a1fa2" };
  const empty = { "theme.logoUrl": "", "theme.colors.text": "", "theme.colors.background": "" };
  const rest = { permissions: ["webhook.read"], ttlSeconds: "900" };
  const returnUrl = "https://shop.example/settings";
  expect((await browser.post("/portal-links", { ...rest, ...look, ...empty, returnUrl })).status).toBe(201);
  expect((await browser.post("/portal-links", { ...rest, ...empty, returnUrl: "", "theme.wording": "" })).status).toBe(
    201,
  );
  const [plain, themed] = (await call("GET", "/portal-links", { token: owner.token })).body.data;
  expect(themed).toMatchObject({
    theme: { title: "Shop hooks", wording: "endpoints", colors: { accent: "#7a1fa2" } },
    returnUrl,
  });
  expect([plain.theme, plain.returnUrl]).toEqual([undefined, undefined]);
});

test("a wrong colour and a wrong way back are refused beside their fields, and the section is open", async () => {
  const browser = await holding(await signUp());
  const wrong = { "theme.colors.accent": "red", "theme.title": "Shop", returnUrl: "http://shop.example" };
  const { status, html } = await browser.post("/portal-links", {
    permissions: ["webhook.read"],
    ttlSeconds: "900",
    ...wrong,
  });
  expect(status).toBe(400);
  expect(html).toMatch(/id="theme\.colors\.accent-error">[^<]*Must be a colour like/);
  expect(html).toMatch(/id="returnUrl-error">[^<]*Must begin with https/);
  expect(html).toMatch(/<details class="section" open/);
  expect(html).toContain('value="Shop"');
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
