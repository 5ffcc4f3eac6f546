/** A sign-on through every step: a connection that is tested and activated, the provider, the callback, the session. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { call, signUpVerified } from "../support/client";
import { claimsOf, newBrowser } from "../support/oauth";
import { arrive, connect, leave, open } from "../support/sign-on";

test("a person of a proved domain signs on, and the session is of this tenant", async () => {
  const owner = await signUpVerified();
  const { id } = await connect(owner);
  const domain = `${crypto.randomUUID()}.example`;
  await env.DB.prepare(
    `INSERT INTO domains (tenant_id, domain, state, proved_by, proved_at, denied_days, created_at)
     VALUES (?1, ?2, 'proved', 'platform', ?3, 0, ?3)`,
  )
    .bind(owner.tenantId, domain, Date.now())
    .run();
  await open(owner, id);
  const browser = newBrowser();
  const departure = await leave(browser, `?tenant=${owner.tenantId}`);
  const claims = claimsOf(departure, { sub: crypto.randomUUID(), email: `ada@${domain}`, name: "Ada" });
  const page = await arrive(browser, id, departure, { claims });
  const body = { code: page.searchParams.get("code") };
  const answer = await browser.send("POST", "/api/v1/auth/oauth/exchange", { body });
  expect([page.search, answer.status]).toEqual([expect.stringContaining("code="), 200]);
  const me = await call("GET", "/auth/me", { token: answer.body.data.accessToken });
  expect([me.status, me.body.data.email]).toEqual([200, `ada@${domain}`]);
  const members = await call("GET", "/members", { token: owner.token });
  expect(JSON.stringify(members.body)).toContain(`ada@${domain}`);
});
