/** The operator's section of the console, and that nothing secret is on its pages or in the answers of the API. */
import { env, exports } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { call, logIn, PASSWORD, type Person, signUpVerified } from "../support/client";
import { holding, ORIGIN } from "../support/console";
import { mailTo } from "../support/mailbox";
import { named, operate, operator } from "../support/operators";
import { withPasskey } from "../support/passkeys";
import { tire } from "../support/people";
import { endedAttempts, newInbox, publish, subscribe } from "../support/receiver";
import { deliveryDb, SHARD } from "../support/shard";
import { newConnection } from "../support/signed-on";
import { codeOf, enrol } from "../support/two-factor";

const NAVIGATION = '<a href="/console/operator"';

describe("the operator's section", () => {
  test("is in the navigation of operators only, and its pages do not exist for others", async () => {
    const other = await holding(await signUpVerified());
    expect((await other.get("")).html).not.toContain(NAVIGATION);
    for (const path of ["/operator", "/operator/tenants/x", "/operator/people/x/suspend", "/operator/sends/hold"]) {
      const { status, html } = await other.get(path);
      expect([path, status]).toEqual([path, 404]);
      expect(html.replace(/Request [\w-]+/, "")).not.toMatch(/operator of|operators/i);
    }
    expect((await other.post("/operator/sends/hold")).status).toBe(404);
    const browser = await holding(await operator());
    expect((await browser.get("")).html).toContain(NAVIGATION);
    expect((await browser.get("/operator")).status).toBe(200);
  });

  test("tells an operator without a second factor what to do", async () => {
    const { status, html } = await (await holding(await named("operator@example.com"))).get("/operator");
    expect([status, html.includes("Operators need two-factor authentication or a passkey")]).toEqual([403, true]);
    expect(html).toContain('href="/console/security#passkeys"');
  });

  test("asks an operator for the passkey whose session was opened with a password", async () => {
    const { person } = await withPasskey();
    await env.DB.batch([
      env.DB.prepare("UPDATE users SET email = 'former-' || id || '@example.com' WHERE email = 'operator@example.com'"),
      env.DB.prepare("UPDATE users SET email = 'operator@example.com' WHERE id = ?").bind(person.userId),
      env.DB.prepare("UPDATE sessions SET amr = ? WHERE user_id = ?").bind('["password"]', person.userId),
    ]);
    const browser = await holding(person);
    const path = `/operator/people/${person.userId}`;
    const asked = await browser.get(path);
    const to = encodeURIComponent(`/console${path}`);
    expect([asked.status, asked.location]).toEqual([303, `/console/security/confirm?to=${to}`]);
    expect((await browser.follow(asked)).html).not.toContain('name="password"');
    expect((await browser.post(`${path}/suspend`)).location).toContain("/security/confirm?to=%2Fconsole%2Foperator");
  });

  test("finds a person and a tenant, and leads to their pages", async () => {
    const browser = await holding(await operator());
    const owner = await signUpVerified();
    const found = await browser.get(`/operator?q=${encodeURIComponent(owner.email)}`);
    expect(found.html).toContain(`/console/operator/people/${owner.userId}`);
    const person = await browser.get(`/operator/people/${owner.userId}`);
    expect(person.html).toContain(`/console/operator/tenants/${owner.tenantId}`);
    expect((await browser.get(`/operator/tenants/${owner.tenantId}`)).html).toContain(owner.email);
    expect((await browser.get("/operator?q=nobody-at-all")).html).toContain("Nothing found");
    const refused = await browser.get("/operator?q=x");
    expect([refused.status, refused.html.includes('id="q-error"')]).toEqual([400, true]);
    expect((await browser.get(`/operator/tenants/${crypto.randomUUID()}`)).status).toBe(404);
  });

  test("shows open alarms first, and finds the delivery of a manual retry by its id", async () => {
    const browser = await holding(await operator());
    await env.DB.prepare("INSERT INTO alarms (finding, noted_at, since) VALUES ('databaseFull:9', 1, 1)").run();
    const { html } = await browser.get("/operator");
    await env.DB.prepare("DELETE FROM alarms WHERE finding = 'databaseFull:9'").run();
    expect(html).toMatch(/Database 9 is more than 85 % full.*href="\/docs\/runbooks\/database-full".*id="search"/s);
    const owner = await signUpVerified();
    const hook = await subscribe(owner, newInbox("500").url, { delivery: { retry: { schedule: [] } } });
    await publish(owner, 1);
    const [first] = await endedAttempts(owner, hook, 1);
    const { token } = owner;
    await call("POST", `/webhooks/${hook}/deliveries/${first.deliveryId}/retry`, { token });
    const [retry] = await endedAttempts(owner, hook, 2);
    expect(retry.deliveryId).not.toBe(first.deliveryId);
    const found = await browser.get(`/operator?q=${retry.deliveryId}`);
    expect(found.html).toContain(`Delivery ${retry.deliveryId}`);
  });

  test("shows failing tenants and leads to their subscriptions, with hosts, errors and what to do", async () => {
    const browser = await holding(await operator());
    const owner = await signUpVerified();
    const hook = await subscribe(owner, newInbox("500").url, { name: "Broken" });
    await publish(owner, 1);
    await endedAttempts(owner, hook, 1);
    await deliveryDb
      .prepare("INSERT INTO episodes (subscription_id, tenant_id, failing_since) VALUES (?, ?, 1)")
      .bind(hook, owner.tenantId)
      .run();
    const page = `/operator/tenants/${owner.tenantId}`;
    const first = (await browser.get("/operator")).html;
    expect(first).toMatch(new RegExp(`id="failing-tenants".*${page}`, "s"));
    expect(first).toContain("Attempts a minute");
    const { html } = await browser.get(page);
    await deliveryDb.prepare("DELETE FROM episodes WHERE tenant_id = ?").bind(owner.tenantId).run();
    expect(html).toMatch(/Broken.*receiver\.example.*Failing.*500 Internal Server Error/s);
    const links = [first, html].flatMap((text) =>
      [...text.matchAll(/href="(\/docs\/[^"]+)"/g)].map(([, path]) => path),
    );
    expect(links.length).toBeGreaterThan(5);
    for (const link of new Set(links)) {
      const { hash, pathname } = new URL(link ?? "", ORIGIN);
      const docs = await exports.default.fetch(new Request(ORIGIN + pathname));
      expect([link, docs.status, (await docs.text()).includes(`id="${hash.slice(1)}`)]).toEqual([link, 200, true]);
    }
  });

  test("moves a tenant to the database that the form names, and says where its older rows are", async () => {
    const browser = await holding(await operator());
    const { tenantId } = await signUpVerified();
    const here = `/operator/tenants/${tenantId}`;
    expect((await browser.get(here)).html).toContain(`/console${here}/move`);
    expect((await browser.get(`${here}/move`)).html).toContain('name="shard"');
    const refused = await browser.post(`${here}/move`, { shard: "7" });
    expect([refused.status, refused.html.includes('id="shard-error"')]).toEqual([400, true]);
    const moved = await browser.post(`${here}/move`, { shard: String(1 - SHARD) });
    expect([moved.status, moved.location]).toEqual([303, expect.stringContaining(`/console${here}`)]);
    expect((await browser.follow(moved)).html).toContain(`what was published before its move is in ${SHARD}`);
  });

  test("offers to resume a tenant whose suspension failed half-way, with only its deliveries held", async () => {
    const browser = await holding(await operator());
    const { tenantId } = await signUpVerified();
    const here = `/operator/tenants/${tenantId}`;
    await deliveryDb
      .prepare("INSERT INTO sends_held (tenant_id, cause, since) VALUES (?, 'suspended', 1)")
      .bind(tenantId)
      .run();
    expect((await browser.get(here)).html).toContain(`/console${here}/resume`);
    await browser.post(`${here}/resume`, { reason: "It failed" });
    const held = await deliveryDb.prepare("SELECT 1 FROM sends_held WHERE tenant_id = ?").bind(tenantId).all();
    expect(held.results).toEqual([]);
    expect((await browser.get(here)).html).toContain(`/console${here}/suspend`);
  });

  test("asks before it changes anything, with counts, and says afterwards what was done", async () => {
    const browser = await holding(await operator());
    const owner = await signUpVerified();
    const here = `/operator/tenants/${owner.tenantId}`;
    const asked = await browser.get(`${here}/suspend`);
    expect(asked.html).toContain("It concerns 1 member, 0 API keys, 0 open deliveries.");
    const refused = await browser.post(`${here}/suspend`, { reason: " " });
    expect([refused.status, refused.html.includes('id="reason-error"')]).toEqual([400, true]);
    expect((await call("GET", "/webhooks", { token: owner.token })).status).toBe(200);
    const done = await browser.follow(await browser.post(`${here}/suspend`, { reason: "Unpaid" }));
    expect(done.html).toContain("The tenant is suspended.");
    expect(done.html).toMatch(/since .*: Unpaid/s);
    expect((await call("GET", "/webhooks", { token: owner.token })).status).toBe(403);
    for (const [path, said] of [
      ["resume", "The tenant is resumed."],
      ["sends/hold", "Sends are frozen."],
      ["sends/release", "Sends are released."],
    ]) {
      expect((await browser.get(`${here}/${path}`)).status).toBe(200);
      expect((await browser.follow(await browser.post(`${here}/${path}`, { reason: "Paid" }))).html).toContain(said);
    }
    const person = `/operator/people/${owner.userId}`;
    await enrol(await logIn(owner));
    for (const [path, said] of [
      ["two-factor/remove", "The link is mailed."],
      ["sessions/revoke", "All sessions of the person have ended."],
      ["suspend", "The person is suspended."],
      ["resume", "The person can sign in again."],
    ]) {
      expect((await browser.get(`${person}/${path}`)).status).toBe(200);
      expect((await browser.follow(await browser.post(`${person}/${path}`, { reason: "a test" }))).html).toContain(
        said,
      );
    }
    await mailTo(owner.email, /Remove your lost/);
  });

  test("asks for the second factor first if the sign-in is old, and keeps the reason", async () => {
    const op = await operator();
    const browser = await holding(op);
    const { userId } = await signUpVerified();
    await tire(op);
    const path = `/operator/people/${userId}/suspend`;
    const asked = await browser.get(path);
    expect([asked.status, asked.location]).toEqual([303, expect.stringContaining("/security/confirm?to=")]);
    const sent = await browser.post(path, { reason: "Abuse & spam" });
    expect(sent.status).toBe(303);
    const [, to = ""] = (await browser.follow(sent)).html.match(/name="to" value="([^"]+)"/) ?? [];
    const back = await browser.post("/security/confirm", { totp: codeOf(op.secret), to: to.replaceAll("&amp;", "&") });
    expect((await browser.follow(back)).html).toContain('value="Abuse &amp; spam"');
    expect((await browser.post(path, { reason: "Abuse & spam" })).location).toBe(`/console/operator/people/${userId}`);
  });
});

async function answersAbout(op: Person, { tenantId, userId }: Person, queries: readonly string[]): Promise<string[]> {
  const searches = queries.map((q) => `/search?q=${encodeURIComponent(q)}`);
  const texts: string[] = [];
  for (const path of ["/status", `/tenants/${tenantId}`, `/people/${userId}`, ...searches]) {
    const { status, body } = await operate(op, "GET", path);
    expect([path, status]).toEqual([path, 200]);
    texts.push(JSON.stringify(body));
  }
  return texts;
}

async function pagesAbout(op: Person, { tenantId, userId }: Person, queries: readonly string[]): Promise<string[]> {
  const browser = await holding(op);
  const ofTenant = ["", "/suspend", "/resume", "/sends/hold", "/sends/release"];
  const ofPerson = ["", "/suspend", "/resume", "/sessions/revoke", "/two-factor/remove"];
  const pages = [
    "",
    "/sends/hold",
    "/sends/release",
    ...queries.map((q) => `?q=${encodeURIComponent(q)}`),
    ...ofTenant.map((page) => `/tenants/${tenantId}${page}`),
    ...ofPerson.map((page) => `/people/${userId}${page}`),
  ];
  const texts: string[] = [];
  for (const path of pages) {
    const { status, html } = await browser.get(`/operator${path}`);
    expect([path, status]).toEqual([path, 200]);
    texts.push(html);
  }
  return texts;
}

test("the page of a tenant shows its domains, and its connections with their failures and tokens", async () => {
  const op = await operator();
  const { tenantId, token } = await signUpVerified();
  const { id, domain } = await newConnection(tenantId);
  const browser = await holding(op);
  const page = async () => (await browser.get(`/operator/tenants/${tenantId}`)).html;
  const calm = await page();
  expect(calm).toContain("Acme (oidc): active, no sign-on yet");
  expect([calm.includes(`${domain}: proved`), /Failing<\/\w+> since/.test(calm)]).toEqual([true, false]);
  const made = await call("POST", `/tenant/connections/${id}/scim-tokens`, { token, body: {} });
  await env.DB.prepare("UPDATE connections SET last_sign_on_at = 1, failing_since = 2 WHERE id = ?").bind(id).run();
  const busy = await page();
  expect(busy).toMatch(/Acme \(oidc\): active, last sign-on .*Failing<.*SCIM token made .*never used/s);
  expect(busy).not.toContain(made.body.data.token);
  expect((await operate(op, "GET", `/tenants/${tenantId}`)).body.data.signOn).toEqual({
    connections: [
      {
        id,
        name: "Acme",
        kind: "oidc",
        state: "active",
        lastSignOnAt: "1970-01-01T00:00:00.001Z",
        failingSince: "1970-01-01T00:00:00.002Z",
        scimTokens: [{ createdAt: expect.any(String), lastUsedAt: null, expiresAt: null }],
      },
    ],
    domains: [{ domain, state: "proved", provedBy: "platform" }],
    jobs: [],
  });
});

test("no payload, secret, token, header or URL is in any answer or on any page", async () => {
  const op = await operator();
  const owner = await signUpVerified();
  const totpSecret = await enrol(owner);
  const [payload, secret, header, query, answer, correlation] = ["pay", "sec", "hea", "que", "ans", "cor"].map(
    (kind) => `marker-${kind}-${crypto.randomUUID()}`,
  ) as [string, string, string, string, string, string];
  const inbox = newInbox("500");
  const id = await subscribe(owner, `${inbox.url}?key=${query}`, {
    secret,
    delivery: { headers: { "X-Key": header } },
  });
  const { id: eventId } = await publish(owner, { payload }, { correlationId: correlation });
  await endedAttempts(owner, id, 1);
  await deliveryDb.prepare("UPDATE attempts SET response_body = ? WHERE subscription_id = ?").bind(answer, id).run();
  const made = await call("POST", "/api-keys", { token: owner.token, body: { name: "k", scopes: ["webhook.read"] } });
  const stored = await env.DB.prepare(
    `SELECT u.password_hash, u.totp_secret_encrypted, s.refresh_token_hash, k.key_hash FROM users u
      JOIN sessions s ON s.user_id = u.id JOIN api_keys k ON k.user_id = u.id WHERE u.id = ?`,
  )
    .bind(owner.userId)
    .first<Record<string, string>>();
  const secrets = [payload, secret, header, query, answer, correlation, totpSecret, PASSWORD, owner.token];
  secrets.push(owner.refreshToken, made.body.data.key, ...Object.values(stored ?? {}));
  expect(secrets.every((text) => text.length > 8)).toBe(true);
  const deliveryId = `${eventId.slice(0, 23)}-${id.slice(24)}`;
  const queries = [owner.email, owner.tenantId, owner.userId, id, eventId, deliveryId, "receiver.example", "Personal"];
  const texts = [...(await answersAbout(op, owner, queries)), ...(await pagesAbout(op, owner, queries))];
  const everything = texts.join("\n");
  expect(everything).toContain(owner.email);
  expect(secrets.filter((text) => everything.includes(text))).toEqual([]);
});
