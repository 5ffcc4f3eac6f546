/** Domains of tenants: added, proved by both resolvers, of one tenant at a time, and given to another one. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { createDeps } from "../../src/base/deps";
import { PLATFORM_SCOPES } from "../../src/base/schemas/platform-scopes";
import { checkDomain } from "../../src/sign-on/domains/domains";
import { rowsOf } from "../support/apps";
import { call, PASSWORD, type Person, setRole, signUp, signUpVerified } from "../support/client";
import { countedEnv, rowsRead } from "../support/cost";
import { check, claim, newDomain, proveByDns, questionsAbout, setZone } from "../support/domains";
import { operate, operator } from "../support/operators";
import { callUnder } from "../support/overrides";
import { newPlatformKey } from "../support/platform-keys";

let owner: Person;

beforeAll(async () => {
  owner = await signUpVerified();
});

const list = async ({ token }: Person) => (await call("GET", "/tenant/domains", { token })).body.data;
const remove = ({ token }: Person, domain: string) =>
  call("DELETE", `/tenant/domains/${domain}`, { token, body: { endEnforcement: false } });
const actionsOf = async ({ tenantId }: Person) =>
  (await rowsOf("SELECT action FROM audit_events WHERE tenant_id = ? AND action LIKE '%domain%'", tenantId)).map(
    ({ action }) => action,
  );

test("a domain is added with its record, proved by it, listed and removed, each of which is recorded", async () => {
  const person = await signUpVerified();
  const domain = newDomain();
  const added = await call("POST", "/tenant/domains", { token: person.token, body: { domain: domain.toUpperCase() } });
  expect([added.status, added.body.data]).toEqual([
    201,
    {
      domain,
      state: "pending",
      provedBy: null,
      needsReview: false,
      record: {
        name: `_postern-challenge.${domain}`,
        type: "TXT",
        value: expect.stringMatching(/^postern-domain-verification=[A-Z2-7]{32}$/),
      },
      checkedAt: null,
      provedAt: null,
    },
  ]);
  const { value } = added.body.data.record;
  await setZone(domain, { one: ["v=spf1 -all", value], two: [[value.slice(0, 9), value.slice(9)]] });
  const proved = (await check(person, domain)).body.data;
  expect(proved).toEqual({
    ...added.body.data,
    state: "proved",
    provedBy: "dns",
    checkedAt: expect.any(String),
    provedAt: expect.any(String),
  });
  expect(await list(person)).toEqual([proved]);
  expect((await remove(person, domain)).body).toEqual({ message: "Domain removed." });
  expect(await list(person)).toEqual([]);
  expect((await actionsOf(person)).sort()).toEqual(["domain.claimed", "domain.proved", "domain.removed"]);
  const standing = await rowsOf("SELECT 1 FROM tenants WHERE id = ? AND trusted_at IS NOT NULL", person.tenantId);
  expect(standing).toHaveLength(1);
});

/** What a resolver sees where it answers, and what the domain then says of that. */
const ANSWERS: Record<string, { seen: (value: string) => string | string[]; text: string }> = {
  value: { seen: (value) => [value], text: "the record" },
  other: { seen: (value) => [`${value} `, value.slice(0, -1), `${value}A`, ""], text: "another value" },
  nothing: { seen: () => "nothing", text: "no such record" },
};
const FAULTS = ["servfail", "late", "huge", "wrong id", "truncated"];
/** Those that are tried with the value at the other resolver alone. */
const OTHER_FAULTS = ["another question", "html", "down"];

const PAIRS = [
  ...[...Object.keys(ANSWERS), ...FAULTS].flatMap((one) =>
    [...Object.keys(ANSWERS), ...FAULTS].map((two) => [one, two] as const),
  ),
  ...OTHER_FAULTS.map((fault) => ["value", fault] as const),
];

test("it is proved where both resolvers see the value, and nothing changes where one gives no answer", async () => {
  const outcomeOf = async ([one, two]: readonly [string, string]) => {
    // A tenant checks ten times a minute.
    const [person, domain] = [await signUpVerified(), newDomain()];
    const value = await claim(person, domain);
    const seen = (name: string) => ANSWERS[name]?.seen(value) ?? name;
    await setZone(domain, { one: seen(one), two: seen(two) });
    const { status } = await check(person, domain);
    const [{ state, lastError = "", checkedAt }] = await list(person);
    return [one, two, status, state, lastError, checkedAt !== null];
  };
  const outcomes = await Promise.all(PAIRS.map(outcomeOf));
  const expected = PAIRS.map(([one, two]) => {
    const [at, also] = [ANSWERS[one]?.text, ANSWERS[two]?.text];
    if (at === undefined || also === undefined) return [one, two, 503, "pending", "", false];
    if (one === "value" && two === "value") return [one, two, 200, "proved", "", true];
    const lastError = `Not found in DNS. dns.one.example sees ${at}, dns.two.example sees ${also}.`;
    return [one, two, 200, "pending", lastError, true];
  });
  expect(outcomes).toEqual(expected);
});

test("another tenant's record proves nothing", async () => {
  const [other, domain] = [await signUpVerified(), newDomain()];
  const theirs = await claim(other, domain);
  expect(await claim(owner, domain)).not.toBe(theirs);
  await setZone(domain, { one: [theirs], two: [theirs] });
  expect((await check(owner, domain)).body.data.state).toBe("pending");
});

test("of ten tenants that check one domain at once, one has it, and the others learn nothing of it", async () => {
  const domain = newDomain();
  const people = await Promise.all(Array.from({ length: 10 }, signUpVerified));
  const values = await Promise.all(people.map((person) => claim(person, domain)));
  await setZone(domain, { one: values, two: values });
  const answers = (await Promise.all(people.map((person) => check(person, domain)))).map(({ body }) => body.data);
  expect(answers.filter(({ state }) => state === "proved")).toHaveLength(1);
  const sight = "sees no such record";
  for (const { state, lastError } of answers.filter((answer) => answer.state !== "proved")) {
    expect([state, lastError]).toEqual([
      "pending",
      `Not found in DNS. dns.one.example ${sight}, dns.two.example ${sight}.`,
    ]);
  }
  const holder = people[answers.findIndex(({ state }) => state === "proved")] ?? owner;
  const next = people.find((person) => person !== holder) ?? owner;
  await remove(holder, domain);
  expect((await check(next, domain)).body.data.state).toBe("proved");
});

test("a check that finds nothing leaves what is proved", async () => {
  const domain = await proveByDns(owner);
  await setZone(domain, { one: "nothing", two: "nothing" });
  expect((await check(owner, domain)).body.data).toMatchObject({
    state: "proved",
    lastError: expect.stringMatching(/^Not found in DNS\./),
  });
});

test("what was proved stays proved when the former secret key is gone", async () => {
  const domain = await proveByDns(owner);
  const { record } = (await check(owner, domain)).body.data;
  const deps = await createDeps(
    { ...env, SECRET_KEYS: "c07e2d94b1f6483e9a5d7c2b6f0e8d1a3b5c7e9f1d2a4b6c8e0f9a7b5c3d1e2f" },
    createExecutionContext(),
  );
  const holder = { tenantId: owner.tenantId, by: "", isInSetup: false, eventsOf: () => [] };
  const checked = await checkDomain(deps, holder, domain);
  expect(checked).toMatchObject({ state: "proved", record });
  expect(checked.lastError).toBeUndefined();
});

test("a check makes two round trips besides the session's, writes four rows and asks two questions", async () => {
  const [person, domain] = [await signUpVerified(), newDomain()];
  const value = await claim(person, domain);
  // The first proof of a tenant also writes that it is vouched for.
  await proveByDns(person);
  await setZone(domain, { one: [value], two: [value] });
  const { counted, cost } = countedEnv();
  const ask = (path: string, method = "GET") => {
    rowsRead.count = 0;
    return callUnder({ ...counted }, { method, path: `/api/v1${path}`, token: person.token });
  };
  await ask("/auth/me");
  const ofSession = rowsRead.count;
  Object.assign(cost, { trips: 0, rowsWritten: 0 });
  const { body } = await ask(`/tenant/domains/${domain}/check`, "POST");
  expect([body.data.state, cost, await questionsAbout(domain)]).toEqual(["proved", { trips: 3, rowsWritten: 4 }, 2]);
  // The contract wants four: the domain is also read before the look-up, which may take seconds.
  expect(rowsRead.count - ofSession).toBeLessThanOrEqual(5);
});

test("of 20 parallel claims at the cap exactly one succeeds", async () => {
  const person = await signUpVerified();
  const claims = await Promise.all(
    Array.from({ length: 20 }, () =>
      callUnder(
        { MAX_DOMAINS_PER_TENANT: "1" },
        { path: "/api/v1/tenant/domains", token: person.token, body: { domain: newDomain() } },
      ),
    ),
  );
  expect(claims.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(409)]);
  const message = "A tenant can have at most 1 domains.";
  expect(claims.find(({ status }) => status === 409)?.body.message).toBe(message);
});

describe("who may", () => {
  test("no strangers, other tenants or members; admins see them, and owners change them", async () => {
    const domain = await proveByDns(await signUpVerified());
    const admin = await signUpVerified();
    await setRole(admin, "admin");
    const developer = await signUpVerified();
    await setRole(developer, "developer");
    const ask = async (token: string | undefined, body: object = {}) => [
      (await call("GET", "/tenant/domains", { token })).status,
      (await call("POST", "/tenant/domains", { token, body: { domain, ...body } })).status,
      (await call("POST", `/tenant/domains/${domain}/check`, { token })).status,
      (await call("DELETE", `/tenant/domains/${domain}`, { token, body: {} })).status,
    ];
    expect(await ask(undefined)).toEqual([401, 401, 401, 401]);
    expect(await ask(developer.token)).toEqual([403, 403, 403, 403]);
    expect(await ask(admin.token)).toEqual([200, 403, 403, 403]);
    expect(await ask(owner.token, { domain: "" })).toEqual([200, 400, 404, 404]);
    const key = await call("POST", "/api-keys", { token: owner.token, body: { name: "k", scopes: ["webhook.read"] } });
    expect(await ask(key.body.data.key)).toEqual([401, 401, 401, 401]);
  });

  test("a tenant adds a domain once, whatever its letters, and none without a verified owner", async () => {
    const domain = newDomain();
    await claim(owner, domain);
    const add = ({ token }: Person) => call("POST", "/tenant/domains", { token, body: { domain: `${domain}.` } });
    const [again, unverified] = [await add(owner), await add(await signUp())];
    expect([again.status, again.body.message]).toEqual([409, "The domain has been added already."]);
    expect([unverified.status, unverified.body.code]).toEqual([403, "EMAIL_NOT_VERIFIED"]);
  });

  test("nobody while sign-on is off, or has no address to come back to", async () => {
    const asked = { method: "GET", path: "/api/v1/tenant/domains", token: owner.token };
    const found = await Promise.all([{ SIGN_ON: "off" }, { PUBLIC_URL: "" }, {}].map((vars) => callUnder(vars, asked)));
    expect(found.map(({ status }) => status)).toEqual([404, 404, 200]);
  });
});

describe("a platform key", () => {
  const at = ({ tenantId }: Person) => `/platform/tenants/${tenantId}/domains`;

  test("adds, checks and removes domains with its scope, and vouches for them, in tenants that it sees", async () => {
    const { key } = await newPlatformKey(["connections.read", "connections.write"]);
    const [person, domain, other] = [await signUpVerified(), newDomain(), newDomain()];
    const as = (method: string, path: string, body?: object) =>
      call(method, path, { token: key, ...(body ? { body } : {}) });
    const vouched = await as("POST", at(person), { domain, proved: true });
    expect([vouched.status, vouched.body.data.state, vouched.body.data.provedBy]).toEqual([201, "proved", "platform"]);
    expect((await as("POST", `${at(person)}/${domain}/check`)).body.data).toEqual(vouched.body.data);
    expect(await questionsAbout(domain)).toBe(0);
    await as("POST", at(person), { domain: other });
    expect((await as("POST", `${at(person)}/${other}/check`)).body.data.state).toBe("pending");
    expect((await as("GET", at(person))).body.data).toHaveLength(2);
    // Nobody takes it away by vouching for it.
    const second = await as("POST", at(await signUpVerified()), { domain, proved: true });
    expect([second.status, second.body.data.state]).toEqual([201, "pending"]);
    expect((await as("DELETE", `${at(person)}/${domain}`)).body.message).toBe("Domain removed.");
    expect((await as("DELETE", `${at(person)}/${domain}`)).status).toBe(404);
    const actions = ["domain.claimed", "domain.claimed", "domain.proved", "domain.removed"];
    expect((await actionsOf(person)).sort()).toEqual(actions);
    const { key: narrow } = await newPlatformKey(["connections.read"], { tenants: [owner.tenantId] });
    const { key: without } = await newPlatformKey(PLATFORM_SCOPES.filter((scope) => !scope.startsWith("connections.")));
    const asked = [narrow, without].flatMap((token) =>
      [person, owner].flatMap((of) => [
        call("GET", at(of), { token }),
        call("POST", at(of), { token, body: { domain: newDomain() } }),
      ]),
    );
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(statuses).toEqual([404, 403, 200, 403, 403, 403, 403, 403]);
    expect((await as("GET", "/platform/tenants/platform/domains")).status).toBe(404);
  });
});

test("an operator gives a domain to another tenant, and both logs have it with the reason", async () => {
  const [by, former, next] = [await operator(), await signUpVerified(), await signUpVerified()];
  const domain = await proveByDns(former);
  const move = (body: object, path = domain) => operate(by, "POST", `/domains/${path}/move`, body);
  const to = { tenantId: next.tenantId, reason: "Sold" };
  const refused = [
    await move({ tenantId: next.tenantId }),
    await move({ ...to, tenantId: crypto.randomUUID() }),
    await move({ ...to, tenantId: former.tenantId }),
    await move(to, newDomain()),
    await call("POST", `/operator/domains/${domain}/move`, { token: former.token, body: to }),
  ];
  expect(refused.map(({ status }) => status)).toEqual([400, 400, 409, 404, 404]);
  const answers = await Promise.all(Array.from({ length: 10 }, () => move(to)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect([await list(former), await list(next)]).toMatchObject([
    [{ domain, state: "lost", lastError: expect.stringMatching(/^Not found in DNS\./) }],
    [{ domain, state: "proved", provedBy: "platform" }],
  ]);
  const told = "SELECT meta FROM audit_events WHERE tenant_id = ? AND action = 'operator.domain_moved'";
  for (const { tenantId } of [former, next]) {
    expect(await rowsOf(told, tenantId)).toEqual([{ meta: JSON.stringify({ domain, reason: "Sold" }) }]);
  }
});

test("a deleted tenant leaves its domain to others at once", async () => {
  const [person, other] = [await signUpVerified(), await signUpVerified()];
  const domain = await proveByDns(person);
  const gone = await call("DELETE", "/tenant", { token: person.token, body: { password: PASSWORD } });
  expect(gone.status).toBe(200);
  await proveByDns(other, domain);
});
