/** Sign-on with a provider that is not ours: oidc-provider, which a customer connects by the API. */
import { expect, test } from "vitest";
import { Visitor } from "../sdk/visitor.ts";
import { type LogIn, newCustomer } from "./customer.ts";
import { CLIENT, startIssuer } from "./issuer.ts";
import { signOnPages } from "./sign-on-pages.ts";
import type { Stage } from "./stage.ts";

/** Eight audits of pages beside other tests, after up to a minute in which the service learns of the connection. */
const PAGES_TIMEOUT_MS = 300_000;

const logIn: LogIn = (browser, page, email) => browser.open(`${page.url}?login=${encodeURIComponent(email)}`);

/** A customer with a connection to a provider of its own, which is ready to be tested. */
async function connect(stage: Stage) {
  const acme = await newCustomer(stage.server);
  const { id, redirectUri } = (await acme.call("POST", "/tenant/connections", { name: "Acme" })).body.data;
  const issuer = await startIssuer(redirectUri);
  const at = `/tenant/connections/${id}`;
  const oidc = { issuer: issuer.url, clientId: CLIENT.id, clientSecret: CLIENT.secret };
  expect((await acme.call("PATCH", at, { oidc })).body.data.state).toBe("ready");
  return { acme, id, issuer, at };
}

export function signOns(stage: Stage): void {
  test("a customer connects its provider, tests and activates it, and a person of its domain signs on", async () => {
    const { acme, id, issuer, at } = await connect(stage);
    const email = `ada@${acme.domain}`;
    expect(await acme.test(id, email, logIn)).toMatchObject({
      outcome: "succeeded",
      claims: { sub: email, email, email_verified: true, name: "Ada" },
      would: { account: "made", role: "member", domain: acme.domain },
    });
    expect((await acme.call("POST", `${at}/activate`)).status).toBe(200);
    const browser = new Visitor();
    const code = (await acme.signOn(id, email, logIn, browser)).searchParams.get("code");
    const opened = await acme.exchange(browser, code);
    expect(opened.status).toBe(200);
    const again = await acme.exchange(browser, code);
    expect(again.body.code).toBe("INVALID_TOKEN");
    const { refreshToken } = opened.body.data;
    expect((await acme.send("POST", "/auth/refresh", { refreshToken })).status).toBe(200);
    const { data } = (await acme.call("GET", "/members")).body;
    expect(data).toContainEqual(expect.objectContaining({ email, role: "member" }));
    const other = new Visitor();
    const stranger = await acme.signOn(id, "ada@elsewhere.example", logIn, other);
    const refused = await acme.exchange(other, stranger.searchParams.get("code"));
    const trace = (await acme.call("GET", `${at}/traces/${refused.body.details[0].message}`)).body.data;
    expect([refused.status, trace.reason]).toEqual([403, "domain_not_proved"]);
    issuer.close();
  });

  test(
    "signing in asks for the address, then offers every way, and a mailed link leads to the provider, by keyboard",
    async () => {
      const { acme, id, issuer, at } = await connect(stage);
      await acme.test(id, `ada@${acme.domain}`, logIn);
      expect((await acme.call("POST", `${at}/activate`)).status).toBe(200);
      await signOnPages(stage, `grace@${acme.domain}`);
      issuer.close();
    },
    PAGES_TIMEOUT_MS,
  );
}
