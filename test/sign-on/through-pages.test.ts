/** The pages that lead people to the provider of a tenant and go on where they were: for an app, and in the console. */
import { beforeAll, expect, test } from "vitest";
import { type App, Browser, begin, finished, forgetClientsKey, ISSUER, newApp, redeem } from "../support/apps";
import { PASSWORD, type Person, signUpVerified } from "../support/client";
import { run } from "../support/enforcing";
import { claimsOf, codeFor, departureOf } from "../support/oauth";
import { joinTenant } from "../support/people";
import { connect, open } from "../support/sign-on";
import { one } from "../support/signed-on";

let owner: Person;
let member: Person;
let id = "";
let app: App;

/** The member is known to the provider. */
beforeAll(async () => {
  forgetClientsKey();
  owner = await signUpVerified();
  ({ id } = await connect(owner));
  await open(owner, id);
  [member, app] = [await joinTenant(owner, "developer"), await newApp({ consent: "skip" })];
  await run(
    `INSERT INTO connection_identities (connection_id, generation, subject, id, user_id, email, is_maker, created_at)
     SELECT id, generation, 'the-member', ?, ?, ?, 0, ? FROM connections WHERE id = ?`,
    crypto.randomUUID(),
    member.userId,
    member.email,
    Date.now(),
    id,
  );
});

/** Follows a link to the provider, which knows the member, and comes back. Returns what it was asked, and where to. */
async function signOnBy(browser: Browser, html: string, claims: Record<string, unknown> = {}) {
  const link = html.match(/href="([^"]*\/sign-on(?:\/start)?\?[^"]*)"/)?.[1]?.replaceAll("&amp;", "&") ?? "/nowhere";
  const departure = departureOf((await browser.open(link)).next);
  const person = { sub: "the-member", email: member.email, email_verified: true, name: "Ada", ...claims };
  const code = codeFor(departure, { claims: claimsOf(departure, person) });
  const query = new URLSearchParams({ state: departure.state, code });
  const back = (await browser.open(`/api/v1/auth/sign-on/${id}/callback?${query}`)).next ?? "/nowhere";
  return { asked: departure.url.searchParams, back };
}

test("whose tenant requires sign-on gets through to an app by the provider, signed in before or not", async () => {
  const through = async (browser: Browser, html: string, flow: Awaited<ReturnType<typeof begin>>) => {
    const { page } = await browser.follow((await signOnBy(browser, html)).back);
    return (await redeem(flow, new URL(page.next ?? ""))).claims;
  };
  const expected = { sub: member.userId, tid: owner.tenantId, idp: id };
  const before = new Browser();
  await finished(app, member, before);
  await run("UPDATE tenants SET sign_on = 'all', sign_on_from = 1, sign_on_begun_at = 1 WHERE id = ?", owner.tenantId);
  const flow = await begin(app);
  const { page } = await before.follow(flow.url);
  expect(page.html).toContain("Your organisation requires single sign-on.");
  expect(await through(before, page.html, flow)).toMatchObject(expected);
  const [fresh, other] = [new Browser(), await begin(app)];
  const { url } = await fresh.follow(other.url);
  const refused = await fresh.open(url, { form: { email: member.email, password: PASSWORD, to: "" } });
  expect([refused.status, await through(fresh, refused.html, other)]).toEqual([403, expect.objectContaining(expected)]);
});

test("who has signed on confirms it in the console by another sign-on, once a code", async () => {
  const browser = new Browser({ APP_URL: `${ISSUER}/console` });
  await browser.open((await signOnBy(browser, `href="/api/v1/auth/sign-on?connection=${id}"`)).back);
  await run(
    "UPDATE sessions SET created_at = created_at - 700000, confirmed_at = NULL WHERE user_id = ?",
    member.userId,
  );
  const { html } = await browser.open("/console/security/confirm?to=/console/webhooks");
  const { asked, back } = await signOnBy(browser, html, { auth_time: Math.floor(Date.now() / 1000) });
  expect([asked.get("max_age"), asked.get("prompt")]).toEqual(["0", "login"]);
  const { status, next } = await browser.open(back);
  expect([status, next]).toEqual([303, "/console/webhooks"]);
  const confirmed = "SELECT count(*) AS n FROM sessions WHERE user_id = ? AND confirmed_at IS NOT NULL";
  expect(await one(confirmed, member.userId)).toEqual({ n: 1 });
  expect((await browser.open(back)).html).toContain("Invalid or expired code.");
});
