/** D1 has committed what an app asked for, and the answer is lost: the app sends it again, and goes on. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { decodeJwt } from "jose";
import { beforeAll, expect, test } from "vitest";
import worker from "../../src";
import {
  type App,
  Browser,
  begin,
  exchangeOf,
  finished,
  forgetClientsKey,
  ISSUER,
  newApp,
  proofOf,
  redeem,
  rowsOf,
  signInTo,
} from "../support/apps";
import { newAddress, type Person, signUpVerified } from "../support/client";
import { consumeBatch, type Key } from "../support/engine";
import { newInbox } from "../support/receiver";

const AFTER = "https://shop.example/signed-out";
const inbox = newInbox("200");
const address = newAddress();
let app: App;
let person: Person;
let isLosing = false;

/** D1 that loses the connection after the next batch that has written something. */
const DB = {
  prepare: (query: string) => env.DB.prepare(query),
  batch: async (statements: D1PreparedStatement[]) => {
    const results = await env.DB.batch(statements);
    if (isLosing && results.some(({ meta }) => meta.rows_written > 0)) {
      isLosing = false;
      throw new Error("D1_ERROR: Network connection lost.");
    }
    return results;
  },
} as unknown as D1Database;
const losing = { ...env, DB } as Env;

beforeAll(async () => {
  forgetClientsKey();
  app = await newApp({ postLogoutUrls: [AFTER], backchannelLogoutUrl: inbox.url });
  person = await signUpVerified();
  // When a client was last used is noted apart.
  await env.DB.prepare("UPDATE oauth_clients SET last_used_at = ? WHERE id = ?").bind(Date.now(), app.id).run();
});

async function post(path: string, form: Record<string, string>) {
  const context = createExecutionContext();
  const headers = { "cf-connecting-ip": address };
  const request = new Request(`${ISSUER}${path}`, { method: "POST", headers, body: new URLSearchParams(form) });
  const response = await worker.fetch(request as never, losing, context);
  const text = await response.text();
  await waitOnExecutionContext(context);
  return { status: response.status, body: (text === "" ? {} : JSON.parse(text)) as Record<string, string> };
}

/** Sends a form whose answer is lost, and sends it again. */
async function repeated(path: string, form: Record<string, string>) {
  isLosing = true;
  expect((await post(path, form)).status).toBeGreaterThanOrEqual(500);
  expect(isLosing).toBe(false);
  return post(path, form);
}

const connect = () => finished(app, person, undefined, { scope: "openid offline_access" });
const refreshBy = (token: string) => ({ ...proofOf(app), grant_type: "refresh_token", refresh_token: token });

test("of a code: it is refused without harm, and the next sign-in asks nothing and is the same one", async () => {
  const [flow, browser] = [await begin(app), new Browser()];
  const answered = await signInTo(flow, person, browser);
  const { status, body } = await repeated("/oauth/token", exchangeOf(app, flow, answered));
  expect([status, body["error"]]).toEqual([400, "invalid_grant"]);
  const [kept, ...others] = await rowsOf(
    "SELECT id FROM oauth_grants WHERE user_id = ? AND client_id = ?",
    person.userId,
    app.id,
  );
  const next = await begin(app, { prompt: "none" });
  const { claims } = await redeem(next, new URL((await browser.open(next.url)).next ?? ""));
  expect([claims["sid"], others]).toEqual([kept?.["id"], []]);
});

test("of a refresh: the token gives its successor again, which works", async () => {
  const { tokens } = await connect();
  const { status, body } = await repeated("/oauth/token", refreshBy(tokens.refresh_token ?? ""));
  expect(status).toBe(200);
  expect((await post("/oauth/token", refreshBy(body["refresh_token"] ?? ""))).status).toBe(200);
});

test("of a token given back: it is given back once more, and has ended", async () => {
  const { tokens } = await connect();
  const token = tokens.refresh_token ?? "";
  expect((await repeated("/oauth/revoke", { ...proofOf(app), token })).status).toBe(200);
  expect((await post("/oauth/token", refreshBy(token))).body["error"]).toBe("invalid_grant");
});

test("of a sign-out: the browser returns to the app, which is told once, also by a Worker that dies", async () => {
  const browser = new Browser({ DB } as never);
  const { tokens, claims } = await finished(app, person, browser);
  const params = { id_token_hint: tokens.id_token ?? "", post_logout_redirect_uri: AFTER };
  const address = `/oauth/logout?${new URLSearchParams(params)}`;
  isLosing = true;
  const lost = await browser.open(address);
  const again = await browser.open(address);
  expect([lost.status >= 500, isLosing, again.next]).toEqual([true, false, AFTER]);
  const owed = await rowsOf(
    `SELECT o.id, o.queue, o.due_at AS dueAt, o.subscription_id AS subscriptionId, o.bytes
      FROM outbox o JOIN events e ON e.id = o.event_id WHERE e.payload ->> '$.sid' = ?`,
    String(claims["sid"]),
  );
  expect(owed).toHaveLength(1);
  const [key] = owed as unknown as Key[];
  // The call is made, and what came of it is committed; the Worker never learns that.
  isLosing = true;
  await consumeBatch([{ shard: 0, due: [key] }], undefined, { DB }).catch(() => 0);
  isLosing = false;
  await consumeBatch([{ shard: 0, due: [key] }]);
  const sent = (await inbox.received())
    .map(({ body }) => decodeJwt(new URLSearchParams(body).get("logout_token") ?? ""))
    .filter(({ sid }) => sid === claims["sid"]);
  expect([sent.length >= 1, new Set(sent.map(({ jti }) => jti)).size]).toEqual([true, 1]);
});
