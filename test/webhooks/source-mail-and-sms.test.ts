/** Sources of providers that send forms, put the signature into the body, or ask whose the URL is. */
import { exports } from "cloudflare:workers";
import { expect, test } from "vitest";
import { toBase64, utf8 } from "../../src/base/crypto/encoding";
import { call, type Person, signUpVerified } from "../support/client";
import { create, deliver, eventsOf, hex, nowSeconds, SECRET, send } from "../support/sources";

const FORM = { "content-type": "application/x-www-form-urlencoded" };
/** As "Securing webhooks" of Mailgun's documentation says: an HMAC of the time and the token. */
const mailgun = async (token: string, seconds = nowSeconds()) => ({
  timestamp: String(seconds),
  token,
  signature: await hex(`${seconds}${token}`),
});

const mailgunBody = async (token: string, data: object = {}, seconds?: number) =>
  JSON.stringify({ signature: await mailgun(token, seconds), "event-data": { id: "e1", event: "delivered", ...data } });

test("mailgun: a token works once and for a day, in JSON and in a form; nothing else does", async () => {
  const person = await signUpVerified();
  const { id } = await create(person, "mailgun");
  const twenty = await Promise.all(Array.from({ length: 20 }, async () => send(id, await mailgunBody("t1"))));
  expect(twenty.map(({ status }) => status).sort()).toEqual([...Array(19).fill(200), 202]);
  expect((await send(id, await mailgunBody("t1", { event: "failed" }))).body).toEqual({ message: "Already received" });
  const form = new URLSearchParams({ ...(await mailgun("t2")), event: "opened", recipient: "ü@e.example" });
  expect((await send(id, String(form), FORM)).status).toBe(202);
  const bodies = [
    await mailgunBody("t3", {}, nowSeconds() - 86_500),
    (await mailgunBody("t4")).replace("t4", "t5"),
    '{"signature":null}',
    "null",
    '{"signature":{"timestamp":{},"token":[],"signature":1}}',
  ];
  for (const body of bodies) expect([body, (await send(id, body)).status]).toEqual([body, 401]);
  expect((await eventsOf(person)).map(({ type }: { type: string }) => type)).toEqual([
    "mailgun.opened",
    "mailgun.delivered",
  ]);
});

async function signedTwilio(url: string, body: string): Promise<Record<string, string>> {
  const form = [...new URLSearchParams(body)].sort(([one], [other]) => (one < other ? -1 : 1));
  const content = url + form.flat().join("");
  const key = await crypto.subtle.importKey("raw", utf8(SECRET), { name: "HMAC", hash: "SHA-1" }, false, ["sign"]);
  const signature = new Uint8Array(await crypto.subtle.sign("HMAC", key, utf8(content)));
  return { ...FORM, "x-twilio-signature": toBase64(signature) };
}

test.each([
  ["MessageSid=SM1&MessageStatus=delivered&Body=", "twilio.message.delivered"],
  ["MessageSid=SM1&SmsStatus=received&Body=a%26b+%F0%9F%98%80", "twilio.message.received"],
  ["CallSid=CA1&CallStatus=completed", "twilio.call.completed"],
  ["AccountSid=AC1", "twilio.webhook"],
])("twilio: %s becomes %s, is answered without a body, and is an event once", async (body, type) => {
  const person = await signUpVerified();
  const { id, url } = await create(person, "twilio");
  const token = { "i-twilio-idempotency-token": "i1" };
  const headers = { ...(await signedTwilio(url, body)), ...token };
  for (const answer of [await send(id, body, headers), await send(id, body, headers)]) {
    expect([answer.status, answer.body]).toEqual([200, ""]);
  }
  const [event, ...others] = await eventsOf(person);
  expect([event.type, others]).toEqual([type, []]);
  expect((await payloadsOf(person))[0]).toEqual(Object.fromEntries(new URLSearchParams(body)));
});

const payloadsOf = async (person: Person) => {
  const { data } = (await call("GET", "/events", { token: person.token })).body;
  const shown = data.map(({ id }: { id: string }) => call("GET", `/events/${id}`, { token: person.token }));
  return (await Promise.all<{ body: { data: { payload: unknown } } }>(shown)).map(({ body }) => body.data.payload);
};

test.each<[string, string, unknown]>([
  [
    `payload=${encodeURIComponent('{"type":"block_actions","trigger_id":"1.2","n":1}')}`,
    "slack.block_actions",
    { type: "block_actions", trigger_id: "1.2", n: 1 },
  ],
  [
    "command=%2Fweather&text=94070&trigger_id=1.2&list=a&list=b",
    "slack.slash_command",
    JSON.parse('{"command":"/weather","text":"94070","trigger_id":"1.2","list":["a","b"]}'),
  ],
])("slack: the form %s becomes %s once, and is answered without a body", async (body, type, payload) => {
  const person = await signUpVerified();
  const { id } = await create(person, "slack");
  for (const answer of [await deliver(id, "slack", body, FORM), await deliver(id, "slack", body, FORM)]) {
    expect([answer.status, answer.body]).toEqual([200, ""]);
  }
  expect((await deliver(id, "slack", "ssl_check=1&token=x", FORM)).status).toBe(200);
  expect((await eventsOf(person)).map((event: { type: string }) => event.type)).toEqual([type]);
  expect(await payloadsOf(person)).toEqual([payload]);
});

test("a form of anybody else becomes its fields, or the JSON that it is; a mark of the byte order is passed over", async () => {
  const person = await signUpVerified();
  const options = { verification: { header: "X-Signature", prefix: "s=" }, type: { pointer: "/event" } };
  const { id } = await create(person, "hmac", options);
  for (const [body, more] of [
    ["event=signup&payload=no", FORM],
    ['\u{feff}{"event":"bom"}', {}],
    ['{"event":7}', FORM],
  ] as const) {
    expect((await send(id, body, { ...more, "x-signature": `s=${await hex(body)}` })).status).toBe(202);
  }
  expect(await payloadsOf(person)).toEqual([{ event: 7 }, { event: "bom" }, { event: "signup", payload: "no" }]);
});

const TOKEN = { verification: { header: "Authorization", algorithm: "token" } };
const byHash = async (body: string) => ({ "x-keycloak-signature": await hex(body) });
const byToken = async () => ({ authorization: SECRET });

test.each<[string, string, string, object, (body: string) => Promise<Record<string, string>>]>([
  [
    "Okta",
    '{"eventType":"com.okta.event_hook","eventId":"b5","data":{"events":[{"eventType":"user.lifecycle.create"}]}}',
    "user.lifecycle.create",
    { ...TOKEN, type: { pointer: "/data/events/0/eventType" }, dedupe: { path: "/eventId" } },
    byToken,
  ],
  [
    "FusionAuth",
    '{"event":{"type":"user.create.complete","id":"e8","createInstant":1505762615056,"user":{"email":null}}}',
    "user.create.complete",
    { ...TOKEN, type: { pointer: "/event/type" }, dedupe: { path: "/event/id" } },
    byToken,
  ],
  [
    "Auth0",
    '[{"log_id":"90020","data":{"type":"ss","date":"2026-11-21T16:04:18.000Z"}}]',
    "auth0.logs",
    { ...TOKEN, typePrefix: "auth0.", type: { fixed: "logs" } },
    byToken,
  ],
  [
    "Keycloak",
    '{"uid":"u1","type":"access.REGISTER","time":1700000000000,"details":{"username":"Ada Lovelace"}}',
    "access.REGISTER",
    { verification: { header: "X-Keycloak-Signature" }, type: { pointer: "/type" }, dedupe: { path: "/uid" } },
    byHash,
  ],
])("%s: %s becomes %s, once", async (_name, body, type, options, headersOf) => {
  const person = await signUpVerified();
  const { id } = await create(person, "hmac", options);
  const sent = async () => (await send(id, body, await headersOf(body))).status;
  expect([await sent(), await sent()]).toEqual([202, 200]);
  expect((await send(id, body, { authorization: "Bearer no", "x-keycloak-signature": "00" })).status).toBe(401);
  expect(await eventsOf(person)).toMatchObject([{ type }]);
});

test("a GET repeats what Okta and WebSub ask to learn whose the URL is, for any id, and nothing else", async () => {
  const { id } = await create(await signUpVerified(), "hmac", { ...TOKEN, type: { fixed: "a" } });
  const ask = async (query: string, headers: Record<string, string> = {}) => {
    const { status, body } = await call("GET", `/in/${id}${query}`, { headers });
    return [status, typeof body === "string" ? body : (body.verification ?? body.code)];
  };
  expect(await ask("", { "x-okta-verification-challenge": "a-challenge_0" })).toEqual([200, "a-challenge_0"]);
  expect(await ask(`?hub.mode=subscribe&hub.verify_token=${id}&hub.challenge=1158201444`)).toEqual([200, "1158201444"]);
  for (const query of ["", "?hub.challenge=1", `?hub.verify_token=${id}&hub.challenge=%3Cscript%3E`]) {
    expect(await ask(query)).toEqual([405, "METHOD_NOT_ALLOWED"]);
  }
  const { status } = await exports.default.fetch(`http://postern.test/api/v1/in/${id}`, { method: "HEAD" });
  expect(status).toBe(200);
});
