/** The operator's pages of the product's apps: registering one, whose secret is shown once, changing and ending it. */
import { expect, test } from "vitest";
import { call } from "../support/client";
import { type ConsoleBrowser, holding } from "../support/console";
import { operator } from "../support/operators";

const HERE = "/operator/apps";
const FIELDS = {
  name: "Shop",
  type: "web",
  redirectUrls: "https://shop.example/a\nhttps://shop.example/b",
  consent: "skip",
};
const secretIn = (html: string) => html.match(/pcs_[0-9A-Za-z]{40}/)?.[0] ?? "";

async function registered(browser: ConsoleBrowser, fields: Record<string, string> = {}) {
  const { status, html } = await browser.post(`${HERE}/new`, { ...FIELDS, ...fields });
  return { status, html, id: html.match(/pc_[0-9A-Za-z]{28}/)?.[0] ?? "", secret: secretIn(html) };
}

test("an app is registered, changed, given another secret, and deleted", async () => {
  const by = await operator();
  const { token } = by;
  const browser = await holding(by);
  const read = async () => (await call("GET", `/platform/clients/${id}`, { token })).body.data;
  const { id, status, secret } = await registered(browser, { tenants: "", postLogoutUrls: "https://shop.example/" });
  expect([status, secret.length]).toEqual([200, 44]);
  expect(await read()).toMatchObject({
    ...{ name: "Shop", auth: "secret", consent: "skip", tenants: null, acr: null, backchannelLogoutUrl: null },
    redirectUrls: ["https://shop.example/a", "https://shop.example/b"],
    postLogoutUrls: ["https://shop.example/"],
  });
  const at = `${HERE}/registered/${id}`;
  const list = (await browser.get(HERE)).html;
  expect([list.includes(`/console${at}"`), list.includes(secret)]).toEqual([true, false]);
  expect((await browser.get(at)).html).toContain("https://shop.example/a\nhttps://shop.example/b");
  const changed = await browser.post(at, { ...FIELDS, name: "Store", acr: "mfa", enabled: "false" });
  expect((await browser.follow(changed)).html).toContain("App saved.");
  expect(await read()).toMatchObject({ name: "Store", acr: "mfa", enabled: false, postLogoutUrls: [] });
  const rotated = await browser.post(`${at}/secret`, { overlapSeconds: "3600" });
  expect([secretIn(rotated.html).length, rotated.html.includes("The former secret works until")]).toEqual([44, true]);
  for (const [way, said] of [
    ["secret/end", "The former secret has ended."],
    ["revoke", "All sign-ins to the app have ended."],
    ["delete", "The app is deleted."],
  ]) {
    expect((await browser.get(`${at}/${way}`)).html).toContain("Store?");
    expect((await browser.follow(await browser.post(`${at}/${way}`))).html).toContain(said);
  }
  expect((await browser.get(at)).status).toBe(404);
});

test.each([
  [{ name: "evil.example" }, "name-error"],
  [{ redirectUrls: "javascript:alert(1)" }, "Must be"],
  [{ logoUrl: "http://shop.example/" }, "logoUrl-error"],
])("a form with %j is refused, with what was typed", async (fields, said) => {
  const { status, html } = await registered(await holding(await operator()), {
    termsUrl: "https://kept.example/",
    ...fields,
  });
  expect([status, html.includes(said), html.includes("https://kept.example/")]).toEqual([400, true, true]);
  expect(secretIn(html)).toBe("");
});
