/** What strangers can call, and what it costs the databases before a limit by address counts them. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import worker from "../../src";
import { app } from "../../src/app";
import { makeChecked } from "../../src/base/crypto/checked-token";
import { RULES } from "../../src/base/limits/rules";
import { makeKey } from "../../src/identity/api-keys/key";
import { newSourceId } from "../../src/webhooks/hops/source-id";
import { newSlug, openCatalogue } from "../support/catalogue";
import { newAddress, signUpVerified } from "../support/client";
import { countedEnv, readSigners } from "../support/cost";

const LIMIT = 3;
const RATE_LIMITS = JSON.stringify(
  Object.fromEntries(Object.entries(RULES).map(([name, rule]) => [name, { ...rule, limit: LIMIT }])),
);

const FORM = "application/x-www-form-urlencoded";

interface Sent {
  /** In place of the parameters of the path; the query follows. */
  at?: string;
  headers?: Record<string, string>;
  /** The fields of a form or of a JSON body. */
  fields?: Record<string, string>;
}

/**
 * What a call of a stranger may cost: no trip at all; one that all calls of a second or a minute share; or, before it
 * is counted, one, and none once the address has used up its limit.
 */
type Costs = "nothing" | "shared" | "counted";
type Stranger = [costs: Costs, send?: () => Sent];

const hex = (characters: number) => crypto.randomUUID().replaceAll("-", "").repeat(4).slice(0, characters);
const jwt = (typ: string, kid: string) =>
  [
    { alg: "ES256", typ, kid },
    { sub: "a", sid: "b", tid: "c", iss: "d", iat: 1, exp: 9_999_999_999 },
  ]
    .map((part) => btoa(JSON.stringify(part)).replaceAll("=", ""))
    .join(".")
    .concat(`.${"A".repeat(86)}`);
const bearer = (credential: string): Sent => ({ headers: { authorization: `Bearer ${credential}` } });
const cookie = (name: string, value: string): Sent => ({ headers: { cookie: `__Host-postern-${name}=${value}` } });
const mailed = (): Sent => ({ at: `?token=${hex(64)}` });

/** The routes that answer whoever asks, by hand, each with what costs it most. */
const LOGOUT = jwt("logout+jwt", "k");

/** A form of a provider for a connection that there is not. */
const toConnection = (act: string, fields: Record<string, string>) =>
  ({ at: `${crypto.randomUUID()}/${act}`, headers: { "content-type": FORM }, fields }) satisfies Sent;

const ROUTES: Record<string, Stranger> = {
  "GET /": ["nothing"],
  "GET /health": ["counted", () => ({ at: "?deep=1" })],
  "GET /.well-known/jwks.json": ["shared"],
  "GET /.well-known/openid-configuration": ["shared"],
  "GET /.well-known/oauth-authorization-server": ["shared"],
  "GET /.well-known/revoked": ["shared"],
  "GET /.well-known/webhook-keys/:id": ["counted", () => ({ at: crypto.randomUUID() })],
  "GET /.well-known/connections/:id/jwks.json": ["counted", () => ({ at: `${crypto.randomUUID()}/jwks.json` })],
  "GET /saml/:id/metadata": ["counted", () => ({ at: `${crypto.randomUUID()}/metadata` })],
  "GET /api/v1/openapi.json": ["nothing"],
  "GET /api/v1/in/:sourceId": ["nothing"],
  "GET /postern.tgz": ["nothing"],
  "GET /postern-0.1.0.tgz": ["nothing"],
  "GET /llms.txt": ["nothing"],
  "GET /docs": ["nothing"],
  "GET /docs/assets/:file": ["nothing", () => ({ at: "docs.css" })],
  "GET /docs/:page": ["nothing", () => ({ at: "limits" })],
  "GET /docs/:folder/:page": ["nothing", () => ({ at: "client/auth" })],
  "GET /console/assets/:version/:file": ["nothing"],
  // Whether anybody signs on, an isolate reads once a minute.
  "GET /console/sign-in": ["shared"],
  "POST /console/sign-in/address": ["counted", () => ({ fields: { email: "a@example.com" } })],
  "POST /console/sign-in/sign-on": ["nothing", () => ({ fields: { email: "a@example.com" } })],
  "POST /console/sign-in": ["counted", () => ({ fields: { email: "a@example.com", password: hex(20) } })],
  "GET /console/sign-in/passkey/options": ["counted"],
  "POST /console/sign-in/passkey": ["counted"],
  "GET /console/sign-in/code": ["nothing", () => cookie("sign-in", hex(64))],
  "POST /console/sign-in/code": ["counted", () => ({ fields: { totp: "123456" }, ...cookie("sign-in", hex(64)) })],
  "POST /console/sign-out": ["nothing"],
  "GET /console/register": ["nothing", () => ({ at: `?invitation=${hex(64)}` })],
  "POST /console/register": ["counted", () => ({ fields: { email: "a@example.com", password: hex(20) } })],
  "POST /console/register/passkey/options": ["counted", () => ({ fields: { email: "a@example.com" } })],
  "POST /console/register/passkey": ["counted"],
  "GET /console/verify-email": ["counted", mailed],
  "POST /console/verify-email": ["counted", () => ({ fields: { token: hex(64) } })],
  "GET /console/forgot-password": ["nothing"],
  "POST /console/forgot-password": ["counted", () => ({ fields: { email: "a@example.com" } })],
  "GET /console/reset-password": ["nothing", mailed],
  "POST /console/reset-password": ["counted", () => ({ fields: { token: hex(64), newPassword: hex(20) } })],
  "GET /console/accept-invitation": ["counted", mailed],
  "POST /console/accept-invitation": ["nothing", () => ({ fields: { token: hex(64) } })],
  "POST /console/resend-verification": ["nothing"],
  "GET /console/sign-in/mail": ["nothing"],
  "POST /console/sign-in/mail": ["counted", () => ({ fields: { email: "a@example.com" } })],
  "GET /console/sign-in/mail/code": ["nothing", () => cookie("mail-code", hex(64))],
  "POST /console/sign-in/mail/code": [
    "counted",
    () => ({ fields: { code: "123456" }, ...cookie("mail-code", hex(64)) }),
  ],
  "GET /console/not-me": ["counted", mailed],
  "POST /console/not-me": ["counted", () => ({ fields: { token: hex(64) } })],
  "GET /console/oauth": ["counted", () => ({ at: `?code=${hex(64)}` })],
  "POST /console/oauth": ["counted", () => ({ fields: { code: hex(64) } })],
  "POST /console/oauth/mail-code": ["counted", () => ({ fields: { code: hex(64) } })],
  "GET /console/remove-two-factor": ["counted", mailed],
  "POST /console/remove-two-factor": ["counted", () => ({ fields: { token: hex(64) } })],
  "GET /console/confirm-email": ["nothing", mailed],
  "POST /console/confirm-email": ["nothing", () => ({ fields: { token: hex(64) } })],
  "GET /portal/open": ["nothing", mailed],
  "GET /setup/open": ["nothing", mailed],
  "POST /setup/open": ["counted", () => ({ fields: { token: makeKey("sl_") } })],
  "POST /portal/open": ["counted", () => ({ fields: { token: makeKey("pl_") } })],
  "GET /catalog/:slug": ["counted", () => ({ at: newSlug() })],
  "GET /catalog/:slug/:file": ["counted", () => ({ at: `${newSlug()}/types.ts` })],
  "GET /catalog/:slug/:name": ["counted", () => ({ at: `${newSlug()}/order.paid` })],
  "POST /api/v1/auth/register": ["counted", () => ({ fields: { email: "a@example.com", password: hex(20) } })],
  "POST /api/v1/auth/register/passkey/options": ["counted", () => ({ fields: { email: "a@example.com" } })],
  "POST /api/v1/auth/register/passkey": ["counted"],
  "POST /api/v1/auth/login": ["counted", () => ({ fields: { email: "a@example.com", password: hex(20) } })],
  "POST /api/v1/auth/code": ["counted", () => ({ fields: { email: "a@example.com" } })],
  "POST /api/v1/auth/code/verify": ["counted", () => ({ fields: { state: hex(64), code: "123456" } })],
  "POST /api/v1/auth/passkeys/login/options": ["counted"],
  "POST /api/v1/auth/passkeys/login": ["counted"],
  "GET /api/v1/auth/sign-on": ["counted", () => ({ at: `?connection=${crypto.randomUUID()}` })],
  "GET /api/v1/auth/sign-on/:connection/initiate": ["counted", () => ({ at: `${crypto.randomUUID()}/initiate` })],
  "POST /api/v1/auth/sign-on/:connection/initiate": ["counted", () => ({ at: `${crypto.randomUUID()}/initiate` })],
  // A cookie that we did not make is seen without a trip.
  "GET /api/v1/auth/sign-on/:connection/callback": ["nothing", () => ({ at: `${crypto.randomUUID()}/callback` })],
  "POST /api/v1/auth/sign-on/:connection/acs": ["counted", () => toConnection("acs", { SAMLResponse: hex(64) })],
  "GET /api/v1/auth/sign-on/:connection/finish": ["nothing", () => ({ at: `${crypto.randomUUID()}/finish?answer=x` })],
  "POST /api/v1/auth/sign-on/discover": ["counted", () => ({ fields: { email: "a@example.com" } })],
  "POST /api/v1/auth/sign-on/mail": ["nothing", () => ({ fields: { email: "a@example.com" } })],
  "GET /account/sign-on": ["nothing", mailed],
  "GET /account/sign-on/required": ["nothing"],
  "GET /account/sign-on/start": ["counted", () => ({ at: `?connection=${crypto.randomUUID()}` })],
  // A link that we did not seal is seen without a trip.
  "POST /account/sign-on": ["nothing", () => ({ fields: { token: hex(64) } })],
  "POST /api/v1/auth/sign-on/:connection/logout": ["counted", () => toConnection("logout", { logout_token: LOGOUT })],
  "GET /api/v1/auth/oauth/:provider": ["counted", () => ({ at: "google" })],
  "GET /api/v1/auth/oauth/:provider/callback": ["counted", () => ({ at: `google/callback?code=a&state=${hex(64)}` })],
  "POST /api/v1/auth/oauth/exchange": ["counted", () => ({ fields: { code: hex(64) } })],
  "POST /api/v1/auth/refresh": ["counted"],
  // A token that we did not make is seen without a trip.
  "POST /api/v1/auth/logout": ["nothing", () => ({ fields: { refreshToken: `${crypto.randomUUID()}.1.${hex(43)}` } })],
  "POST /api/v1/auth/invitations/look-up": ["counted", () => ({ fields: { token: hex(64) } })],
  "POST /api/v1/auth/verify-email": ["counted", () => ({ fields: { token: hex(64) } })],
  "POST /api/v1/auth/not-me": ["counted", () => ({ fields: { token: hex(64) } })],
  "POST /api/v1/auth/2fa/remove": ["counted", () => ({ fields: { token: hex(64) } })],
  "POST /api/v1/auth/forgot-password": ["counted", () => ({ fields: { email: "a@example.com" } })],
  "POST /api/v1/auth/reset-password": ["counted", () => ({ fields: { token: hex(64), newPassword: hex(20) } })],
};

/** The pages on which people sign in to apps are those of the console. */
const SHARED =
  /^(GET|POST) \/console\/(sign-in|sign-out|register|verify|forgot|reset|resend|accept|not-me|oauth|remove|confirm)/;
for (const [route, stranger] of Object.entries(ROUTES)) {
  const forApps = route.replace("/console/", "/account/").replace("/register", "/sign-up");
  if (SHARED.test(route)) ROUTES[forApps] = stranger;
}
/** Without the id of a client that could be one of ours, apps cost nothing. */
const FOR_APPS = ["oauth/authorize", "oauth/logout", "oauth/userinfo", "account/consent", "account/select-account"];
for (const route of [...FOR_APPS, "account/device", "account/tenant"].flatMap((at) => [`GET /${at}`, `POST /${at}`])) {
  ROUTES[route] = ["nothing"];
}
ROUTES["GET /.well-known/oauth-protected-resource/api/v1"] = ["shared"];
for (const at of ["token", "par", "device", "revoke", "introspect", "register"]) {
  ROUTES[`POST /oauth/${at}`] = ["nothing"];
}
ROUTES["POST /account/verify-email/resend"] = ["nothing"];
ROUTES["GET /account"] = ["counted"];
ROUTES["GET /account/oauth/:provider"] = ["counted", () => ({ at: "google" })];

/** The routes that need a credential, with each kind of one that nobody was given. */
const CREDENTIALS: Record<string, Stranger> = {
  "GET /metrics": ["counted", () => bearer(hex(32))],
  "POST /api/v1/in/:sourceId": ["counted", () => ({ at: newSourceId(), fields: {} })],
  "GET /api/v1/listen/:id/socket": [
    "nothing",
    () => ({
      at: `${crypto.randomUUID()}/socket`,
      headers: { "sec-websocket-protocol": `postern.listen.v1, ${hex(64)}` },
    }),
  ],
  "GET /setup/domains": ["counted", () => cookie("setup", `${crypto.randomUUID()}.${hex(64)}`)],
  "GET /portal/webhooks": ["counted", () => cookie("portal", `${crypto.randomUUID()}.${hex(64)}`)],
  "GET /console/people": ["nothing", () => cookie("session", jwt("console+jwt", "k"))],
  "GET /api/v1/webhooks": ["nothing", () => bearer(jwt("at+jwt", "k"))],
  "GET /api/v1/webhooks with an API key": ["counted", () => bearer(makeKey("ak_"))],
  "GET /api/v1/webhooks with a platform key": ["counted", () => bearer(makeKey("psk_"))],
  "GET /api/v1/webhooks with a portal token": ["counted", () => bearer(makeKey("pt_"))],
  "POST /api/v1/events with an API key": ["counted", () => bearer(makeKey("ak_"))],
  "GET /api/v1/feeds/:id/events": [
    "counted",
    () => ({ at: `${crypto.randomUUID()}/events`, ...bearer(makeChecked("psf_", 34)) }),
  ],
};

interface Answer {
  status: number;
  location: string | null;
  trips: number;
}

async function ask(route: string, { at, headers = {}, fields }: Sent, ip: string): Promise<Answer> {
  const [method = "", pattern = ""] = route.split(" ");
  const before = pattern.includes(":") ? pattern.slice(0, pattern.indexOf(":")) : pattern;
  const path = at === undefined ? pattern.replace(/:\w+(\{[^}]*\})?/g, "x") : before + at;
  const isForm = !path.startsWith("/api/") || headers["content-type"] === FORM;
  const type = isForm ? FORM : "application/json";
  const request = new Request<unknown, IncomingRequestCfProperties>(`http://postern.test${path}`, {
    method,
    redirect: "manual",
    headers: {
      "cf-connecting-ip": ip,
      ...(method === "GET" ? {} : { "content-type": type, origin: "http://postern.test" }),
      ...headers,
    },
    body: method === "GET" ? null : isForm ? new URLSearchParams(fields) : JSON.stringify(fields ?? {}),
  });
  const { counted, cost } = countedEnv();
  const context = createExecutionContext();
  const response = await worker.fetch(request, { ...counted, RATE_LIMITS }, context);
  await response.arrayBuffer();
  await waitOnExecutionContext(context);
  return { status: response.status, location: response.headers.get("location"), trips: cost.trips };
}

describe.each([
  ["without a credential", ROUTES],
  ["with a credential that nobody was given", CREDENTIALS],
])("%s", (_, strangers) => {
  test.each(Object.entries(strangers))("%s", async (route, [costs, send = () => ({})]) => {
    await readSigners();
    const ip = newAddress();
    const answers: Answer[] = [];
    for (let call = 0; call <= LIMIT + 1; call += 1) answers.push(await ask(route, send(), ip));
    const counted = answers.filter(({ status }) => status !== 429);
    if (costs === "shared") {
      expect(answers.reduce((sum, { trips }) => sum + trips, 0)).toBeLessThan(answers.length);
    } else if (costs === "nothing") {
      expect(answers.map(({ trips }) => trips)).toEqual(answers.map(() => 0));
    } else {
      expect(counted.length).toBeLessThanOrEqual(LIMIT);
      expect(answers.at(-1)).toMatchObject({ status: 429, trips: 0 });
    }
  });
});

test("every other route is refused without a trip to whoever has no credential", async () => {
  const others = new Set(
    app.routes
      .filter(({ method, path }) => method !== "ALL" && !path.endsWith("*"))
      .map(({ method, path }) => `${method} ${path.replace(/\{[^}]*\}/g, "")}`)
      .filter((route) => !(route in ROUTES)),
  );
  expect(others.size).toBeGreaterThan(200);
  await readSigners();
  for (const route of others) {
    const { status, location, trips } = await ask(route, {}, newAddress());
    const isRefused = status === 401 || (status === 303 && /^\/(console|account)\/sign-in/.test(location ?? ""));
    expect([route, isRefused, trips]).toEqual([route, true, 0]);
  }
});

test("a /48 of IPv6 counts as eight addresses, whatever is asked, also before a look-up", async () => {
  const network = `2001:db8:${hex(4)}`;
  const asked = { at: newSourceId() };
  for (let host = 0; host < 8; host += 1) {
    for (let call = 0; call < LIMIT; call += 1) {
      const { status } = await ask("POST /api/v1/in/:sourceId", { at: newSourceId() }, `${network}:${host}::1`);
      expect(status).toBe(401);
    }
  }
  expect((await ask("POST /api/v1/in/:sourceId", asked, `${network}:9::1`)).status).toBe(429);
  expect(await ask("POST /api/v1/in/:sourceId", asked, `${network}:a::1`)).toMatchObject({ status: 429, trips: 0 });
});

test("of 100 unknown credentials at once, an address has no more looked up than its network may", async () => {
  const ip = newAddress();
  const answers = await Promise.all(
    Array.from({ length: 100 }, () => ask("GET /api/v1/webhooks", bearer(makeKey("ak_")), ip)),
  );
  expect(answers.filter(({ status }) => status === 401)).toHaveLength(LIMIT);
  expect(answers.reduce((sum, { trips }) => sum + trips, 0)).toBeLessThanOrEqual(8 * LIMIT);
});

test("a catalogue has a budget of its own, over all addresses", async () => {
  const slug = await openCatalogue(await signUpVerified());
  const answers: Answer[] = [];
  for (let call = 0; call <= LIMIT; call += 1)
    answers.push(await ask("GET /catalog/:slug", { at: slug }, newAddress()));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
  expect(answers.at(-1)?.trips).toBe(1);
});
