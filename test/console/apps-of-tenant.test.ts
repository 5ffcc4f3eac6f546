/** Apps and APIs that a tenant registers on its own page, and documents that operators list. */
import { expect, test } from "vitest";
import { newAgentId } from "../support/agents";
import { call, signUpVerified } from "../support/client";
import { holding } from "../support/console";
import { operator } from "../support/operators";
import { newResourceUrl } from "../support/resources";

const APP = { name: "Wiki", type: "web", redirectUrls: "https://wiki.example/callback" };

test("a tenant registers, changes and deletes an app of its own, without what is the platform's", async () => {
  const owner = await signUpVerified();
  const browser = await holding(owner);
  expect((await browser.get("/apps/new")).html).not.toContain('name="consent"');
  const { html } = await browser.post("/apps/new", { ...APP, consent: "skip" });
  const id = html.match(/pc_[0-9A-Za-z]{28}/)?.[0] ?? "";
  expect(html).toMatch(/pcs_[0-9A-Za-z]{40}/);
  const read = async () => (await call("GET", `/tenant/clients/${id}`, { token: owner.token })).body.data;
  expect(await read()).toMatchObject({ name: "Wiki", consent: "ask", owner: "tenant" });
  expect((await browser.get("/apps")).html).toContain(`/console/apps/registered/${id}"`);
  const at = `/apps/registered/${id}`;
  expect((await browser.follow(await browser.post(at, { ...APP, name: "Pages" }))).html).toContain("App saved.");
  expect((await read()).name).toBe("Pages");
  expect((await (await holding(await signUpVerified())).get(at)).status).toBe(404);
  expect((await browser.follow(await browser.post(`${at}/delete`))).html).toContain("The app is deleted.");
});

test("an API is registered with its scopes, changed, given a secret, and deleted, by a tenant and by operators", async () => {
  for (const [here, by] of [
    ["/apps", await signUpVerified()],
    ["/operator/apps", await operator()],
  ] as const) {
    const browser = await holding(by);
    const fields = {
      name: "Notes",
      identifier: newResourceUrl(),
      scopes: "notes.read: Read your notes",
      unlisted: "false",
    };
    const made = await browser.follow(await browser.post(`${here}/apis/new`, fields));
    expect(made.html).toContain("The API is registered.");
    const id = made.html.match(/pr_[0-9A-Za-z]{28}/)?.[0] ?? "";
    const at = `${here}/apis/${id}`;
    const scopes = "notes.read: Read your notes\nnotes.write: Change them";
    expect((await browser.follow(await browser.post(at, { ...fields, scopes, unlisted: "true" }))).html).toContain(
      "API saved.",
    );
    expect((await browser.get(at)).html).toContain(scopes);
    expect((await browser.post(at, { ...fields, scopes: "*: All" })).status).toBe(400);
    expect((await browser.post(`${at}/secret`)).html).toMatch(/prs_[0-9A-Za-z]{40}/);
    expect((await browser.follow(await browser.post(`${at}/delete`))).html).toContain("The API is deleted.");
  }
});

test("operators list an app by its document, and see where their copy differs", async () => {
  const browser = await holding(await operator());
  const clientId = newAgentId();
  const listed = await browser.follow(await browser.post("/operator/apps/documents/new", { clientId, document: "" }));
  expect(listed.html).toContain("The app is listed.");
  const at = `/operator/apps/documents/${encodeURIComponent(clientId)}`;
  expect((await browser.get(at)).html).toContain("The copy is what is at the URL.");
  const copy = { client_id: clientId, client_name: "Another", redirect_uris: ["http://127.0.0.1/callback"] };
  expect((await browser.post(at, { document: "{" })).status).toBe(400);
  const saved = await browser.post(at, { document: JSON.stringify(copy) });
  expect((await browser.follow(saved)).html).toContain("App saved.");
  expect((await browser.get(at)).html).toContain("differs from what is at the URL now");
});
