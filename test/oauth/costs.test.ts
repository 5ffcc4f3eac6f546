/** What the calls of apps cost D1, and that performance.md says so. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";
import worker from "../../src";
import {
  type App,
  answerOn,
  asksSignIn,
  Browser,
  begin,
  exchangeOf,
  type Flow,
  forgetClientsKey,
  ISSUER,
  newApp,
  proofOf,
  signInOn,
} from "../support/apps";
import { newAddress, type Person, signUpVerified } from "../support/client";
import { countedEnv, readSigners } from "../support/cost";
import { newInbox } from "../support/receiver";

const { "../../src/docs/pages/performance.md": performance = "" } = import.meta.glob(
  "../../src/docs/pages/performance.md",
  { query: "?raw", import: "default", eager: true },
);
const ROW = /^\| (\S.*?) +\| +(\d+) \| +(\d+) \|$/gm;
const { counted, cost } = countedEnv();
const browser = new Browser(counted as unknown as Record<string, string>);
let app: App;
let person: Person;

beforeAll(async () => {
  forgetClientsKey();
  [app, person] = [await newApp(), await signUpVerified()];
  // That a client was used is noted once a minute.
  await env.DB.prepare("UPDATE oauth_clients SET last_used_at = ?").bind(Date.now()).run();
  await readSigners();
});

const disconnect = async () => {
  const headers = { "cf-connecting-ip": newAddress(), authorization: `Bearer ${person.token}` };
  const url = `${ISSUER}/api/v1/auth/apps/${app.id}.${person.tenantId}`;
  const context = createExecutionContext();
  const response = await worker.fetch(new Request(url, { method: "DELETE", headers }) as never, counted, context);
  await waitOnExecutionContext(context);
  expect(response.status).toBe(200);
};

async function send(path: string, form: Record<string, string> | null, token?: string) {
  const context = createExecutionContext();
  const request = new Request(`${ISSUER}${path}`, {
    method: form ? "POST" : "GET",
    headers: { "cf-connecting-ip": newAddress(), ...(token ? { authorization: `Bearer ${token}` } : {}) },
    body: form && new URLSearchParams(form),
  });
  const response = await worker.fetch(request as never, counted, context);
  const text = await response.text();
  await waitOnExecutionContext(context);
  return { status: response.status, body: (text === "" ? {} : JSON.parse(text)) as Record<string, string> };
}

const costs: Record<string, [trips: number, rows: number]> = {};
async function costOf<T>(call: string | null, work: Promise<T>): Promise<T> {
  const { trips, rowsWritten } = { ...cost };
  const done = await work;
  if (call !== null) costs[call] = [cost.trips - trips, cost.rowsWritten - rowsWritten];
  return done;
}

/** Goes to the page that asks, whose answer costs what `call` names. */
async function allowed(flow: Flow, call: string | null): Promise<URL> {
  let { page } = await browser.follow(flow.url);
  if (asksSignIn(page.html)) {
    ({ page } = await browser.follow((await signInOn(browser, page.html, person)).next ?? ""));
  }
  return new URL((await costOf(call, answerOn(browser, page.html, "allow"))).next ?? "");
}

const redeem = (call: string | null, flow: Flow, answered: URL, of = app) =>
  costOf(call, send("/oauth/token", exchangeOf(of, flow, answered)));

const connect = async (call: string | null, scope = "openid offline_access") => {
  const flow = await begin(app, { scope, prompt: "consent" });
  const { body } = await redeem(call, flow, await allowed(flow, null));
  return body;
};

/** What needs other apps, and nobody's page. */
async function priceMachines(): Promise<void> {
  const resource = `${ISSUER}/api/v1`;
  const fields = {
    grants: ["authorization_code", "client_credentials"],
    resources: [{ identifier: resource, scopes: ["*"] }],
  };
  const machine = await newApp(fields);
  await env.DB.prepare("UPDATE oauth_clients SET last_used_at = ? WHERE id = ?").bind(Date.now(), machine.id).run();
  const asked = { ...proofOf(machine), grant_type: "client_credentials", resource, tenant: person.tenantId };
  await costOf("the token of a program", send("/oauth/token", { ...asked, scope: "webhook.read" }));
  const { searchParams } = new URL((await begin(machine)).url);
  const pushed = { ...Object.fromEntries(searchParams), ...proofOf(machine) };
  await costOf("a pushed request", send("/oauth/par", pushed));
}

/** Returns what an app sends the browser with to sign out. */
async function signedInToThree(): Promise<URLSearchParams> {
  const told = await newApp({ backchannelLogoutUrl: newInbox("200").url });
  let idToken = "";
  for (const to of [told, app, await newApp(), told]) {
    // The first event of the platform in a day writes a row more.
    for (const table of ["oauth_grants", "oauth_consents"]) {
      await env.DB.prepare(`DELETE FROM ${table} WHERE client_id = ?`).bind(told.id).run();
    }
    const flow = await begin(to, { scope: "openid" });
    const { body } = await redeem(null, flow, await allowed(flow, null), to);
    idToken = body["id_token"] ?? "";
  }
  return new URLSearchParams({ id_token_hint: idToken });
}

test("what the calls of apps cost is what performance.md says", async () => {
  const first = await begin(app, { scope: "openid" });
  await redeem("a code: the first of a session and an app", first, await allowed(first, "the answer to the question"));
  const again = await begin(app, { scope: "openid" });
  const { next } = await costOf("a request with nothing to ask", browser.open(again.url));
  const { body: tokens } = await redeem("a code: another", again, new URL(next ?? ""));
  await costOf("userinfo", send("/oauth/userinfo", null, tokens["access_token"]));
  await connect("a code with a refresh token: the first of a person and an app");
  const { refresh_token: refreshToken = "" } = await connect("a code with a refresh token: another");
  const form = { ...proofOf(app), grant_type: "refresh_token", refresh_token: refreshToken };
  const { body: renewed } = await costOf("a refresh", send("/oauth/token", form));
  const token = { ...proofOf(app), token: renewed["refresh_token"] ?? "" };
  await costOf("introspection", send("/oauth/introspect", token));
  await costOf("a token given back", send("/oauth/revoke", token));
  await connect(null);
  await costOf("an app with three connections disconnected", disconnect());
  await priceMachines();
  const hint = await signedInToThree();
  await costOf("a sign-out with three apps, one of which is told", browser.open(`/oauth/logout?${hint}`));
  expect(costs).toEqual(
    Object.fromEntries(
      [...performance.matchAll(ROW)]
        .filter(([, call = ""]) => call in costs)
        .map(([, call, trips, rows]) => [call, [Number(trips), Number(rows)]]),
    ),
  );
});
