/** The console's pages for leaving: what they say will happen, the export they offer, and that they do it. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { call, PASSWORD, signUpVerified } from "../support/client";
import { holding } from "../support/console";
import { joinTenant } from "../support/people";
import { newInbox, subscribe } from "../support/receiver";

describe("deleting the account", () => {
  test("says what ends, offers the export, and needs the password and the consent", async () => {
    const person = await signUpVerified();
    const browser = await holding(person);
    expect((await browser.get("/security")).html).toContain("/console/security/delete");
    const expiring = {
      name: "k",
      scopes: ["webhook.read"],
      expiresAt: new Date(Date.now() + 86_400_000).toISOString(),
    };
    const made = await call("POST", "/api-keys", { token: person.token, body: expiring });
    const keys = async (path: string) => (await browser.get(path)).html.match(/(\d+) API key/)?.[1];
    expect([await keys("/security/delete"), await keys("/tenants/delete")]).toEqual(["1", "1"]);
    const shown = (await browser.get("/security/delete")).html;
    expect(shown).toContain(`<li>k <code>${made.body.data.prefix}</code> in Personal</li>`);
    await env.DB.prepare("UPDATE api_keys SET expires_at = 1 WHERE id = ?").bind(made.body.data.id).run();
    expect([await keys("/security/delete"), await keys("/tenants/delete")]).toEqual(["0", "0"]);
    const { html } = await browser.get("/security/delete");
    expect(html).toMatch(/1 session\D+0 API keys/);
    expect(html).toContain("Personal");
    expect(html).toContain("/console/security/export");
    const wrong = await browser.post("/security/delete", { password: "not mine", deleteTenants: "yes" });
    expect([wrong.status, wrong.html.includes("Current password is incorrect.")]).toEqual([401, true]);
    expect((await browser.post("/security/delete", { password: PASSWORD })).status).toBe(409);
    const done = await browser.post("/security/delete", { password: PASSWORD, deleteTenants: "yes" });
    expect([done.status, done.location]).toEqual([303, "/console/sign-in"]);
    expect((await browser.follow(done)).html).toContain("Your account is deleted.");
    expect((await call("GET", "/auth/me", { token: person.token })).status).toBe(401);
  });

  test("names the tenants that need their last owner", async () => {
    const owner = await signUpVerified();
    await joinTenant(owner, "viewer");
    const { html } = await (await holding(owner)).get("/security/delete");
    expect(html).toContain("You are the last owner of Personal");
  });

  test("the export asks for the password and is a file", async () => {
    const browser = await holding(await signUpVerified());
    const asking = await browser.get("/security/export");
    expect([asking.html.includes("Your password"), asking.html.includes("Download")]).toEqual([true, true]);
    expect((await browser.post("/security/export", { password: "not mine" })).status).toBe(401);
    const page = await browser.post("/security/export", { password: PASSWORD });
    expect(page.headers.get("content-disposition")).toContain("account.json");
    expect(JSON.parse(page.html).profile.emailVerified).toBe(true);
  });
});

describe("deleting the tenant", () => {
  test("says what ends, and needs the password of an owner", async () => {
    const owner = await signUpVerified();
    await joinTenant(owner, "viewer");
    await subscribe(owner, newInbox("200").url);
    const browser = await holding(owner);
    expect((await browser.get("/tenants")).html).toContain("/console/tenants/delete");
    const { html } = await browser.get("/tenants/delete");
    expect(html).toMatch(/1 subscription[^s]/);
    expect(html).toContain("2 members");
    expect((await browser.post("/tenants/delete", { password: "" })).status).toBe(400);
    expect((await browser.post("/tenants/delete", { password: "not mine" })).status).toBe(401);
    const done = await browser.post("/tenants/delete", { password: PASSWORD });
    expect([done.status, done.location]).toEqual([303, "/console/sign-in"]);
  });

  test("is for owners only, as is the export", async () => {
    const owner = await signUpVerified();
    const browser = await holding(await joinTenant(owner, "admin"));
    expect((await browser.get("/tenants")).html).not.toContain("/console/tenants/delete");
    for (const path of ["/tenants/delete", "/tenants/export"]) {
      expect((await browser.get(path)).status).toBe(403);
      expect((await browser.post(path, { password: PASSWORD })).status).toBe(403);
    }
  });

  test("the export asks for the password and is a file", async () => {
    const browser = await holding(await signUpVerified());
    expect((await browser.get("/tenants/export")).html).toContain("Your password");
    expect((await browser.post("/tenants/export", { password: "not mine" })).status).toBe(401);
    const page = await browser.post("/tenants/export", { password: PASSWORD });
    expect([page.status, JSON.parse(page.html).data.members.length]).toEqual([200, 1]);
  });
});
