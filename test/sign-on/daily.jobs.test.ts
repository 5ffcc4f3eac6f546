/** The daily look-up of proved domains: what is lost, and whom it tells. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { createDeps } from "../../src/base/deps";
import { DAY_MS, HOUR_MS } from "../../src/base/time";
import { checkDomains } from "../../src/sign-on/domains/daily";
import { rowsOf } from "../support/apps";
import { call, type Person, signUpVerified } from "../support/client";
import { check, newDomain, proveByDns, setZone } from "../support/domains";
import { mailsTo, mailTo } from "../support/mailbox";
import { newPlatformKey } from "../support/platform-keys";
import { newInbox, subscribe } from "../support/receiver";

/** Looks all domains up, so many hours from now. */
async function runAfter(hours: number): Promise<void> {
  const context = createExecutionContext();
  const now = () => Date.now() + hours * HOUR_MS;
  const deps = { ...(await createDeps(env, context)), now };
  for (let cursor: string | null = ""; cursor !== null; ) cursor = await checkDomains(deps, 0, cursor, () => false);
  await waitOnExecutionContext(context);
}

const stateOf = async ({ token }: Person) => {
  const [{ state, lastError }] = (await call("GET", "/tenant/domains", { token })).body.data;
  return lastError === undefined ? state : `${state}, missing`;
};

test("a domain is lost on the third day in turn on which both deny it; the owners hear of the first and the last", async () => {
  const owner = await signUpVerified();
  const domain = await proveByDns(owner);
  const { value } = (await call("GET", "/tenant/domains", { token: owner.token })).body.data[0].record;
  const inbox = newInbox("200");
  await subscribe(owner, inbox.url, { events: ["postern.domain.lost"] });
  const [there, gone] = [[value], "nothing"];
  const days: [one: string[] | string, two: string[] | string, state: string][] = [
    [there, there, "proved"],
    [gone, gone, "proved, missing"],
    [gone, "servfail", "proved, missing"],
    [there, gone, "proved, missing"],
    [["other"], gone, "proved, missing"],
    [there, there, "proved"],
    [gone, gone, "proved, missing"],
    [gone, gone, "proved, missing"],
    [gone, gone, "lost, missing"],
    [there, there, "lost, missing"],
  ];
  for (const [day, [one, two, state]] of days.entries()) {
    await setZone(domain, { one, two });
    // What is repeated on the same day counts once.
    for (const hours of [0, 1]) await runAfter((day * DAY_MS) / HOUR_MS + hours);
    expect([day, await stateOf(owner)]).toEqual([day, state]);
  }
  await mailTo(owner.email, /is no longer proved/);
  const subjects = mailsTo(owner.email).map(({ subject }) => subject);
  expect(subjects.filter((subject) => subject.includes(domain)).sort()).toEqual([
    `The record that proves ${domain} is missing`,
    `The record that proves ${domain} is missing`,
    `${domain} is no longer proved`,
  ]);
  const lost = "SELECT actor_kind AS kind FROM audit_events WHERE tenant_id = ? AND action = 'domain.lost'";
  expect(await rowsOf(lost, owner.tenantId)).toEqual([{ kind: "system" }]);
  const [delivered] = await inbox.arrived(1);
  expect(JSON.parse(delivered?.body ?? "")).toEqual({ domain });
  expect((await check(owner, domain)).body.data.state).toBe("proved");
});

test("a domain that the product vouches for is never looked up", async () => {
  const [{ key }, owner, domain] = [await newPlatformKey(["connections.write"]), await signUpVerified(), newDomain()];
  const path = `/platform/tenants/${owner.tenantId}/domains`;
  await call("POST", path, { token: key, body: { domain, proved: true } });
  for (const day of [0, 1, 2, 3]) await runAfter((day * DAY_MS) / HOUR_MS);
  expect(await stateOf(owner)).toBe("proved");
});

test("one run looks 200 domains up, and the next one the next 200", async () => {
  const owner = await signUpVerified();
  const names = Array.from({ length: 205 }, (_, index) => `zz-${owner.tenantId}-${index + 100}.example`);
  // Of one tenant, because the job does not look at tenants; missing for a second day, of which nobody is told.
  await env.DB.prepare(
    `INSERT INTO domains (tenant_id, domain, state, proved_by, proved_value, proved_at, denied_days, created_at)
     SELECT ?, value, 'proved', 'dns', 'x', 1, 1, 1 FROM json_each(?)`,
  )
    .bind(owner.tenantId, JSON.stringify(names))
    .run();
  const deps = await createDeps(env, createExecutionContext());
  const cursor = await checkDomains(deps, 0, "zz", () => false);
  expect(cursor).toBe(names[199]);
  const checked = async () =>
    (await rowsOf("SELECT 1 FROM domains WHERE tenant_id = ? AND checked_at > 1", owner.tenantId)).length;
  expect(await checked()).toBe(200);
  expect(await checkDomains(deps, 0, cursor ?? "", () => false)).toBeNull();
  expect(await checked()).toBe(205);
  await env.DB.prepare("DELETE FROM domains WHERE tenant_id = ?").bind(owner.tenantId).run();
});
