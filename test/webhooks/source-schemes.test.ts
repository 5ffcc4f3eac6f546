/** The provider `hmac`: schemes of signatures of others, with what they or their libraries have published. */
import { describe, expect, test } from "vitest";
import { toBase64, toHex, utf8 } from "../../src/base/crypto/encoding";
import { hmac } from "../../src/base/crypto/webhook-signature";
import { SOURCE_OPTIONS } from "../../src/webhooks/sources/option-schemas";
import { refusalOf } from "../../src/webhooks/sources/verify";
import { call, signUp, signUpVerified } from "../support/client";
import { create, SECRET, send } from "../support/sources";

const ZEROS = "0".repeat(64);

interface Sample {
  verification: object;
  secret: string;
  body: string;
  headers: Record<string, string>;
  at: string;
}

const refusal = ({ verification, secret, body, headers, at }: Sample) =>
  refusalOf(
    {
      provider: "hmac",
      options: { verification: SOURCE_OPTIONS.verification.parse(verification) },
      secrets: ["another", secret],
    },
    { headers: new Headers(headers), body: utf8(body) },
    Date.parse(at),
  );

/** The time and the signature stand in one header. */
const timed = (header: string, prefix: string, timestampPrefix: string, content: string) => ({
  header,
  prefix,
  timestampHeader: header,
  timestampPrefix,
  content,
});

const PAGERDUTY_BODY =
  '{"event":{"id":"01BWDWL3NYY7LUFPZCC28QUCMK","event_type":"incident.priority_updated","resource_type":"incident",' +
  '"occurred_at":"2021-04-26T17:36:27.458Z","agent":{"html_url":"https://acme.pagerduty.com/users/PLH1HKV",' +
  '"id":"PLH1HKV","self":"https://api.pagerduty.com/users/PLH1HKV","summary":"Tenex Engineer",' +
  '"type":"user_reference"},"client":null,"data":{"id":"PGR0VU2","type":"incident",' +
  '"self":"https://api.pagerduty.com/incidents/PGR0VU2","html_url":"https://acme.pagerduty.com/incidents/PGR0VU2",' +
  '"number":2,"status":"triggered","title":"A little bump in the road","service":{' +
  '"html_url":"https://acme.pagerduty.com/services/PF9KMXH","id":"PF9KMXH",' +
  '"self":"https://api.pagerduty.com/services/PF9KMXH","summary":"API Service","type":"service_reference"},' +
  '"assignees":[{"html_url":"https://acme.pagerduty.com/users/PTUXL6G","id":"PTUXL6G",' +
  '"self":"https://api.pagerduty.com/users/PTUXL6G","summary":"User 123","type":"user_reference"}],' +
  '"escalation_policy":{"html_url":"https://acme.pagerduty.com/escalation_policies/PUS0KTE","id":"PUS0KTE",' +
  '"self":"https://api.pagerduty.com/escalation_policies/PUS0KTE","summary":"Default",' +
  '"type":"escalation_policy_reference"},"teams":[{"html_url":"https://acme.pagerduty.com/teams/PFCVPS0",' +
  '"id":"PFCVPS0","self":"https://api.pagerduty.com/teams/PFCVPS0","summary":"Engineering",' +
  '"type":"team_reference"}],"priority":{"html_url":"https://acme.pagerduty.com/account/incident_priorities",' +
  '"id":"PSO75BM","self":"https://api.pagerduty.com/priorities/PSO75BM","summary":"P1",' +
  '"type":"priority_reference"},"urgency":"high","conference_bridge":{"conference_number":1000,' +
  '"conference_url":"https://example.com"},"resolve_reason":null}}}';
const PAGERDUTY_SIGNATURE = "v1=0c0b9495b893a39e70d1fea2fe11fbe0a825f88b9f67846f6cc07dd2bc5476cd";

const SAMPLES: Record<string, Sample> = {
  "PagerDuty, as its Go library tests it, in a rotation": {
    verification: { header: "X-PagerDuty-Signature", prefix: "v1=" },
    secret: "lDQHScfUeXUKaQRNF+8XIiDKZ7XX3itBAYzwU0TARw8lJqRnkKl2iB1anSb0Z+IK",
    body: PAGERDUTY_BODY,
    headers: { "x-pagerduty-signature": `v1=${ZEROS},${PAGERDUTY_SIGNATURE}` },
    at: "2021-04-26T17:36:27Z",
  },
  "Mux, as its libraries test it": {
    verification: timed("Mux-Signature", "v1=", "t=", "{timestamp}.{body}"),
    secret: "SuperSecret123",
    body: '{"test":"body"}',
    headers: {
      "mux-signature": "t=1565125718,v1=854ece4c22acef7c66b57d4e504153bc512595e8e9c772ece2a68150548c19a7",
    },
    at: "2019-08-06T21:08:38Z",
  },
  "Box, as its libraries test it: ISO 8601": {
    verification: {
      header: "Box-Signature-Primary",
      encoding: "base64",
      timestampHeader: "Box-Delivery-Timestamp",
      content: "{body}{timestamp}",
    },
    secret: "SamplePrimaryKey",
    body:
      '{"type":"webhook_event","webhook":{"id":"1234567890"},"trigger":"FILE.UPLOADED",' +
      '"source":{"id":"1234567890","type":"file","name":"Test.txt"}}',
    headers: {
      "box-delivery-timestamp": "2020-01-01T00:00:00-07:00",
      "box-signature-primary": "6TfeAW3A1PASkgboxxA5yqHNKOwFyMWuEXny/FPD5hI=",
    },
    at: "2020-01-01T07:00:00Z",
  },
  "Zendesk, as its documentation has it": {
    verification: {
      header: "X-Zendesk-Webhook-Signature",
      encoding: "base64",
      timestampHeader: "X-Zendesk-Webhook-Signature-Timestamp",
      content: "{body}{timestamp}",
    },
    secret: "HRkRd4BeOAoUkfZr-mhauJT64rvBASlJRoIyPsd3zeA=",
    body: '{"say": "hello"}',
    headers: {
      "x-zendesk-webhook-signature-timestamp": "2021-07-25T10:00:00Z",
      "x-zendesk-webhook-signature": "tRDSF7URY8BLCDlaBcQ7FHu051Zk+aAB0NKMP53teMw=",
    },
    at: "2021-07-25T10:00:00Z",
  },
  "HubSpot, as its Node library signs: milliseconds": {
    verification: {
      header: "X-HubSpot-Signature-v3",
      encoding: "base64",
      timestampHeader: "X-HubSpot-Request-Timestamp",
      content: "POSThttps://postern.example.com/api/v1/in/src_1{body}{timestamp}",
    },
    secret: "1234abcd-1234-abcd-1234-1234abcd1234",
    body: '[{"eventId":1,"subscriptionType":"contact.creation"}]',
    headers: {
      "x-hubspot-request-timestamp": "1735689600000",
      "x-hubspot-signature-v3": "5GQ4ZCjsKpZLk2vJfCuMXfhOMdoX/uFW2M0AOFVtYqk=",
    },
    at: "2025-01-01T00:00:00Z",
  },
  "WorkOS, as its Node library signs: a comma and a space": {
    verification: timed("WorkOS-Signature", "v1=", "t=", "{timestamp}.{body}"),
    secret: "workos secret",
    body: '{"id":"wh_1","event":"dsync.user.created","data":{"id":"u"}}',
    headers: {
      "workos-signature": "t=1735689600000, v1=8ecdc861e18e45d65d078696328bd296028e7c5a0e351879ae60f5161b5413c9",
    },
    at: "2025-01-01T00:00:00Z",
  },
  "Twitch, as its documentation says: an id and a time in nanoseconds": {
    verification: {
      header: "Twitch-Eventsub-Message-Signature",
      prefix: "sha256=",
      idHeader: "Twitch-Eventsub-Message-Id",
      timestampHeader: "Twitch-Eventsub-Message-Timestamp",
      content: "{id}{timestamp}{body}",
    },
    secret: "s3cre77890ab",
    body: '{"subscription":{"type":"channel.follow"}}',
    headers: {
      "twitch-eventsub-message-id": "e76c6bd4-55c9-4987-8304-da1588d8988b",
      "twitch-eventsub-message-timestamp": "2019-11-16T10:11:12.634234626Z",
      "twitch-eventsub-message-signature": "sha256=c369810f5df5ef95adfcc98508022022f32411051b8267434e955983598bbb1b",
    },
    at: "2019-11-16T10:11:12Z",
  },
  "Zoom, as its documentation says": {
    verification: {
      header: "x-zm-signature",
      prefix: "v0=",
      timestampHeader: "x-zm-request-timestamp",
      content: "v0:{timestamp}:{body}",
    },
    secret: "zoom secret token",
    body: '{"event":"meeting.started"}',
    headers: {
      "x-zm-request-timestamp": "1735689600",
      "x-zm-signature": "v0=dfc0afb5d4934edb7122ed7d54445a88898a9308a3cc7e2866039a56bcbfb907",
    },
    at: "2025-01-01T00:00:00Z",
  },
  "Typeform, as its documentation says": {
    verification: { header: "Typeform-Signature", prefix: "sha256=", encoding: "base64" },
    secret: "typeform secret",
    body: '{"event_id":"LtWXD3crgy","event_type":"form_response"}',
    headers: { "typeform-signature": "sha256=vTb5uRcQfVbjpj3FbtxBQNAxrgZKxhglowIsec5CCrE=" },
    at: "2025-01-01T00:00:00Z",
  },
  "Intercom, as its documentation says": {
    verification: { header: "X-Hub-Signature", prefix: "sha1=", algorithm: "sha1" },
    secret: "intercom client secret",
    body: '{"type":"notification_event","topic":"user.created"}',
    headers: { "x-hub-signature": "sha1=3e9fd186163cd40832cb31aead405c1c8f233876" },
    at: "2025-01-01T00:00:00Z",
  },
  "HMAC-SHA-1 of RFC 2202, as Vercel sends it": {
    verification: { header: "x-vercel-signature", algorithm: "sha1" },
    secret: "Jefe",
    body: "what do ya want for nothing?",
    headers: { "x-vercel-signature": "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79" },
    at: "2025-01-01T00:00:00Z",
  },
};

test.each(Object.entries(SAMPLES))(
  "%s: the sample is right, and with another body it is not",
  async (_name, sample) => {
    expect(await refusal(sample)).toBeNull();
    expect(await refusal({ ...sample, body: `${sample.body} ` })).toBe("signature");
  },
);

test.each(Object.entries(SAMPLES).filter(([, { verification }]) => "timestampHeader" in verification))(
  "%s: the tolerance holds",
  async (_name, sample) => {
    const at = (offset: number) => new Date(Date.parse(sample.at) + offset * 1000).toISOString();
    expect([await refusal({ ...sample, at: at(300) }), await refusal({ ...sample, at: at(301) })]).toEqual([
      null,
      "timestamp",
    ]);
  },
);

describe("a header with the time and signatures", () => {
  const seconds = 1_735_689_600;
  const sample = async (verification: object, header: (right: string) => string, separator = "."): Promise<Sample> => ({
    verification,
    secret: SECRET,
    body: "{}",
    headers: { "x-s": header(toHex(await hmac("SHA-256", utf8(SECRET), `${seconds}${separator}{}`))) },
    at: "2025-01-01T00:00:00Z",
  });
  const COMMAS = timed("X-S", "v1=", "t=", "{timestamp}.{body}");

  test.each<[string, object, (right: string) => string, string?]>([
    ["Paddle", timed("X-S", "h1=", "ts=", "{timestamp}:{body}"), (r) => `ts=${seconds};h1=${ZEROS};h1=${r}`, ":"],
    ["Cloudflare Stream", timed("X-S", "sig1=", "time=", "{timestamp}.{body}"), (r) => `time=${seconds},sig1=${r}`],
    ["Persona, rotating", COMMAS, (r) => `t=${seconds},v1=${ZEROS} t=${seconds},v1=${r}`],
    ["Recurly", timed("X-S", "", "", "{timestamp}.{body}"), (r) => `${seconds},${ZEROS},${r}`],
    [
      "a scheme whose prefix has a comma",
      timed("X-S", "v1,", "t,", "{timestamp}.{body}"),
      (r) => `t,${seconds} v1,${r}`,
    ],
  ])("of %s is taken", async (_name, verification, header, separator) => {
    expect(await refusal(await sample(verification, header, separator))).toBeNull();
  });

  test.each([`${seconds}.25`, `${seconds}000`, `${seconds}000000`, `${seconds}000000000`, "2025-01-01T00:00:00+0000"])(
    "takes the time %s",
    async (time) => {
      const right = toHex(await hmac("SHA-256", utf8(SECRET), `${time}.{}`));
      const given = await sample(COMMAS, () => `t=${time},v1=${right}`);
      const later = new Date((seconds + 301) * 1000).toISOString();
      expect([await refusal(given), await refusal({ ...given, at: later })]).toEqual([null, "timestamp"]);
    },
  );

  test.each<[string, (right: string) => string]>([
    ["two times", (r) => `t=${seconds},t=${seconds + 1},v1=${r}`],
    ["no time", (r) => `v1=${r}`],
    ["a time that is none", (r) => `t=soon,v1=${r}`],
    ["no signature", () => `t=${seconds}`],
    [
      "32 wrong entries before the right one",
      (r) => [`t=${seconds}`, ...Array(31).fill(`v1=${ZEROS}`), `v1=${r}`].join(","),
    ],
    ["what two headers become", (r) => `t=${seconds},v1=${r}, t=${seconds},v1=${r}`],
  ])("and %s is refused", async (_name, header) => {
    expect(await refusal(await sample(COMMAS, header))).toBe("signature");
  });
});

test.each(["base64 in the alphabet of URLs", "a secret in it, with whsec_ before it"])("%s is read", async (what) => {
  const key = new Uint8Array(32).fill(251);
  const inUrls = (bytes: Uint8Array) => toBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  const isSecret = what.startsWith("a secret");
  const secret = isSecret ? `whsec_${inUrls(key)}` : toBase64(key);
  const verification = { header: "X-S", encoding: "base64", secretEncoding: "base64" };
  const headers = { "x-s": inUrls(await hmac("SHA-256", key, "{}")) };
  expect(await refusal({ verification, secret, body: "{}", headers, at: "2025-01-01T00:00:00Z" })).toBeNull();
});

test("a plain token is compared with the secrets, and a wrong or a repeated one is refused", async () => {
  const person = await signUpVerified();
  const verification = { header: "X-Gitlab-Token", algorithm: "token" };
  const { id } = await create(person, "hmac", { verification, type: { header: "X-Gitlab-Event" } });
  const sent = async (body: string, token?: string) =>
    (
      await send(id, body, {
        "x-gitlab-event": "Push Hook",
        ...(token === undefined ? {} : { "x-gitlab-token": token }),
      })
    ).status;
  expect(await sent('{"n":1}', SECRET)).toBe(202);
  const wrong = [undefined, "", `${SECRET}x`, SECRET.slice(1), `${SECRET}, ${SECRET}`];
  for (const token of wrong) expect([token, await sent('{"n":2}', token)]).toEqual([token, 401]);
  expect((await call("GET", "/events", { token: person.token })).body.data).toMatchObject([{ type: "Push_Hook" }]);
});

test.each([
  ["content", { content: "{timestmap}.{body}", timestampHeader: "X-T" }],
  ["content", { content: "{body}.{secret}" }],
  ["content", { content: "{{body}}" }],
  ["timestampPrefix", { timestampPrefix: "t=" }],
  ["content", { algorithm: "token", content: "{id}.{body}", idHeader: "X-I" }],
  ["secretEncoding", { algorithm: "token", secretEncoding: "hex" }],
  ["content", { algorithm: "jwt", content: "{id}.{body}", idHeader: "X-I" }],
  ["bodyClaim", { bodyClaim: "sha256" }],
])("%s is refused in %j, which no call could fit", async (member, more) => {
  const { token } = await signUp();
  const verification = { header: "X-S", ...more };
  const body = { name: "n", provider: "hmac", secrets: [SECRET], verification, type: { fixed: "a" } };
  const { status, body: answer } = await call("POST", "/sources", { token, body });
  expect([status, answer.details?.[0].path]).toEqual([400, `verification.${member}`]);
});
