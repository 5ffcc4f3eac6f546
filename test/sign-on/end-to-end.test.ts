/** A sign-on through every step: a connection that is tested and activated, the provider, the callback, the session. */
import { beforeAll, expect, test } from "vitest";
import { call, type Person, signUpVerified } from "../support/client";
import { countedEnv, rowsRead } from "../support/cost";
import { vouchedDomain } from "../support/domains";
import { type Browser, claimsOf, newBrowser } from "../support/oauth";
import { arrive, connect, leave, open } from "../support/sign-on";
import { one } from "../support/signed-on";

let owner: Person;
let [id, domain] = ["", ""];
beforeAll(async () => {
  owner = await signUpVerified();
  ({ id } = await connect(owner));
  domain = await vouchedDomain(owner.tenantId);
  await open(owner, id);
});

test("a person of a proved domain signs on, and the session is of this tenant", async () => {
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

test("of 20 answers to one departure with one code at once, one opens a session, of one new account", async () => {
  const browser = newBrowser();
  const departure = await leave(browser, `?connection=${id}`);
  const email = `grace@${domain}`;
  const claims = claimsOf(departure, { email, name: "Grace" });
  const twins = Array.from({ length: 20 }, () => {
    const twin = newBrowser();
    for (const [name, value] of browser.jar) twin.jar.set(name, value);
    return twin;
  });
  const finish = async (twin: Browser) => {
    const code = (await arrive(twin, id, departure, { claims })).searchParams.get("code");
    const { status, body } = await twin.send("POST", "/api/v1/auth/oauth/exchange", { body: { code } });
    return status === 200 ? "in" : body.code;
  };
  // The provider of the tests gives the same token for a code each time, which a good one does not.
  expect((await Promise.all(twins.map(finish))).sort()).toEqual([...Array(19).fill("INVALID_TOKEN"), "in"]);
  const sessions = "SELECT count(*) AS n FROM sessions s JOIN users u ON u.id = s.user_id WHERE u.email = ?";
  expect(await one(sessions, email)).toEqual({ n: 1 });
  expect((await arrive(browser, id, departure, { claims })).searchParams.get("error")).toBeNull();
});

test("the console signs people on where there is no other provider", async () => {
  const none = Object.fromEntries(
    ["GOOGLE", "GITHUB", "MICROSOFT", "OIDC"].flatMap((name) => [
      [`${name}_CLIENT_ID`, ""],
      [`${name}_CLIENT_SECRET`, ""],
    ]),
  );
  const browser = newBrowser({ ...none, OIDC_ISSUER: "" });
  const departure = await leave(browser, `?connection=${id}`);
  const claims = claimsOf(departure, { email: `joan@${domain}`, name: "Joan" });
  const page = await arrive(browser, id, departure, { claims });
  const { status, location } = await browser.send("GET", `${page.pathname}${page.search}`);
  expect([status, location]).toEqual([303, "/console"]);
  const home = await browser.send("GET", "/console");
  expect(home.body).toContain(`joan@${domain}`);
});

test("a start and an answer take one trip each, read no more rows than their figures, and write nothing", async () => {
  const { counted, cost } = countedEnv();
  const browser = newBrowser({ ...counted });
  rowsRead.count = 0;
  const departure = await leave(browser, `?connection=${id}`);
  expect(cost).toEqual({ trips: 1, rowsWritten: 0 });
  expect(rowsRead.count).toBeLessThanOrEqual(3);
  rowsRead.count = 0;
  const claims = claimsOf(departure, { email: `ann@${domain}`, name: "Ann" });
  const page = await arrive(browser, id, departure, { claims });
  expect([page.searchParams.has("code"), cost]).toEqual([true, { trips: 2, rowsWritten: 0 }]);
  expect(rowsRead.count).toBeLessThanOrEqual(10);
});
