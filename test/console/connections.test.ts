/** The console's pages of connections: what owners see and do, and what others do not. */
import { expect, test } from "vitest";
import { call, signUpVerified } from "../support/client";
import { holding } from "../support/console";
import { joinTenant } from "../support/people";
import { ISSUER, testConnection, testerOf } from "../support/sign-on";

const ACCESS = {
  provisioning: "both",
  outsideDomains: "mailCode",
  discovery: "domain",
  "roles.when": "first",
  "session.maxAgeSeconds": "3600",
  "session.acrValues": " gold  silver",
};

test("an owner connects a provider, tests it, reads the trace, and activates, disables and deletes it", async () => {
  const owner = await signUpVerified();
  const browser = await holding(owner);
  expect((await browser.get("/tenants")).html).toContain('href="/console/connections"');
  expect((await browser.get("/connections")).html).toContain("No connection yet");
  expect((await browser.get("/connections/new")).html).toContain("Microsoft Entra ID");
  expect((await browser.get("/connections/new/okta")).html).toContain("Client secret");
  const made = await browser.follow(await browser.post("/connections/new/okta", { name: "Okta" }));
  const id = made.html.match(/sign-on\/([\w-]{36})\/callback/)?.[1] ?? "";
  expect(made.html).toContain("Enter the issuer.");
  const at = `/connections/${id}`;
  const fields = {
    name: "Okta",
    "oidc.issuer": ISSUER,
    "oidc.clientId": "an-id",
    "oidc.clientAuth": "secret",
    "oidc.clientSecret": "a-secret",
    "attributes.subject": "sub",
    "roles.default": "viewer",
    "roles.rules": "admin: Admins\ndeveloper: team = blue",
    "session.hours": "8",
    ...ACCESS,
  };
  const bad = await browser.post(at, { ...fields, "oidc.issuer": "https://other.issuer.example" });
  expect([bad.status, bad.html.includes("Calls itself another issuer")]).toEqual([400, true]);
  const read = async () => (await call("GET", `/tenant${at}`, { token: owner.token })).body.data;
  expect((await read()).state).toBe("draft");
  const acr = await browser.post(at, { ...fields, "session.acrValues": "1 2 3 4 5 6" });
  expect(acr.html).toMatch(/id="session.acrValues-error"[^>]*>\s*At most 5/);
  const saved = (await browser.follow(await browser.post(at, fields))).html;
  expect(saved).toContain("Test the connection as it is now.");
  expect(await read()).toMatchObject({
    ...{ provisioning: "both", outsideDomains: "mailCode", discovery: "domain", roles: { when: "first" } },
    session: { hours: 8, maxAgeSeconds: 3_600, acrValues: ["gold", "silver"] },
  });
  const edited = (await browser.get(`${at}/edit`)).html;
  for (const text of ["developer: team = blue", 'value="3600"', 'value="gold silver"']) expect(edited).toContain(text);
  for (const value of ["both", "mailCode", "domain", "first"]) {
    expect(edited).toMatch(new RegExp(`value="${value}" selected`));
  }
  await browser.post(at, { ...fields, "session.maxAgeSeconds": "", "session.acrValues": "" });
  expect((await read()).session).toMatchObject({ maxAgeSeconds: null, acrValues: [] });
  expect((await browser.post(`${at}/test`)).html).toContain("/api/v1/auth/sign-on?ticket=");
  const { trace } = await testConnection(owner, id, { aud: "another" });
  expect((await browser.get(`${at}/traces/${trace.id}`)).html).toContain("Enter the client ID of the app.");
  const good = await testConnection(owner, id, { ...(await testerOf(owner)), groups: ["Admins"], team: "red" });
  const page = (await browser.get(`${at}/traces/${good.trace.id}`)).html;
  for (const text of ["A new one would be made", "admin, by rule 1"]) expect(page).toContain(text);
  expect((await browser.follow(await browser.post(`${at}/activate`))).html).toContain("people can sign on");
  expect((await browser.get(`${at}/disable`)).html).toContain("Disable “Okta”?");
  expect((await browser.follow(await browser.post(`${at}/disable`))).html).toContain("have ended");
  expect((await browser.get(`${at}/delete`)).html).toContain("Are removed, owners aside");
  expect((await browser.follow(await browser.post(`${at}/delete`, { members: "keep" }))).html).toContain(
    "No connection",
  );
});

test("an admin sees the connections and changes none; others do not see them", async () => {
  const owner = await signUpVerified();
  const [mine, admin, developer] = [
    await holding(owner),
    await holding(await joinTenant(owner, "admin")),
    await holding(await joinTenant(owner, "developer")),
  ];
  await mine.post("/connections/new/other", { name: "Ours" });
  const { html } = await admin.get("/connections");
  expect([html.includes("Ours"), html.includes("/connections/new")]).toEqual([true, false]);
  expect((await admin.post("/connections/new/other", { name: "Theirs" })).status).toBe(403);
  expect((await developer.get("/connections")).status).toBe(403);
});
