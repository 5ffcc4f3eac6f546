/** A sign-on by SAML 2.0 through every step: the connection, its test, the provider, the response, the session. */
import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { call, type Person, signUpVerified } from "../support/client";
import { countedEnv, rowsRead } from "../support/cost";
import { vouchedDomain } from "../support/domains";
import { newBrowser } from "../support/oauth";
import { newSamlProvider, samlResponse } from "../support/saml-provider";
import {
  arriveBySaml,
  connectSaml,
  exchange,
  follow,
  leaveForSaml,
  openSaml,
  type SamlConnection,
} from "../support/saml-sign-on";

let owner: Person;
let connection: SamlConnection;
let domain = "";
beforeAll(async () => {
  owner = await signUpVerified();
  connection = await connectSaml(owner, await newSamlProvider());
  domain = await vouchedDomain(owner.tenantId);
  await openSaml(owner, connection);
});

afterEach(() => {
  vi.useRealTimers();
});

/** Somebody new of the proved domain. */
const somebody = () => ({
  subject: crypto.randomUUID(),
  attributes: { email: `ada-${crypto.randomUUID()}@${domain}`, name: "Ada" },
});

test("a person of a proved domain signs on, and the session is of this tenant", async () => {
  const browser = newBrowser();
  const departure = await leaveForSaml(browser, `?tenant=${owner.tenantId}&to=/orders`);
  expect(departure.url.href).toContain(`${connection.provider.ssoUrl}?`);
  expect(departure.request).toContain(connection.audience);
  const ada = somebody();
  const back = await arriveBySaml(browser, connection, departure, ada);
  const answer = await exchange(browser, back);
  expect([back.searchParams.get("to"), answer.status]).toEqual(["/orders", 200]);
  const me = await call("GET", "/auth/me", { token: answer.body.data.accessToken });
  expect([me.status, me.body.data.email]).toEqual([200, ada.attributes.email]);
});

test("of 20 answers to one departure, one opens a session", async () => {
  const browser = newBrowser();
  const departure = await leaveForSaml(browser, `?connection=${connection.id}`);
  const said = { ...somebody(), assertionId: "_one" };
  const twins = Array.from({ length: 20 }, () => {
    const twin = newBrowser();
    for (const [name, value] of browser.jar) twin.jar.set(name, value);
    return twin;
  });
  const statuses = await Promise.all(
    twins.map(async (twin) => (await exchange(twin, await arriveBySaml(twin, connection, departure, said))).status),
  );
  expect(statuses.sort()).toEqual([200, ...Array(19).fill(400)]);
});

test("a start, a response and its end take one trip each, read few rows, and write nothing", async () => {
  const { counted, cost } = countedEnv();
  const browser = newBrowser({ ...counted });
  rowsRead.count = 0;
  const departure = await leaveForSaml(browser, `?connection=${connection.id}`);
  expect([cost, rowsRead.count <= 3]).toEqual([{ trips: 1, rowsWritten: 0 }, true]);
  const { audience, acsUrl, provider, id } = connection;
  const said = { ...somebody(), audience, acsUrl, inResponseTo: departure.requestId };
  const form = { SAMLResponse: await samlResponse(provider, said) };
  const { location } = await newBrowser({ ...counted }).send("POST", `/api/v1/auth/sign-on/${id}/acs`, { form });
  expect(cost).toEqual({ trips: 2, rowsWritten: 0 });
  const back = await follow(browser, location ?? "");
  expect([back.searchParams.has("code"), cost]).toEqual([true, { trips: 3, rowsWritten: 0 }]);
  expect(rowsRead.count).toBeLessThanOrEqual(10);
});

test("an assertion that was used opens no session, whatever code it comes with", async () => {
  // It is remembered with its end, so both end at the same millisecond.
  vi.useFakeTimers({ now: Date.now(), toFake: ["Date"] });
  const [browser, twin] = [newBrowser(), newBrowser()];
  const departure = await leaveForSaml(browser, `?connection=${connection.id}`);
  const said = { ...somebody(), assertionId: "_used" };
  const back = await arriveBySaml(browser, connection, departure, said);
  expect((await exchange(browser, back)).status).toBe(200);
  // The provider answers another request with an assertion of the same ID, which none does.
  const again = await leaveForSaml(twin, `?connection=${connection.id}`);
  expect((await exchange(twin, await arriveBySaml(twin, connection, again, said))).status).toBe(400);
});
