/** What people choose on their way to an app: account, tenant; how the answer gets to the app, and what it costs. */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import {
  type App,
  answerOn,
  Browser,
  begin,
  CALLBACK,
  fieldOf,
  forgetClientsKey,
  ISSUER,
  newApp,
  redeem,
  signInOn,
  signInTo,
} from "../support/apps";
import { type Person, signUpVerified } from "../support/client";
import { countedEnv } from "../support/cost";

let app: App;
let person: Person;

beforeAll(async () => {
  forgetClientsKey();
  [app, person] = [await newApp(), await signUpVerified()];
});

describe("who is a member of several tenants", () => {
  async function withTwo() {
    const [guest, host] = [await signUpVerified(), await signUpVerified()];
    await env.DB.prepare("INSERT INTO memberships (tenant_id, user_id, role, created_at) VALUES (?, ?, 'viewer', 1)")
      .bind(host.tenantId, guest.userId)
      .run();
    return { guest, host };
  }

  test("chooses one on a page, and is not asked again in the session", async () => {
    const { guest, host } = await withTwo();
    const own = await newApp({ consent: "skip" });
    const browser = new Browser();
    const flow = await begin(own);
    const signed = await signInOn(browser, (await browser.follow(flow.url)).page.html, guest);
    const { page, url } = await browser.follow(signed.next ?? "");
    expect(url).toMatch(/^\/account\/tenant\?r=/);
    const none = await browser.open("/account/tenant", { form: { r: fieldOf(page.html, "r") } });
    expect(none.status).toBe(400);
    const chosen = await browser.open("/account/tenant", {
      form: { r: fieldOf(page.html, "r"), tenant: host.tenantId },
    });
    const answered = (await browser.follow(chosen.next ?? "")).page.next ?? "";
    expect((await redeem(flow, new URL(answered))).claims["tid"]).toBe(host.tenantId);
    expect((await browser.open((await begin(own)).url)).next).toMatch(/code=/);
    const other = await newApp({ consent: "skip" });
    const quiet = new URL((await browser.open((await begin(other, { prompt: "none" })).url)).next ?? "");
    expect(quiet.searchParams.get("error")).toBe("interaction_required");
    const named = await browser.open((await begin(other, { tenant: guest.tenantId })).url);
    expect(named.next).toMatch(/code=/);
  });

  test("gets nowhere with a tenant of others", async () => {
    const { guest } = await withTwo();
    const own = await newApp({ consent: "skip" });
    const browser = new Browser();
    const signed = await signInOn(browser, (await browser.follow((await begin(own)).url)).page.html, guest);
    const { page } = await browser.follow(signed.next ?? "");
    const form = { r: fieldOf(page.html, "r"), tenant: person.tenantId };
    const chosen = await browser.open("/account/tenant", { form });
    const answered = new URL((await browser.follow(chosen.next ?? "")).page.next ?? "");
    expect(answered.searchParams.get("error")).toBe("access_denied");
  });
});

describe("another account", () => {
  test("is offered with prompt=select_account and for a hint of somebody else, beside the present one", async () => {
    const browser = new Browser();
    await signInTo(await begin(app), person, browser);
    for (const changes of [{ prompt: "select_account" }, { login_hint: "somebody@example.com" }]) {
      const { page, url } = await browser.follow((await begin(app, changes)).url);
      expect([url.startsWith("/account/select-account?r="), page.html.includes(`Continue as ${person.email}`)]).toEqual(
        [true, true],
      );
      const stayed = await browser.open("/account/select-account", { form: { r: fieldOf(page.html, "r") } });
      expect((await browser.follow(stayed.next ?? "")).page.next).toMatch(/code=/);
      const quiet = new URL(
        (await browser.open((await begin(app, { ...changes, prompt: "none" })).url)).next ?? CALLBACK,
      );
      expect(quiet.searchParams.get("error") ?? "none").toBe("login_hint" in changes ? "login_required" : "none");
    }
    const own = await browser.open((await begin(app, { login_hint: person.email.toUpperCase() })).url);
    expect(own.next).toMatch(/code=/);
    const hinted = await new Browser().follow((await begin(app, { login_hint: "ada@example.com" })).url);
    expect(hinted.page.html).toContain('value="ada@example.com"');
  });

  test("cannot go on with what another session has chosen", async () => {
    const [browser, other] = [new Browser(), new Browser()];
    await signInTo(await begin(app), person, browser);
    await signInTo(await begin(app), await signUpVerified(), other);
    const { page } = await browser.follow((await begin(app, { prompt: "select_account" })).url);
    const stayed = await browser.open("/account/select-account", { form: { r: fieldOf(page.html, "r") } });
    expect((await other.follow(stayed.next ?? "")).url).toMatch(/^\/account\/select-account/);
  });
});

describe("response_mode=form_post", () => {
  test("sends the answer by a form, which goes by itself", async () => {
    const browser = new Browser();
    await signInTo(await begin(app), person, browser);
    const page = await browser.open((await begin(app, { response_mode: "form_post", state: "a&b" })).url);
    expect([page.status, page.next, page.html]).toEqual([200, null, expect.stringContaining(`action="${CALLBACK}"`)]);
    expect([fieldOf(page.html, "state"), fieldOf(page.html, "iss"), fieldOf(page.html, "code") !== ""]).toEqual([
      "a&b",
      ISSUER,
      true,
    ]);
    const policy = page.headers.get("content-security-policy") ?? "";
    expect([policy.includes("form-action"), /script-src 'nonce-/.test(policy)]).toEqual([false, true]);
  });

  test("sends errors too, and what follows the page that asks", async () => {
    const denied = await new Browser().open((await begin(app, { response_mode: "form_post", prompt: "none" })).url);
    expect(fieldOf(denied.html, "error")).toBe("login_required");
    const browser = new Browser();
    const flow = await begin(await newApp(), { response_mode: "form_post" });
    const signed = await signInOn(browser, (await browser.follow(flow.url)).page.html, person);
    const answer = await answerOn(browser, (await browser.follow(signed.next ?? "")).page.html, "allow");
    expect([answer.next, fieldOf(answer.html, "code") !== ""]).toEqual([null, true]);
    expect((await new Browser().open((await begin(app, { response_mode: "fragment" })).url)).next).toContain(
      "invalid_request",
    );
  });
});

test("a forged client costs no round trip", async () => {
  const { counted, cost } = countedEnv();
  const { url } = await begin({ id: "pc_0000000000000000000000000000" });
  expect((await new Browser(counted as never).open(url)).status).toBe(400);
  expect(cost.trips).toBe(0);
});

test("a person connects at most MAX_APPS_PER_USER apps, also in parallel", async () => {
  const guest = await signUpVerified();
  const browser = new Browser({ MAX_APPS_PER_USER: "2" });
  await signInTo(await begin(app), guest, browser);
  const pages = [];
  for (const one of [await newApp(), await newApp(), await newApp()]) {
    pages.push((await browser.follow((await begin(one)).url)).page);
  }
  const answers = await Promise.all(pages.map(({ html }) => answerOn(browser, html, "allow")));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  await signInTo(await begin(app, { prompt: "consent" }), guest, browser);
});

test("the pages for an app show its name and logo, and load nothing else from there", async () => {
  const own = await newApp({ name: "Tea House", logoUrl: "https://cdn.shop.example/logo.png" });
  const browser = new Browser();
  const { page: start } = await browser.follow((await begin(own)).url);
  const { page: asks } = await browser.follow((await signInOn(browser, start.html, person)).next ?? "");
  for (const { html, headers } of [start, asks]) {
    expect(html).toMatch(/<header.*src="https:\/\/cdn.shop.example\/logo.png".* Tea House<.*<\/header>/s);
    const policy = headers.get("content-security-policy") ?? "";
    expect(
      policy
        .split(";")
        .filter((one) => one.includes("cdn.shop.example"))
        .map((one) => one.trim().split(" ")[0]),
    ).toEqual(["img-src"]);
  }
});
