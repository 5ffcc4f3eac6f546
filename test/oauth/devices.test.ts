/** Devices without a browser sign people in (RFC 8628): the codes, the pages, who may let one in, and what it costs. */
import { evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import * as oauth from "oauth4webapi";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { readUserCode } from "../../src/oauth/devices/device";
import {
  type App,
  answerOn,
  Browser,
  discover,
  enterCode,
  fieldOf,
  finished,
  forgetClientsKey,
  HTTP,
  ISSUER,
  newApp,
  postTo,
  proofOf,
  rowsOf,
} from "../support/apps";
import { newAddress, type Person, signUpVerified } from "../support/client";
import { countedEnv, readSigners } from "../support/cost";
import { callUnder } from "../support/overrides";

const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";
const SCOPE = "openid email offline_access";
const GRANTS = ["authorization_code", "device_code", "refresh_token"];
let app: App;
let person: Person;

beforeAll(async () => {
  forgetClientsKey();
  [app, person] = [await newApp({ name: "Set-top box", grants: GRANTS, type: "native" }), await signUpVerified()];
});

const AGENT = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36";
const start = (to = app, fields: Record<string, string> = {}, headers: Record<string, string> = {}) =>
  postTo("/oauth/device", { ...proofOf(to), scope: SCOPE, ...fields }, { "user-agent": AGENT, ...headers });
const poll = (code: unknown, to = app, headers: Record<string, string> = {}) =>
  postTo("/oauth/token", { ...proofOf(to), grant_type: DEVICE_GRANT, device_code: String(code) }, headers);
const errorOf = async (code: unknown, to = app) => (await poll(code, to)).body["error"];
const objectOf = (userCode: unknown) => env.DEVICE_REQUEST.getByName(String(userCode).replace("-", ""));

const untilAsked = (userCode: unknown, by: Pick<Person, "email"> = person) => enterCode(userCode, by);

async function answered(userCode: unknown, answer: "allow" | "deny", by: Pick<Person, "email"> = person) {
  const { browser, page } = await untilAsked(userCode, by);
  return answerOn(browser, page.html, answer);
}

describe("a device", () => {
  test("gets its tokens by a library once somebody has let it in, although its object is evicted", async () => {
    const [server, client] = [await discover(), { client_id: app.id }];
    const request = await oauth.deviceAuthorizationRequest(server, client, oauth.None(), { scope: SCOPE }, HTTP);
    const begun = await oauth.processDeviceAuthorizationResponse(server, client, request);
    expect(begun).toMatchObject({
      user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
      verification_uri: `${ISSUER}/account/device`,
      verification_uri_complete: `${ISSUER}/account/device?user_code=${begun.user_code}`,
      expires_in: 600,
      interval: 5,
    });
    const ask = () => oauth.deviceCodeGrantRequest(server, client, oauth.None(), begun.device_code, HTTP);
    await expect(oauth.processDeviceCodeResponse(server, client, await ask())).rejects.toMatchObject({
      error: "authorization_pending",
    });
    await evictDurableObject(objectOf(begun.user_code));
    const done = await answered(begun.user_code, "allow");
    await evictDurableObject(objectOf(begun.user_code));
    expect([done.status, done.html.includes("Set-top box is signed in")]).toEqual([200, true]);
    const tokens = await oauth.processDeviceCodeResponse(server, client, await ask());
    expect(oauth.getValidatedIdTokenClaims(tokens)).toMatchObject({ sub: person.userId, email: person.email });
    const again = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), tokens.refresh_token ?? "", HTTP);
    expect(again.status).toBe(200);
    const audited = "SELECT actor_id FROM audit_events WHERE action = 'app.device_approved' AND target_id = ?";
    expect(await rowsOf(audited, app.id)).toContainEqual({ actor_id: person.userId });
  });

  test("is told when nobody has answered, when it asks too often, when it is refused and when it is over", async () => {
    const { body } = await start();
    expect(await errorOf(body["device_code"])).toBe("authorization_pending");
    expect(await errorOf(body["device_code"])).toBe("slow_down");
    expect((await answered(body["user_code"], "deny")).html).toContain("is not signed in");
    expect(await errorOf(body["device_code"])).toBe("access_denied");
    await runDurableObjectAlarm(objectOf(body["user_code"]));
    expect(await errorOf(body["device_code"])).toBe("expired_token");
    const entered = await new Browser().open(`/account/device?user_code=${body["user_code"]}`);
    expect([entered.status, entered.html.includes("Invalid or expired code")]).toEqual([401, true]);
  });

  test("may ask after its interval, which grows by five seconds each time that it does not wait", async () => {
    const { body } = await start();
    const now = Date.now();
    vi.useFakeTimers({ toFake: ["Date"], now });
    const at = async (seconds: number) => {
      vi.setSystemTime(now + seconds * 1000);
      return errorOf(body["device_code"]);
    };
    const pending = "authorization_pending";
    expect([await at(0), await at(5), await at(7), await at(12), await at(27)]).toEqual([
      pending,
      pending,
      "slow_down",
      "slow_down",
      pending,
    ]);
    vi.useRealTimers();
  });

  test("gets its tokens once: of 20 requests at once one wins", async () => {
    const { body } = await start();
    await answered(body["user_code"], "allow");
    const here = { "cf-connecting-ip": newAddress() };
    const answers = await Promise.all(Array.from({ length: 20 }, () => poll(body["device_code"], app, here)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ body: said }) => said["error"] === "invalid_grant")).toHaveLength(19);
  });

  test("has one answer: of 20 at once the first stands", async () => {
    const { body } = await start();
    const kept = await objectOf(body["user_code"]).read();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => objectOf(body["user_code"]).answer(kept?.id ?? "", { error: `${n}` })),
    );
    expect(answers.filter(Boolean)).toHaveLength(1);
  });

  test("of one client opens nothing for another, and an invented code nothing for anybody", async () => {
    const { body } = await start();
    await answered(body["user_code"], "allow");
    const other = await newApp({ grants: GRANTS, type: "native" });
    expect(await errorOf(body["device_code"], other)).toBe("invalid_grant");
    expect(await errorOf(`${String(body["device_code"]).slice(0, -4)}AAAA`)).toBe("invalid_grant");
    expect((await poll(body["device_code"])).status).toBe(200);
  });

  test("with a secret must show it for its tokens, and uses nothing up without", async () => {
    const web = await newApp({ grants: GRANTS });
    const { body } = await start(web);
    await answered(body["user_code"], "allow");
    const stolen = { ...web, secret: "pcs_0000000000000000000000000000000000000000" };
    expect(await errorOf(body["device_code"], stolen)).toBe("invalid_client");
    expect((await poll(body["device_code"], web)).status).toBe(200);
  });

  test.each<[what: string, fields: Record<string, unknown>, error: string]>([
    ["a client without the grant", {}, "unauthorized_client"],
    ["no scope that it may have", { grants: GRANTS, scopes: ["openid"], scope: "email" }, "invalid_scope"],
  ])("is refused for %s", async (_what, { scope, ...fields }, error) => {
    const { status, body } = await start(await newApp(fields), scope === undefined ? {} : { scope: String(scope) });
    expect([status, body["error"]]).toEqual([400, error]);
  });

  test("gets nothing once its session has ended, or its app was blocked, between answer and request", async () => {
    const by = await signUpVerified();
    const { body } = await start();
    await answered(body["user_code"], "allow", by);
    await env.DB.prepare("DELETE FROM sessions WHERE user_id = ?").bind(by.userId).run();
    expect(await errorOf(body["device_code"])).toBe("invalid_grant");
  });
});

describe("letting a device in", () => {
  test("takes a click that names app, program, place and code, also where nothing else is asked", async () => {
    const own = await newApp({ name: "Own box", consent: "skip", grants: GRANTS });
    const browser = new Browser();
    await finished(own, person, browser);
    const { body } = await start(own, {}, { "cf-connecting-ip": "198.51.100.44" });
    // Whoever has made the device ask sends a link: the one with the code, and the one behind the first click.
    const link = await browser.open(`/account/device?user_code=${body["user_code"]}`);
    const attacker = await new Browser().open("/account/device", { form: { user_code: String(body["user_code"]) } });
    const { page } = await browser.follow(attacker.next ?? "/nowhere");
    for (const { html } of [link, page]) {
      for (const shown of ["Own box", "Chrome on Linux", "198.51.100.44", String(body["user_code"])]) {
        expect(html).toContain(shown);
      }
    }
    expect(await errorOf(body["device_code"], own)).toBe("authorization_pending");
    expect((await answerOn(browser, page.html, "allow")).status).toBe(200);
    expect((await poll(body["device_code"], own)).status).toBe(200);
    expect(await rowsOf("SELECT 1 FROM oauth_consents WHERE client_id = ?", own.id)).toEqual([]);
  });

  test("is for whoever was asked: the page of one person answers for nobody else", async () => {
    const { body } = await start();
    const { page } = await untilAsked(body["user_code"]);
    const { browser } = await untilAsked(body["user_code"], await signUpVerified());
    expect((await answerOn(browser, page.html, "allow")).status).toBe(403);
    const foreign = {
      form: { ask: fieldOf(page.html, "ask"), answer: "allow" },
      headers: { origin: "https://x.example" },
    };
    expect((await browser.open("/account/consent", foreign)).status).toBe(403);
    expect(await errorOf(body["device_code"])).toBe("authorization_pending");
  });

  test("says so when the device's request has ended meanwhile", async () => {
    const { body } = await start();
    const { browser, page } = await untilAsked(body["user_code"]);
    await runDurableObjectAlarm(objectOf(body["user_code"]));
    expect((await answerOn(browser, page.html, "allow")).status).toBe(400);
  });

  test.each<[typed: string, code: string | null]>([
    ["WDJB-MJHT", "WDJBMJHT"],
    [" wdjb mjht ", "WDJBMJHT"],
    ["WDJB-MJH", null],
    ["WDJB-MJHA", null],
    ["", null],
  ])("takes a code as people type it: %j", (typed, code) => {
    expect(readUserCode(typed)).toBe(code);
  });
});

describe("guessing and floods", () => {
  const look = (ip: string) =>
    new Browser().open("/account/device?user_code=BBBB-BBBB", { headers: { "cf-connecting-ip": ip } });

  test("of 40 codes at once from one address 30 are looked up", async () => {
    const ip = newAddress();
    const answers = await Promise.all(Array.from({ length: 40 }, () => look(ip)));
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(30);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(10);
  });

  test("a person enters ten codes in a minute, from however many addresses", async () => {
    const { browser } = await untilAsked((await start()).body["user_code"], await signUpVerified());
    const cookie = [...browser.jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const statuses: number[] = [];
    for (let n = 0; n < 12; n += 1) {
      const headers = { cookie, "cf-connecting-ip": newAddress() };
      statuses.push((await new Browser().open("/account/device?user_code=BBBB-BBBB", { headers })).status);
    }
    expect(statuses).toEqual([...Array(10).fill(401), 429, 429]);
  });

  test("devices that ask hold no rows, and more than the service takes get 503", async () => {
    const tables = ["oauth_grants", "oauth_consents", "used_states", "audit_events"];
    const rows = async () =>
      Promise.all(tables.map((table) => env.DB.prepare(`SELECT count(*) AS n FROM ${table}`).first<number>("n")));
    const before = await rows();
    const statuses = await Promise.all(Array.from({ length: 20 }, async () => (await start()).status));
    expect([new Set(statuses), await rows()]).toEqual([new Set([200]), before]);
    const RATE_LIMITS = JSON.stringify({ devices: { limit: 1, windowSeconds: 600 } });
    const form = { ...proofOf(app), scope: SCOPE };
    const full = await callUnder({ RATE_LIMITS }, { path: "/oauth/device", form, ip: newAddress() });
    expect([full.status, full.body.error, full.headers.get("retry-after")]).toEqual([
      503,
      "temporarily_unavailable",
      "5",
    ]);
  });

  test("a request for tokens that nobody has answered costs no trip to D1, and an invented one neither", async () => {
    await readSigners();
    const { body } = await start();
    for (const code of [String(body["device_code"]), `pod_BBBBBBBB.${"a".repeat(22)}.${"a".repeat(43)}`]) {
      const { counted, cost } = countedEnv();
      const form = { ...proofOf(app), grant_type: DEVICE_GRANT, device_code: code };
      const answer = await callUnder({ ...counted }, { path: "/oauth/token", form, ip: newAddress() });
      expect([answer.status, cost.trips]).toEqual([400, 0]);
    }
  });
});
