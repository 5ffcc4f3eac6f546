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
  expect(await ask("?challenge=dropbox_or-nylas.1")).toEqual([200, "dropbox_or-nylas.1"]);
  for (const query of [
    "",
    "?challenge=%3Cb%3E",
    "?hub.challenge=1",
    `?hub.verify_token=${id}&hub.challenge=%3Cscript%3E`,
  ]) {
    expect(await ask(query)).toEqual([405, "METHOD_NOT_ALLOWED"]);
  }
  const { status } = await exports.default.fetch(`http://postern.test/api/v1/in/${id}`, { method: "HEAD" });
  expect(status).toBe(200);
});

test("a POST of Asana, Smartsheet or WooCommerce that only asks is answered, for any id, and leaves nothing", async () => {
  const person = await signUpVerified();
  const { id } = await create(person, "hmac", { ...TOKEN, type: { fixed: "a" } });
  for (const [asked, answered] of [
    ["x-hook-secret", "x-hook-secret"],
    ["smartsheet-hook-challenge", "smartsheet-hook-response"],
  ] as const) {
    for (const source of [id, "src_x"]) {
      const { status, body, headers } = await send(source, "{}", { [asked]: "b537207f20cbfa02" });
      expect([status, body, headers.get(answered)]).toEqual([200, "", "b537207f20cbfa02"]);
    }
    expect((await send(id, "{}", { [asked]: "<b>" })).status).toBe(401);
  }
  expect(await send(id, "webhook_id=12", FORM)).toMatchObject({ status: 200, body: "" });
  expect((await send(id, "webhook_id=12&x=1", FORM)).status).toBe(401);
  expect(await eventsOf(person)).toEqual([]);
});

test("a call whose token is in X-Hook-Secret is an event, not a question", async () => {
  const person = await signUpVerified();
  const verification = { header: "X-Hook-Secret", algorithm: "token" };
  const secret = "b537207f20cbfa02b537207f";
  const { id } = await create(person, "hmac", { secrets: [secret], verification, type: { fixed: "a" } });
  expect((await send(id, '{"n":1}', { "x-hook-secret": secret })).status).toBe(202);
  expect(await eventsOf(person)).toHaveLength(1);
});

const ZOOM = {
  header: "x-zm-signature",
  prefix: "v0=",
  timestampHeader: "x-zm-request-timestamp",
  content: "v0:{timestamp}:{body}",
};
const TWITCH = { header: "Twitch-Eventsub-Message-Signature", prefix: "sha256=" };
const zoomed = (plainToken: string) => JSON.stringify({ event: "endpoint.url_validation", payload: { plainToken } });

test("what Zoom, Twitch, Lark and Azure ask in a signed call is answered as they want it, and nothing in another call", async () => {
  const person = await signUpVerified();
  const zoom = await create(person, "hmac", {
    secrets: [SECRET, "another signing secret"],
    verification: ZOOM,
    type: { pointer: "/event" },
  });
  const asked = async (body: string, secret: string) => {
    const [t, signed] = [nowSeconds(), await hex(`v0:${nowSeconds()}:${body}`, secret)];
    const headers = { "x-zm-request-timestamp": String(t), "x-zm-signature": `v0=${signed}` };
    const { status, body: answer } = await send(zoom.id, body, headers);
    return [status, answer];
  };
  for (const secret of [SECRET, "another signing secret"]) {
    const encryptedToken = await hex("qgg8vlvZRS6UYooatFL8Aw", secret);
    expect(await asked(zoomed("qgg8vlvZRS6UYooatFL8Aw"), secret)).toEqual([
      200,
      { plainToken: "qgg8vlvZRS6UYooatFL8Aw", encryptedToken },
    ]);
  }
  expect((await asked(zoomed("a token"), "no secret of this source"))[0]).toBe(401);
  // What could be a call is not signed for anybody.
  expect(await asked(zoomed("v0:1735689600:{}"), SECRET)).toEqual([202, { message: "Accepted" }]);

  const twitch = await create(person, "hmac", { verification: TWITCH, type: { pointer: "/subscription/type" } });
  const sent = async (body: string, headers: object) =>
    (await send(twitch.id, body, { "twitch-eventsub-message-signature": `sha256=${await hex(body)}`, ...headers }))
      .body;
  const verification = { "twitch-eventsub-message-type": "webhook_callback_verification" };
  expect(await sent('{"challenge":"pogchamp-kappa-360noscope-vohiyo"}', verification)).toBe(
    "pogchamp-kappa-360noscope-vohiyo",
  );
  expect(await sent('{"challenge":"c","token":"t","type":"url_verification"}', {})).toEqual({ challenge: "c" });
  const azure = { "aeg-event-type": "SubscriptionValidation" };
  expect(await sent('[{"data":{"validationCode":"512d38b6"}}]', azure)).toEqual({ validationResponse: "512d38b6" });
  expect(await eventsOf(person)).toHaveLength(1);
});

test("Discord gets an empty 204 and Xero an empty 200, for what they ask and for events, and 401 for what is not theirs", async () => {
  const person = await signUpVerified();
  const pair = (await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"])) as CryptoKeyPair;
  const publicKey = new Uint8Array((await crypto.subtle.exportKey("raw", pair.publicKey)) as ArrayBuffer);
  const discord = await create(person, "hmac", {
    secrets: [Buffer.from(publicKey).toString("hex")],
    verification: {
      header: "X-Signature-Ed25519",
      algorithm: "ed25519",
      timestampHeader: "X-Signature-Timestamp",
      content: "{timestamp}{body}",
    },
    type: { pointer: "/event/type" },
  });
  const sent = async (body: string, signedBody = body) => {
    const time = String(nowSeconds());
    const signed = await crypto.subtle.sign("Ed25519", pair.privateKey, utf8(time + signedBody));
    const headers = { "x-signature-timestamp": time, "x-signature-ed25519": Buffer.from(signed).toString("hex") };
    const { status, body: answer } = await send(discord.id, body, headers);
    return [status, status === 401 ? answer.code : answer];
  };
  expect(await sent('{"version":1,"application_id":"1","type":0}')).toEqual([204, undefined]);
  expect(await sent('{"type":0}', '{"type":1}')).toEqual([401, "UNAUTHENTICATED"]);
  const event =
    '{"type":1,"event":{"type":"APPLICATION_AUTHORIZED","timestamp":"2024-10-18T14:42:53.064834","data":{}}}';
  for (let n = 0; n < 2; n += 1) expect(await sent(event)).toEqual([204, undefined]);

  const verification = { header: "x-xero-signature", encoding: "base64" };
  const xero = await create(person, "hmac", { verification, type: { fixed: "xero.events" }, dedupe: false });
  const intent = '{"events":[],"lastEventSequence":0,"firstEventSequence":0,"entropy":"S0m3r4Nd0mt3xt"}';
  const signature = Buffer.from(await hex(intent), "hex").toString("base64");
  const { status, body } = await send(xero.id, intent, { "x-xero-signature": signature });
  expect([status, body]).toEqual([200, ""]);
  expect((await send(xero.id, `${intent} `, { "x-xero-signature": signature })).status).toBe(401);
  expect((await eventsOf(person)).map(({ type }: { type: string }) => type)).toEqual([
    "xero.events",
    "APPLICATION_AUTHORIZED",
  ]);
});
