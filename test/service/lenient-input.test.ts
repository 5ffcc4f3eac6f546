/** What clients send in other ways than ours: null for absent, ids in upper case, addresses of all kinds. */
import { URI } from "otpauth";
import { beforeAll, describe, expect, test } from "vitest";
import { call, logIn, newEmail, PASSWORD, signUp, signUpVerified } from "../support/client";
import { newHook, patchHook, readHook } from "../support/hook";
import { forgetImporter, importPeople, newRow } from "../support/imports";
import { callUnder } from "../support/overrides";
import { openPlatform, send } from "../support/platform-api";
import { codeOf, enrol } from "../support/two-factor";

beforeAll(() => forgetImporter());

describe("null for a member that may be missing counts as missing", () => {
  test("at registration and login", async () => {
    const email = newEmail();
    const absent = { name: null, tenantName: null, invitationToken: null, captchaToken: null };
    expect((await call("POST", "/auth/register", { body: { email, password: PASSWORD, ...absent } })).status).toBe(201);
    const person = await signUpVerified();
    for (const more of [
      { totp: null, tenantId: null, captchaToken: null },
      { totp: "", captchaToken: "" },
    ]) {
      const body = { email: person.email, password: PASSWORD, ...more };
      expect((await call("POST", "/auth/login", { body })).status).toBe(200);
    }
  });

  test("in members of members, and in what is published", async () => {
    const { token } = await signUpVerified();
    const absent = { externalId: null, filter: null, delivery: { format: null, retry: null } };
    const body = { name: "n", url: "https://receiver.example/ok", events: ["*"], secret: "s".repeat(32), ...absent };
    expect((await call("POST", "/webhooks", { token, body })).body).toMatchObject({ data: { events: ["*"] } });
    const event = { type: "a.b", payload: null, orderKey: null, correlationId: null };
    const published = await call("POST", "/events", { token, body: event });
    expect(published.status).toBe(202);
    const stored = await call("GET", `/events/${published.body.data.id}`, { token });
    expect(stored.body.data.payload).toBeNull();
  });

  test("in rows of an import", async () => {
    const absent = { emailVerified: null, suspended: null, identities: null, passkeys: null, memberships: null };
    const row = newRow({ ...absent, password: null, totp: null, name: null });
    const empty = newRow({ name: "", externalId: "", createdAt: "" });
    expect((await importPeople([row, empty])).report.map(({ outcome }) => outcome)).toEqual(["created", "created"]);
  });
});

test("null for a required member is refused at its place, and stays an instruction in a change", async () => {
  const login = await call("POST", "/auth/login", { body: { email: null, password: PASSWORD, totp: null } });
  expect([login.status, login.body.details]).toEqual([
    400,
    [{ path: "email", message: expect.stringMatching(/received null/) }],
  ]);
  expect((await patchHook(await newHook(), { events: null })).status).toBe(400);
});

describe("ids in upper case are the same ids", () => {
  test("in paths, bodies and headers", async () => {
    const hook = await newHook();
    const { person, id } = hook;
    const other = await logIn(person);
    expect((await patchHook({ ...hook, id: id.toUpperCase() }, { name: "Renamed" })).body.data.name).toBe("Renamed");
    expect((await readHook(hook)).name).toBe("Renamed");
    const sessions = (await call("GET", "/auth/sessions", { token: other.token })).body.data;
    const mine = sessions.find((one: { current: boolean }) => !one.current).id;
    expect((await call("DELETE", `/auth/sessions/${mine.toUpperCase()}`, { token: other.token })).status).toBe(200);
    const tenantId = person.tenantId.toUpperCase();
    const body = { email: person.email, password: PASSWORD, tenantId };
    expect((await call("POST", "/auth/login", { body })).status).toBe(200);
    const headers = { "postern-tenant": tenantId };
    expect((await call("GET", "/webhooks", { token: other.token, headers })).status).toBe(200);
    const logged = await call("GET", `/audit?target=${id.toUpperCase()}`, { token: other.token });
    expect(logged.body.data[0]).toMatchObject({ action: "webhook.updated", target: { id } });
    await openPlatform();
    expect((await send("GET", `/users/${person.userId.toUpperCase()}`)).body.data.id).toBe(person.userId);
    expect((await send("GET", `/tenants/${tenantId}/members`)).status).toBe(200);
  });

  test("but ids of other forms keep their case", async () => {
    await openPlatform();
    const externalId = `Shop-${crypto.randomUUID()}`;
    await send("POST", "/tenants", { name: "Shop", externalId });
    expect((await send("GET", `/tenants/ext:${externalId}`)).status).toBe(200);
    expect((await send("GET", `/tenants/ext:${externalId.toLowerCase()}`)).status).toBe(404);
  });
});

describe("an address", () => {
  const unique = () => crypto.randomUUID().slice(0, 8);
  const register = async (email: string) =>
    (await call("POST", "/auth/register", { body: { email, password: PASSWORD } })).status;

  test.each(["o&leary", "a/b=c", "user=corp.com", "tilde~x", "{x}", "p%q", "#!$*?^`|"])(
    "may begin with %s",
    async (local) => {
      expect(await register(`${local}${unique()}@example.com`)).toBe(201);
    },
  );

  test("may be at an international domain", async () => {
    expect(await register(`${unique()}@xn--e1afmkfd.xn--p1ai`)).toBe(201);
  });

  test.each([
    "a..b@example.com",
    ".a@example.com",
    "a.@example.com",
    "a b@example.com",
    "a@b@example.com",
    "a@example",
    "a@-example.com",
    "a@example-.com",
    "a@example..com",
    "a@example.com.",
    "a@1.2.3.4",
    "a,b@example.com",
    "a:b@example.com",
    '"a"@example.com',
    "a@exam_ple.com",
    `a@${"x".repeat(64)}.com`,
  ])("%s is refused", async (email) => {
    expect(await register(email)).toBe(400);
  });
});

test("an empty cursor and limit are those of the first page, and a filter is not taken empty", async () => {
  const { token } = await signUp();
  for (const path of ["/events", "/audit", "/event-types"]) {
    expect([path, (await call("GET", `${path}?cursor=&limit=`, { token })).status]).toEqual([path, 200]);
  }
  expect((await call("GET", "/audit?actor=", { token })).status).toBe(400);
});

test("half of a surrogate pair is refused in a name, which clients in other languages could not read", async () => {
  const { token } = await signUp();
  const { status, body } = await call("PATCH", "/auth/me", { token, body: { name: "a\ud800" } });
  expect([status, body.details]).toEqual([400, [{ path: "name", message: "Must be Unicode" }]]);
});

test("an empty Idempotency-Key counts as missing", async () => {
  const { token } = await signUpVerified();
  const headers = { "idempotency-key": "" };
  const publish = async () => (await call("POST", "/events", { token, headers, body: { type: "a", payload: 1 } })).body;
  expect((await publish()).data.id).not.toBe((await publish()).data.id);
});

test("an empty X-API-Key does not hide a good Authorization", async () => {
  const { token } = await signUp();
  expect((await call("GET", "/auth/me", { token, headers: { "x-api-key": "" } })).status).toBe(200);
});

test("digits of full width and of other scripts are digits, and marks of direction are none", async () => {
  const person = await signUpVerified();
  const zeros = [0xff10, 0x0660, 0x06f0, 0x0966, 0x30, 0x09e6];
  const written = codeOf(await enrol(person)).replaceAll(/\d/g, (digit, at) =>
    String.fromCharCode((zeros[at] ?? 0) + Number(digit)),
  );
  const body = { email: person.email, password: PASSWORD, totp: `\u200e${written}` };
  expect((await call("POST", "/auth/login", { body })).status).toBe(200);
});

test("the brand's name is that of passkeys, and without its colon that of authenticator apps", async () => {
  const { token, email } = await signUpVerified();
  const under = (path: string) => callUnder({ BRAND_NAME: "Acme: Cloud & Co" }, { path: `/api/v1${path}`, token });
  expect((await under("/auth/passkeys/options")).body.data.options.rp.name).toBe("Acme: Cloud & Co");
  const { qrCodeUri } = (await under("/auth/2fa/enable")).body.data;
  const shown = URI.parse(qrCodeUri);
  expect([shown.issuer, shown.label]).toEqual(["Acme Cloud & Co", email]);
});
