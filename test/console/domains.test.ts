/** The console's page of domains: what owners see and do, and what others do not. */
import { expect, test } from "vitest";
import { signUpVerified } from "../support/client";
import { holding } from "../support/console";
import { newDomain, setZone } from "../support/domains";
import { joinTenant } from "../support/people";

test("an owner adds a domain, copies its record, checks it and removes it", async () => {
  const browser = await holding(await signUpVerified());
  expect((await browser.get("/tenants")).html).toContain('href="/console/domains"');
  expect((await browser.get("/domains")).html).toContain("No domains");
  const domain = newDomain();
  const refused = await browser.post("/domains", { domain: "co.uk" });
  expect([refused.status, refused.html.includes("everybody can register names below this one")]).toEqual([400, true]);
  const added = (await browser.follow(await browser.post("/domains", { domain }))).html;
  const value = added.match(/data-copy="(postern-domain-verification=\w+)"/)?.[1] ?? "";
  expect([value.length > 40, added.includes(`data-copy="_postern-challenge.${domain}"`)]).toEqual([true, true]);
  await setZone(domain, { one: [value], two: "servfail" });
  const unknown = await browser.post(`/domains/${domain}/check`);
  expect([unknown.status, unknown.html.includes("DNS gave no answer.")]).toEqual([503, true]);
  await setZone(domain, { one: [value], two: "nothing" });
  const missing = (await browser.follow(await browser.post(`/domains/${domain}/check`))).html;
  expect(missing).toContain("Not found in DNS. dns.one.example sees the record, dns.two.example sees no such record.");
  await setZone(domain, { one: [value], two: [value] });
  const proved = (await browser.follow(await browser.post(`/domains/${domain}/check`))).html;
  expect([proved.includes("The domain is proved."), proved.includes("Not found")]).toEqual([true, false]);
  expect((await browser.follow(await browser.post(`/domains/${domain}/remove`))).html).toContain("No domains");
});

test("an admin sees the domains and changes none; others do not see them", async () => {
  const owner = await signUpVerified();
  const [mine, admin, developer] = [
    await holding(owner),
    await holding(await joinTenant(owner, "admin")),
    await holding(await joinTenant(owner, "developer")),
  ];
  const domain = newDomain();
  await mine.post("/domains", { domain });
  const { html } = await admin.get("/domains");
  expect([html.includes(domain), html.includes(`/domains/${domain}/remove`)]).toEqual([true, false]);
  expect((await admin.post(`/domains/${domain}/remove`)).status).toBe(403);
  expect((await developer.get("/domains")).status).toBe(403);
  expect((await developer.get("/tenants")).html).not.toContain('href="/console/domains"');
});
