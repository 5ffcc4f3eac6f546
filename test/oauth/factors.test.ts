/** How strong a sign-in to an app must be: the tenant's policy, `acr_values`, `max_age`, passkeys and providers. */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { parseConfig } from "../../src/base/config/config";
import {
  type App,
  Browser,
  begin,
  fieldOf,
  finished,
  forgetClientsKey,
  ISSUER,
  newApp,
  redeem,
  signInOn,
  signInTo,
} from "../support/apps";
import { make, show } from "../support/authenticator";
import { PASSWORD, type Person, signUpVerified } from "../support/client";
import { claimsOf, codeFor, departureOf, newPersonAtProvider } from "../support/oauth";
import { codeOf, enrol } from "../support/two-factor";

const OWN = { consent: "skip" };
const APP_ONLY = { APP_URL: "https://app.postern.test" };
const HOST = { ...APP_ONLY, PASSKEY_RP_ID: "postern.test" };
let app: App;
let person: Person;

beforeAll(async () => {
  forgetClientsKey();
  [app, person] = [await newApp(OWN), await signUpVerified()];
});

const errorOf = async (browser: Browser, changes: Record<string, string>, to = app) =>
  new URL((await browser.open((await begin(to, { ...changes, prompt: "none" })).url)).next ?? "").searchParams.get(
    "error",
  );

describe("a tenant that requires a second factor", () => {
  const strict = async () => {
    const member = await signUpVerified();
    await env.DB.prepare("UPDATE tenants SET second_factor = 'all', second_factor_from = 1 WHERE id = ?")
      .bind(member.tenantId)
      .run();
    return member;
  };

  test("lets a member set one up on a page, and then go on", async () => {
    const member = await strict();
    const browser = new Browser();
    const flow = await begin(app);
    const { page: signIn } = await browser.follow(flow.url);
    const form = { email: member.email, password: PASSWORD, to: fieldOf(signIn.html, "to") };
    const signed = await browser.open("/account/sign-in", { form });
    const needed = await browser.follow(signed.next ?? "");
    expect(needed.url).toMatch(/^\/account\/second-factor\?r=/);
    expect(await errorOf(browser, {})).toBe("interaction_required");
    const shown = await browser.open(needed.url, { form: {} });
    const secret = fieldOf(shown.html, "secret");
    const confirm = needed.url.replace("second-factor", "second-factor/confirm");
    const wrong = await browser.open(confirm, { form: { secret, token: "000000" } });
    expect([wrong.status, fieldOf(wrong.html, "secret")]).toEqual([401, secret]);
    const on = await browser.open(confirm, { form: { secret, token: codeOf(secret) } });
    expect(on.html).toContain("Your recovery codes");
    const { page } = await browser.follow(needed.url);
    const { claims } = await redeem(flow, new URL(page.next ?? ""));
    expect([claims["acr"], claims["amr"]]).toEqual([
      "urn:postern:acr:2",
      expect.arrayContaining(["pwd", "otp", "mfa"]),
    ]);
  });
});

describe("acr_values", () => {
  test.each<[asked: string | null, said?: string]>([
    ["urn:postern:acr:2", "urn:postern:acr:2"],
    ["unknown mfa", "mfa"],
    ["http://schemas.openid.net/pape/policies/2007/06/multi-factor"],
    // The client's own setting.
    [null, "urn:postern:acr:2"],
  ])("%j asks for the second factor of whoever has one, and says so in the same words", async (asked, said) => {
    const [member, to] = [await signUpVerified(), asked === null ? await newApp({ ...OWN, acr: "mfa" }) : app];
    const wish: Record<string, string> = asked === null ? {} : { acr_values: asked };
    const browser = new Browser();
    await finished(app, member, browser);
    const secret = await enrol(member);
    // Turning it on ends other sessions, so that a session with one factor stands for an older one.
    await signInAgain(browser, member, secret);
    expect(await errorOf(browser, wish, to)).toBe("interaction_required");
    const flow = await begin(to, wish);
    const { page, url } = await browser.follow(flow.url);
    expect([url.split("?")[0], page.html.includes('name="totp"')]).toEqual(["/account/confirm", true]);
    const form = { to: fieldOf(page.html, "to"), totp: codeOf(secret, 1) };
    expect((await browser.open(url, { form: { ...form, totp: "000000" } })).status).toBe(401);
    const confirmed = await browser.open(url, { form });
    const { page: answered } = await browser.follow(confirmed.next ?? "");
    expect((await redeem(flow, new URL(answered.next ?? ""))).claims["acr"]).toBe(said ?? asked);
  });

  /** Signs in with both factors, and leaves a session that says one. */
  async function signInAgain(browser: Browser, { email, userId }: Person, secret: string) {
    const page = await browser.open("/account/sign-in", { form: { email, password: PASSWORD } });
    await browser.open(page.next ?? "", { form: { totp: codeOf(secret) } });
    await env.DB.prepare(`UPDATE sessions SET amr = '["password"]' WHERE user_id = ?`).bind(userId).run();
  }

  test("passes whoever has no factor, and says what there is", async () => {
    for (const acr_values of ["urn:postern:acr:2", "phr", "urn:postern:acr:1", "x"]) {
      const flow = await begin(app, { acr_values });
      expect((await redeem(flow, await signInTo(flow, person))).claims["acr"]).toBe("urn:postern:acr:1");
    }
  });
});

describe("the acr of a client binds whoever has no such factor:", () => {
  test.each<[acr: string, where: string, variables: Record<string, string>, path: string, error: string]>([
    ["mfa", "a page sets it up", {}, "/account/second-factor", "interaction_required"],
    ["phr", "a page sets it up, where it takes passkeys", HOST, "/account/second-factor", "interaction_required"],
    ["phr", "and elsewhere the app is told", APP_ONLY, "/oauth/authorize", "unmet_authentication_requirements"],
  ])("%s, %s", async (acr, _where, variables, path, error) => {
    const [strict, browser] = [await newApp({ ...OWN, acr }), new Browser(variables)];
    const signed = await signInOn(browser, (await browser.follow((await begin(strict)).url)).page.html, person);
    const { url } = await browser.follow(signed.next ?? "");
    expect(new URL(url, ISSUER).pathname).toBe(path);
    expect(await errorOf(browser, {}, strict)).toBe(error);
  });
});

describe("prompt=login", () => {
  test("confirms the same person in the same session, with a later auth_time", async () => {
    const browser = new Browser();
    const before = await finished(app, person, browser);
    await env.DB.prepare("UPDATE sessions SET confirmed_at = 1000, created_at = 1000 WHERE user_id = ?")
      .bind(person.userId)
      .run();
    for (const changes of [{ prompt: "login" }, { max_age: "60" }]) {
      const flow = await begin(app, changes);
      const { page, url } = await browser.follow(flow.url);
      expect([url.split("?")[0], page.html.includes(person.email)]).toEqual(["/account/confirm", true]);
      const form = { to: fieldOf(page.html, "to"), password: PASSWORD };
      expect((await browser.open(url, { form: { ...form, password: "wrong" } })).status).toBe(401);
      const { page: answered } = await browser.follow((await browser.open(url, { form })).next ?? "");
      const { claims } = await redeem(flow, new URL(answered.next ?? ""));
      expect([claims["sid"], claims.auth_time]).toEqual([before.claims["sid"], expect.any(Number)]);
      expect(claims.auth_time).toBeGreaterThanOrEqual(before.claims.auth_time ?? Infinity);
      await env.DB.prepare("UPDATE sessions SET confirmed_at = 1000 WHERE user_id = ?").bind(person.userId).run();
    }
  });
});

describe("a passkey", () => {
  const optionsOn = (html: string) => ({
    state: fieldOf(html, "state"),
    options: JSON.parse((html.match(/data-options="([^"]*)"/)?.[1] ?? "null").replaceAll("&quot;", '"')),
  });

  test("works on the issuer's pages where PASSKEY_RP_ID is above both hosts, and nowhere else", async () => {
    const member = await signUpVerified();
    const browser = new Browser(HOST);
    await signInTo(await begin(app), member, browser);
    const fresh = optionsOn((await browser.open("/account/second-factor/passkeys/new")).html);
    expect(fresh.options.rp.id).toBe("postern.test");
    const { passkey, response } = await make(fresh as never, { origin: ISSUER });
    const added = await browser.open("/account/second-factor/passkeys", {
      form: { state: fresh.state, response: JSON.stringify(response), name: "Phone" },
    });
    expect(added.status).toBe(303);
    const other = new Browser(HOST);
    const flow = await begin(app, { acr_values: "phr" });
    const { page } = await other.follow(flow.url);
    const shown = await show(optionsOn(page.html) as never, passkey, { origin: ISSUER });
    const form = { state: fieldOf(page.html, "state"), response: JSON.stringify(shown), to: fieldOf(page.html, "to") };
    const signed = await other.open("/account/sign-in/passkey", { form });
    const { page: answered } = await other.follow(signed.next ?? "");
    const { claims } = await redeem(flow, new URL(answered.next ?? ""));
    expect([claims.sub, claims["acr"]]).toEqual([member.userId, "phr"]);
    const elsewhere = await new Browser(APP_ONLY).follow((await begin(app)).url);
    expect(elsewhere.page.html).not.toContain("data-passkey");
  });

  test.each([
    ["postern.test", true],
    ["app.postern.test", false],
    ["other.test", false],
    ["https://postern.test", false],
  ])("PASSKEY_RP_ID=%s is taken: %s", (PASSKEY_RP_ID, isTaken) => {
    const read = () => parseConfig({ ...env, ...HOST, PASSKEY_RP_ID }).passkeyRpId;
    if (isTaken) expect(read()).toBe(PASSKEY_RP_ID);
    else expect(read).toThrow(/PASSKEY_RP_ID must/);
  });
});

describe("a provider", () => {
  test("brings people back to the page where they began, with what the app has asked for", async () => {
    const browser = new Browser({ APP_URL: "https://nobody.is.here.example" });
    const flow = await begin(app);
    const { page } = await browser.follow(flow.url);
    const start = page.html.match(/href="(\/account\/oauth\/oidc\?r=[\w.-]+)"/)?.[1] ?? "";
    const departure = departureOf((await browser.open(start)).next);
    const { email, ...rest } = newPersonAtProvider();
    const code = codeFor(departure, { claims: claimsOf(departure, { email, ...rest }) });
    const callback = `/api/v1/auth/oauth/oidc/callback?${new URLSearchParams({ state: departure.state, code })}`;
    const { page: answered } = await browser.follow((await browser.open(callback)).next ?? "");
    const { claims } = await redeem(flow, new URL(answered.next ?? ""));
    expect([claims["email"], claims["email_verified"]]).toEqual([email, true]);
  });

  test("says on the same page what went wrong there, and offers the sign-in again", async () => {
    const browser = new Browser();
    const { page } = await browser.follow((await begin(app)).url);
    const start = page.html.match(/href="(\/account\/oauth\/oidc\?r=[\w.-]+)"/)?.[1] ?? "";
    const { state } = departureOf((await browser.open(start)).next);
    const callback = `/api/v1/auth/oauth/oidc/callback?${new URLSearchParams({ state, error: "access_denied" })}`;
    const { page: failed, url } = await browser.follow((await browser.open(callback)).next ?? "");
    expect([new URL(url).pathname, failed.status]).toEqual(["/account/oauth", 400]);
    expect(failed.html).toContain(`"/account/sign-in?${start.split("?")[1]}"`);
  });
});
