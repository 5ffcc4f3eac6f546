/** The console's pages of apps: what a person, a tenant and operators see and change. */
import { beforeAll, expect, test } from "vitest";
import { type App, finished, forgetClientsKey, newApp, rowsOf } from "../support/apps";
import { signUpVerified } from "../support/client";
import { holding } from "../support/console";
import { operator } from "../support/operators";
import { joinTenant } from "../support/people";

let app: App;

beforeAll(async () => {
  forgetClientsKey();
  app = await newApp({ name: "Bookshelf" });
});

const stateOf = async (tenantId: string) =>
  (await rowsOf("SELECT state FROM oauth_rules WHERE tenant_id = ? AND client_id = ?", tenantId, app.id))[0]?.["state"];

test("a person sees their apps, and disconnects one", async () => {
  const person = await signUpVerified();
  await finished(app, person);
  const browser = await holding(person);
  expect((await browser.get("/security")).html).toContain('href="/console/apps"');
  expect((await browser.get("/apps")).html).toContain("See your email address");
  const id = encodeURIComponent(`${app.id}.${person.tenantId}`);
  const answer = await browser.follow(await browser.post(`/apps/${id}/disconnect`));
  expect([answer.html.includes("The app is disconnected."), answer.html.includes("Bookshelf")]).toEqual([true, false]);
});

test("who manages the members blocks an app and lets it in again, and nobody else does", async () => {
  const owner = await signUpVerified();
  await finished(app, owner);
  const [browser, member] = [await holding(owner), await holding(await joinTenant(owner, "developer"))];
  expect((await browser.get("/apps")).html).toContain("Allowed by 1 member");
  await browser.post(`/apps/of-tenant/${app.id}/block`);
  expect(await stateOf(owner.tenantId)).toBe("blocked");
  expect((await member.get("/apps")).html).not.toContain("Apps in this tenant");
  expect((await member.post(`/apps/of-tenant/${app.id}/unblock`)).status).toBe(403);
  const answer = await browser.follow(await browser.post(`/apps/of-tenant/${app.id}/unblock`));
  expect([answer.html.includes("let in again"), await stateOf(owner.tenantId)]).toEqual([true, undefined]);
});

test("operators block an app on a page that says what follows", async () => {
  const browser = await holding(await operator());
  expect((await browser.get("/operator")).html).toContain('href="/console/operator/apps"');
  expect((await browser.get("/operator/apps")).html).toContain(`/operator/apps/${app.id}/block`);
  expect((await browser.get(`/operator/apps/${app.id}/block`)).html).toContain("its tokens end at once");
  await browser.post(`/operator/apps/${app.id}/block`);
  expect(await stateOf("platform")).toBe("blocked");
  await browser.post(`/operator/apps/${app.id}/unblock`);
  expect(await stateOf("platform")).toBeUndefined();
  expect((await browser.get("/operator/apps/nobody/block")).status).toBe(404);
});
