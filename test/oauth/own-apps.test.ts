/** The apps and APIs of a tenant, which it manages itself: for its members alone, and proved to be its own. */
import { decodeJwt } from "jose";
import { beforeAll, describe, expect, test } from "vitest";
import {
  type App,
  Browser,
  begin,
  CALLBACK,
  exchangeOf,
  forgetClientsKey,
  newApp,
  postTo,
  proofOf,
  signInTo,
} from "../support/apps";
import { call, type Person, signUpVerified } from "../support/client";
import { callUnder } from "../support/overrides";
import { joinTenant } from "../support/people";
import { newPlatformKey } from "../support/platform-keys";
import { type Api, forApis, newApi, newResourceUrl, SCOPES } from "../support/resources";

const SHOP = { name: "Shop", redirectUrls: [CALLBACK] };
let [owner, stranger]: Person[] = [];

beforeAll(async () => {
  forgetClientsKey();
  [owner, stranger] = [await signUpVerified(), await signUpVerified()];
});

const as = (person: Person | undefined, method: string, path: string, body?: unknown) =>
  call(method, `/tenant${path}`, { token: person?.token, ...(body === undefined ? {} : { body }) });

async function ownApp(fields: Record<string, unknown> = {}, person = owner): Promise<App> {
  const { status, body } = await as(person, "POST", "/clients", { ...SHOP, ...fields });
  expect(status).toBe(201);
  return body.data;
}

async function ownApi(fields: Record<string, unknown> = {}, person = owner): Promise<Api> {
  const api = { name: "Notes", identifier: newResourceUrl(), scopes: SCOPES, ...fields };
  const { status, body } = await as(person, "POST", "/resources", api);
  expect([status, body.error]).toEqual([201, undefined]);
  return body.data;
}

const pathsOf = ({ body }: { body: { details?: { path: string }[] } }) => body.details?.map(({ path }) => path);

/** The tokens of a sign-in, or the error that the app is sent. */
async function signedIn(app: App, person: Person | undefined, changes: Record<string, string> = {}) {
  const flow = await begin(app, changes);
  const answered = await signInTo(flow, person ?? { email: "" }, new Browser());
  const error = answered.searchParams.get("error");
  return error === null ? (await postTo("/oauth/token", exchangeOf(app, flow, answered))).body : { error };
}

describe("a tenant's app", () => {
  test("is for members of the tenant, asks them, and is no other tenant's and not the platform's", async () => {
    const app = await ownApp();
    expect(app).toMatchObject({ owner: "tenant", kind: "registered", consent: "ask", tenants: null });
    const guest = await signUpVerified();
    const member = await joinTenant(owner as Person, "viewer");
    const tokens = await signedIn(app, member);
    expect(decodeJwt(String(tokens["id_token"]))).toMatchObject({ tid: owner?.tenantId });
    expect(await signedIn(app, guest)).toEqual({ error: "access_denied" });
    for (const [method, path, body] of [
      ["GET", "", undefined],
      ["PATCH", "", { name: "Other" }],
      ["POST", "/secret", {}],
      ["DELETE", "/secret/previous", {}],
      ["POST", "/revoke", {}],
      ["DELETE", "", {}],
    ] as const) {
      expect([method, path, (await as(stranger, method, `/clients/${app.id}${path}`, body)).status]).toEqual([
        method,
        path,
        404,
      ]);
      const { key } = await newPlatformKey(["clients.read", "clients.write"]);
      const byKey = { token: key, ...(body === undefined ? {} : { body }) };
      expect((await call(method, `/platform/clients/${app.id}${path}`, byKey)).status).toBe(404);
    }
    const listed = (await as(owner, "GET", "/clients")).body.data.map(({ id }: App) => id);
    expect([listed.includes(app.id), (await as(stranger, "GET", "/clients")).body.data]).toEqual([true, []]);
    expect((await as(owner, "POST", `/clients/${app.id}/revoke`, {})).body.message).toBe("Tokens revoked.");
    expect((await as(owner, "DELETE", `/clients/${app.id}`, {})).body.message).toBe("Client deleted.");
  });

  test.each([
    ["consent", { consent: "skip" }],
    ["tenants", { tenants: ["ext:a"] }],
    ["unverifiedEmail", { unverifiedEmail: true }],
  ])("is refused %s, which only the platform's has", async (path, fields) => {
    const refused = await as(owner, "POST", "/clients", { ...SHOP, ...fields });
    expect([refused.status, pathsOf(refused)]).toEqual([400, [path]]);
    const { id } = await ownApp();
    const changed = await as(owner, "PATCH", `/clients/${id}`, fields);
    expect([changed.status, pathsOf(changed)]).toEqual([400, [path]]);
  });

  test("is managed by a platform key that names the tenant, which needs clients.write", async () => {
    const ask = async (scope: "clients.write" | "users.read") => {
      const headers = { "postern-tenant": owner?.tenantId ?? "" };
      return call("POST", "/tenant/clients", { token: (await newPlatformKey([scope])).key, headers, body: SHOP });
    };
    expect([(await ask("clients.write")).status, (await ask("users.read")).status]).toEqual([201, 403]);
  });

  test("has an external id that other tenants may have too", async () => {
    const externalId = `shop-${crypto.randomUUID()}`;
    const made = [await ownApp({ externalId }), await ownApp({ externalId }, stranger)];
    const again = await as(owner, "POST", "/clients", { ...SHOP, externalId });
    expect([again.status, again.body.data.id]).toEqual([200, made[0]?.id]);
    expect((await as(stranger, "GET", `/clients?externalId=${externalId}`)).body.data).toMatchObject([
      { id: made[1]?.id },
    ]);
  });

  test("of 20 at once at the cap, one is made", async () => {
    const person = await signUpVerified();
    const under = { MAX_CLIENTS_PER_TENANT: "1" };
    const ask = () => callUnder(under, { path: "/api/v1/tenant/clients", body: SHOP, token: person.token });
    const answers = await Promise.all(Array.from({ length: 20 }, ask));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(19).fill(409)]);
  });
});

describe("a tenant's API", () => {
  test.each<[special: string, status: number]>([
    ["good", 201],
    ["named", 400],
    ["foreign", 400],
    ["silent", 400],
    ["huge", 400],
    ["moved", 400],
    ["missing", 400],
  ])("whose document is %s gets %i", async (special, status) => {
    const identifier = newResourceUrl(special);
    const answer = await as(owner, "POST", "/resources", { name: "Notes", identifier, scopes: SCOPES });
    expect([answer.status, status === 400 ? pathsOf(answer) : undefined]).toEqual([
      status,
      status === 400 ? ["identifier"] : undefined,
    ]);
  });

  test.each([
    ["identifier", { identifier: "urn:example:notes" }],
    ["identifier", { identifier: "http://localhost:3000/mcp" }],
    ["identifier", { identifier: "https://169.254.169.254/latest" }],
    ["identifier", { identifier: "https://postern.test/api/v1/" }],
    ["forTenants", { forTenants: true }],
  ])("is refused its %s in %j", async (path, fields) => {
    const answer = await as(owner, "POST", "/resources", {
      name: "Notes",
      identifier: newResourceUrl(),
      scopes: SCOPES,
      ...fields,
    });
    expect([answer.status, pathsOf(answer)]).toEqual([400, [path]]);
  });

  test("proves itself again when it is changed, and can be switched off when it cannot", async () => {
    const { id } = await ownApi();
    const lost = { identifier: newResourceUrl("foreign") };
    expect(pathsOf(await as(owner, "PATCH", `/resources/${id}`, lost))).toEqual(["identifier"]);
    expect((await as(owner, "PATCH", `/resources/${id}`, { name: "Papers" })).body.data.name).toBe("Papers");
    expect((await as(owner, "PATCH", `/resources/${id}`, { ...lost, enabled: false })).status).toBe(200);
    expect((await as(owner, "PATCH", `/resources/${id}`, { enabled: true })).status).toBe(400);
    for (const one of ["api", id]) expect((await as(stranger, "GET", `/resources/${one}`)).status).toBe(404);
    expect((await as(stranger, "PATCH", `/resources/${id}`, { name: "Other" })).status).toBe(404);
    expect((await as(stranger, "POST", `/resources/${id}/secret`, {})).status).toBe(404);
    expect((await as(stranger, "DELETE", `/resources/${id}`, {})).status).toBe(404);
  });

  test("gives tokens for its tenant alone, to its own app, the platform's and a program", async () => {
    const api = await ownApi();
    const asks = { scope: "openid notes.read", resource: api.identifier };
    const own = await ownApp(forApis(api));
    expect(decodeJwt(String((await signedIn(own, owner, asks))["access_token"]))).toMatchObject({
      aud: api.identifier,
      tid: owner?.tenantId,
      scope: "notes.read",
    });
    const grants = ["authorization_code", "client_credentials"];
    const ofPlatform = await newApp({ ...forApis(api), grants });
    expect((await signedIn(ofPlatform, owner, asks))["scope"]).toBe("notes.read");
    expect(await signedIn(ofPlatform, stranger, asks)).toEqual({ error: "access_denied" });
    const machine = async (tenant: string) =>
      (
        await postTo("/oauth/token", {
          ...proofOf(ofPlatform),
          grant_type: "client_credentials",
          scope: "notes.read",
          resource: api.identifier,
          tenant,
        })
      ).body["error"];
    expect([await machine(owner?.tenantId ?? ""), await machine(stranger?.tenantId ?? "")]).toEqual([
      undefined,
      "invalid_target",
    ]);
  });

  test("is not reached by another tenant's app, and the platform's only where it is for tenants", async () => {
    const [api, closed, open] = [await ownApi(), await newApi(), await newApi({ forTenants: true })];
    const app = await ownApp(forApis(api, closed, open), stranger);
    const asking = (resource: string) => signedIn(app, stranger, { scope: "openid notes.read", resource });
    expect([await asking(api.identifier), await asking(closed.identifier)]).toEqual([
      { error: "invalid_target" },
      { error: "invalid_target" },
    ]);
    expect((await asking(open.identifier))["scope"]).toBe("notes.read");
  });

  test("of 20 at once at the cap, one is made, and an identifier is taken once", async () => {
    const person = await signUpVerified();
    const ask = (identifier: string) =>
      callUnder(
        { MAX_RESOURCES_PER_TENANT: "1" },
        { path: "/api/v1/tenant/resources", body: { name: "Notes", identifier, scopes: SCOPES }, token: person.token },
      );
    // Each host is asked a few times a minute.
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(newResourceUrl())));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(19).fill(409)]);
    const { identifier } = await ownApi();
    const taken = await as(stranger, "POST", "/resources", { name: "Notes", identifier, scopes: SCOPES });
    expect(taken.status).toBe(409);
  });
});
