/** A sign-on by SAML 2.0 through every step: the connection, its test, the provider, the response, the session. */
import { beforeAll, expect, test } from "vitest";
import { call, type Person, signUpVerified } from "../support/client";
import { vouchedDomain } from "../support/domains";
import { newBrowser } from "../support/oauth";
import { newSamlProvider } from "../support/saml-provider";
import {
  arriveBySaml,
  connectSaml,
  exchange,
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

test("of ten answers to one departure, one opens a session", async () => {
  const browser = newBrowser();
  const departure = await leaveForSaml(browser, `?connection=${connection.id}`);
  const said = { ...somebody(), assertionId: "_one" };
  const twins = Array.from({ length: 10 }, () => {
    const twin = newBrowser();
    for (const [name, value] of browser.jar) twin.jar.set(name, value);
    return twin;
  });
  const statuses = await Promise.all(
    twins.map(async (twin) => (await exchange(twin, await arriveBySaml(twin, connection, departure, said))).status),
  );
  expect(statuses.sort()).toEqual([200, ...Array(9).fill(400)]);
});
