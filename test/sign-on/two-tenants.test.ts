/** One person in two tenants, each with a provider of its own: neither says anything about the other tenant. */
import { env } from "cloudflare:workers";
import { decodeJwt } from "jose";
import { beforeAll, expect, test } from "vitest";
import { call, type Person, signUpVerified } from "../support/client";
import { codeIn, mailTo } from "../support/mailbox";
import { claimsOf, newBrowser } from "../support/oauth";
import { arrive, connect, leave, logoutToken, open, sendLogout } from "../support/sign-on";
import { one } from "../support/signed-on";

interface Tenant {
  owner: Person;
  id: string;
  issuer: string;
  domain: string;
}

const SECOND_ISSUER = "https://second.issuer.example";

/** Whom both providers call the same. */
const sub = `sub-${crypto.randomUUID()}`;
let first: Tenant;
let second: Tenant;
let email = "";

async function tenant(issuer: string, more: object = {}): Promise<Tenant> {
  const owner = await signUpVerified();
  const { id } = await connect(owner, { oidc: { issuer }, ...more });
  await open(owner, id);
  const proved = await one<{ domain: string }>("SELECT domain FROM domains WHERE tenant_id = ?", owner.tenantId);
  return { owner, id, issuer, domain: proved?.domain ?? "" };
}

beforeAll(async () => {
  first = await tenant("https://id.issuer.example");
  second = await tenant(SECOND_ISSUER, { outsideDomains: "mailCode" });
  email = `ada@${first.domain}`;
});

/** Takes somebody to the provider of a tenant and back. Returns how to exchange the code. */
async function signOn({ id }: Tenant, claims: Record<string, unknown>) {
  const browser = newBrowser();
  const departure = await leave(browser, `?connection=${id}`);
  const back = await arrive(browser, id, departure, { claims: claimsOf(departure, { name: "Ada", ...claims }) });
  const code = back.searchParams.get("code");
  return (fields: object = {}) => browser.send("POST", "/api/v1/auth/oauth/exchange", { body: { code, ...fields } });
}

const tokenOf = (answer: { body: { data: { accessToken: string } } }) => answer.body.data.accessToken;
const meOf = async (token: string) => (await call("GET", "/auth/me", { token })).status;
const idOf = (token: string): string => decodeJwt(token).sub ?? "";

/** Signs on in the second tenant, where the address is of nobody's domain: a code that is mailed to it proves it. */
async function throughSecond(): Promise<string> {
  const exchange = await signOn(second, { sub, email });
  const asked = await exchange();
  if (asked.status === 200) return tokenOf(asked);
  const state = asked.body.details.find(({ path }: { path: string }) => path === "mailCode.state").message;
  return tokenOf(await exchange({ mailCode: { state, code: codeIn(await mailTo(email, /code/i)) } }));
}

test("the same subject of two providers is two people, and an address is one once it is proven to both tenants", async () => {
  const twin = `twin-${crypto.randomUUID()}`;
  const twins = [
    tokenOf(await (await signOn(first, { sub: twin, email: `twin@${first.domain}` }))()),
    tokenOf(await (await signOn(second, { sub: twin, email: `twin@${second.domain}` }))()),
  ];
  expect(new Set(twins.map(idOf)).size).toBe(2);
  const here = tokenOf(await (await signOn(first, { sub, email }))());
  const asked = await (await signOn(second, { sub, email }))();
  expect([asked.status, asked.body.code]).toEqual([409, "CONFLICT"]);
  expect(idOf(await throughSecond())).toBe(idOf(here));
});

test("the confined sessions of one person stand side by side, and neither opens or shows the other's tenant", async () => {
  const here = tokenOf(await (await signOn(first, { sub, email }))());
  const there = await throughSecond();
  expect(idOf(there)).toBe(idOf(here));
  for (const [token, own, foreign] of [
    [here, first, second],
    [there, second, first],
  ] as const) {
    const tenants = (await call("GET", "/tenants", { token })).body.data;
    expect(tenants).toMatchObject([{ id: own.owner.tenantId }]);
    const body = { tenantId: foreign.owner.tenantId };
    expect((await call("POST", "/auth/switch-tenant", { token, body })).status).toBe(403);
    const sessions = (await call("GET", "/auth/sessions", { token })).body.data;
    expect(sessions).not.toEqual([]);
    expect(JSON.stringify([tenants, sessions])).not.toContain(foreign.owner.tenantId);
  }
});

test("a domain that one tenant has proved makes nobody a member of another, which takes no codes", async () => {
  const third = await tenant(SECOND_ISSUER);
  const back = await (await signOn(third, { sub: "sub-9", email: `eve@${first.domain}` }))();
  expect(back.status).not.toBe(200);
  expect(await one("SELECT 1 FROM users WHERE email = ?", `eve@${first.domain}`)).toBeNull();
});

test("a sign-out at one provider leaves the session of the other, with the same subject and the same session id", async () => {
  for (const [ending, staying] of [
    [first, second],
    [second, first],
  ] as const) {
    const open = async (tenant: Tenant) => tokenOf(await (await signOn(tenant, { sub, email, sid: "same" }))());
    const [ended, stays] = [await open(ending), await open(staying)];
    for (const claims of [{ sid: "same" }, { sub }]) {
      // Neither is taken from the other provider.
      const foreign = await sendLogout(ending.id, await logoutToken({ ...claims, iss: staying.issuer }));
      expect([foreign.status, await meOf(ended)]).toEqual([400, claims.sid === undefined ? 401 : 200]);
      expect((await sendLogout(ending.id, await logoutToken({ ...claims, iss: ending.issuer }))).status).toBe(200);
      expect([await meOf(ended), await meOf(stays)]).toEqual([401, 200]);
    }
  }
});

test("leaving one tenant ends what its provider opened, and nothing of the other", async () => {
  const here = tokenOf(await (await signOn(first, { sub, email }))());
  const there = tokenOf(await (await signOn(second, { sub, email }))());
  const { owner } = first;
  expect((await call("DELETE", `/members/${idOf(here)}`, { token: owner.token })).status).toBe(200);
  expect([await meOf(here), await meOf(there)]).toEqual([401, 200]);
  const rows = await env.DB.prepare(
    "SELECT connection_id AS id, removed_at IS NULL AS isIn FROM connection_identities WHERE subject = ?",
  )
    .bind(sub)
    .all();
  expect(Object.fromEntries(rows.results.map(({ id, isIn }) => [id, isIn]))).toEqual({ [first.id]: 0, [second.id]: 1 });
});
