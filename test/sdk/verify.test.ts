/** postern/verify against the official library, its test vector, and deliveries of the service itself. */
import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { signBody, signStandard } from "../../src/base/crypto/webhook-signature";
import { parseExact } from "../../src/base/exact-json";
import { receive } from "../../src/docs/pages/verify/verify";
import { type PlainRequest, type VerifyOptions, verifyDelivery } from "../../src/sdk/verify";
import { signUp } from "../support/client";
import { newInbox, publish, subscribe } from "../support/receiver";
import { NOW_MS, verdictOn } from "../support/signing";

const SECRET = "a-signing-secret";
const NOW_SECONDS = NOW_MS / 1000;

interface Parts {
  secret?: string;
  body?: string;
  timestamp?: number;
  headers?: Record<string, string | undefined>;
}

/** A request as the service sends it. */
async function signed({ secret = SECRET, body = '{"order":42}', timestamp = NOW_SECONDS, headers }: Parts = {}) {
  return {
    headers: {
      "Webhook-Id": "msg_1",
      "Webhook-Timestamp": String(timestamp),
      "Webhook-Signature": await signStandard(secret, "msg_1", timestamp, body),
      "X-Webhook-Signature": await signBody(secret, body),
      "X-Webhook-Event": "OrderPaid",
      ...headers,
    } as Record<string, string>,
    body,
  };
}

const asRequest = ({ headers, body }: { headers: Record<string, string>; body: BodyInit }) =>
  new Request("http://subscriber.example/", { method: "POST", headers, body });

const verdict = (request: Request | PlainRequest, secrets: string | string[] = SECRET, options?: VerifyOptions) =>
  verdictOn(request, secrets, options);

describe("the type and the payload in the body", () => {
  const envelopes = {
    standard: { type: "order.paid", timestamp: "2026-01-01T00:00:00.000Z", data: { total: 1 } },
    cloudevents: { specversion: "1.0", id: "1", source: "s", type: "order.paid", data: { total: 1 } },
  };

  test.each(["standard", "cloudevents"] as const)("of the format %s are what the delivery has", async (format) => {
    const { headers, body } = await signed({ body: JSON.stringify(envelopes[format]) });
    const options = { format, nowMs: NOW_MS };
    const forged = { headers: { ...headers, "X-Webhook-Event": "order.eaten" }, body };
    const { "X-Webhook-Event": _, ...unnamed } = headers;
    for (const request of [{ headers, body }, forged, { headers: unnamed, body }]) {
      const { type, payload, id } = await verifyDelivery(request, SECRET, options);
      expect([type, payload, id]).toEqual(["order.paid", { total: 1 }, "msg_1"]);
    }
    const other = format === "standard" ? "cloudevents" : "standard";
    await expect(verifyDelivery({ headers, body }, SECRET, { ...options, format: other })).rejects.toMatchObject({
      reason: "MALFORMED_BODY",
    });
  });

  test.each(["1", "null", "[]", '{"order":42}', '{"type":1,"timestamp":"","data":1}', '{"type":"a","timestamp":""}'])(
    "of a body %s are missing: MALFORMED_BODY",
    async (body) => {
      const options = { format: "standard", nowMs: NOW_MS } as const;
      await expect(verifyDelivery(await signed({ body }), SECRET, options)).rejects.toMatchObject({
        reason: "MALFORMED_BODY",
      });
    },
  );

  test("keep the digits of their numbers with a library that does", async () => {
    const body = '{"type":"a","timestamp":"","data":{"id":12345678901234567890}}';
    const options = { format: "standard", nowMs: NOW_MS, json: { parse: parseExact } } as const;
    const { payload } = await verifyDelivery(await signed({ body }), SECRET, options);
    expect(JSON.stringify(payload)).toBe('{"id":12345678901234567890}');
  });

  test("of an unknown format is a mistake of the caller", async () => {
    const options = { format: "thin" as "standard", nowMs: NOW_MS };
    await expect(verifyDelivery(await signed(), SECRET, options)).rejects.toThrow(TypeError);
  });
});

describe("a genuine delivery", () => {
  test("from the service is accepted under both schemes, with its id, type, payload and correlation id", async () => {
    const person = await signUp();
    const inbox = newInbox("200");
    await subscribe(person, inbox.url);
    const payload = { order: 42, note: "naïve ✓ \ud83d\ude00" };
    await publish(person, payload, { correlationId: "trace 7" });
    const [received] = await inbox.arrived(1);
    if (!received) throw new Error("nothing has arrived");
    expect(new Webhook(SECRET, { format: "raw" }).verify(received.body, received.headers)).toEqual(payload);
    for (const scheme of ["standard", "body"] as const) {
      const delivery = await verifyDelivery<typeof payload>(asRequest(received), SECRET, { scheme });
      expect(delivery).toEqual({
        id: received.headers["webhook-id"],
        type: "OrderPaid",
        timestamp: new Date(Number(received.headers["webhook-timestamp"]) * 1000),
        payload,
        body: received.body,
        correlationId: "trace 7",
      });
    }
  });

  test("is accepted as a Request, as text and as bytes, with header names in any letter case, in a Headers object or a record", async () => {
    const { headers, body } = await signed();
    const requests = [
      asRequest({ headers, body }),
      { headers, body },
      { headers, body: new TextEncoder().encode(body) },
      { headers: new Headers(headers), body },
      { headers: { ":method": "POST", ...headers, "set-cookie": ["a", "b"] }, body },
    ];
    for (const request of requests) expect(await verdict(request)).toBe("accepted");
  });

  test.each(["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLjSw", "whsec_", "whsec_not base64!", "é☃"])(
    "is accepted with the secret %j",
    async (secret) => {
      const delivery = await signed({ secret });
      expect(await verdict(delivery, secret)).toBe("accepted");
      expect(await verdict(delivery, secret, { scheme: "body" })).toBe("accepted");
    },
  );

  test("is accepted if one of the first 32 entries is right, whatever the others are", async () => {
    const right = (await signed()).headers["Webhook-Signature"];
    const after = (odd: number) => [...Array<string>(odd).fill("v3,a,b"), right].join(" ");
    const given = async (odd: number) => verdict(await signed({ headers: { "Webhook-Signature": after(odd) } }));
    expect([await given(31), await given(32)]).toEqual(["accepted", "SIGNATURE_MISMATCH"]);
  });

  test("is accepted during a rotation whether the old or the new secret signed it, in any order", async () => {
    for (const secret of ["old", "new"]) {
      expect(await verdict(await signed({ secret }), ["old", "new"])).toBe("accepted");
      expect(await verdict(await signed({ secret }), ["new", "old"])).toBe("accepted");
      expect(await verdict(await signed({ secret }), ["other", "another"])).toBe("SIGNATURE_MISMATCH");
    }
  });

  test("is accepted with further signatures, by other secrets and of other versions", async () => {
    const { headers, body } = await signed();
    const signature = `v1a,AAAA v1,bm9uZQ== ${headers["Webhook-Signature"]}`;
    expect(await verdict({ headers: { ...headers, "Webhook-Signature": signature }, body })).toBe("accepted");
  });
});

describe("the Standard Webhooks scheme", () => {
  test("accepts the test vector of the official libraries", async () => {
    const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const headers = {
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
      "x-webhook-event": "test",
    };
    const clock = { nowMs: 1_614_265_330_000 };
    expect(await verdict({ headers, body: '{"test": 2432232314}' }, secret, clock)).toBe("accepted");
    expect(await verdict({ headers, body: '{"test": 2432232315}' }, secret, clock)).toBe("SIGNATURE_MISMATCH");
  });

  test("accepts what the official library signs", async () => {
    const secret = `whsec_${btoa("a key made by the library")}`;
    const { headers, body } = await signed({ body: '{"note":"naïve ✓"}' });
    headers["Webhook-Signature"] = new Webhook(secret).sign("msg_1", new Date(NOW_MS), body);
    expect(await verdict({ headers, body }, secret)).toBe("accepted");
  });
});

describe("verifyDelivery", () => {
  test.each([300, -300])("accepts a delivery signed %i seconds ago", async (seconds) => {
    expect(await verdict(await signed({ timestamp: NOW_SECONDS - seconds }))).toBe("accepted");
  });

  test.each([
    [301, "TIMESTAMP_TOO_OLD"],
    [-301, "TIMESTAMP_TOO_NEW"],
  ])("refuses a delivery signed %i seconds ago", async (seconds, reason) => {
    const delivery = await signed({ timestamp: NOW_SECONDS - seconds });
    expect(await verdict(delivery)).toBe(reason);
    expect(await verdict(delivery, SECRET, { scheme: "body" })).toBe(reason);
    expect(await verdict(delivery, SECRET, { toleranceSeconds: 301 })).toBe("accepted");
  });

  test.each([
    ["another body", { body: '{"order":43}' }],
    ["the same body with one more space", { body: '{"order": 42}' }],
    ["a byte order mark before the body", { body: '\ufeff{"order":42}' }],
    ["another id", { "Webhook-Id": "msg_2" }],
    ["another timestamp", { "Webhook-Timestamp": String(NOW_SECONDS + 1) }],
    ["a truncated signature", { "Webhook-Signature": "v1,AAAA" }],
    ["a signature without its version", { "Webhook-Signature": "AAAA" }],
    ["the signature of the other scheme", { "Webhook-Signature": `v1,${"0".repeat(64)}` }],
  ])("refuses %s", async (_, { body, ...headers }: Record<string, string | undefined>) => {
    const delivery = await signed({ headers });
    const bytes = new TextEncoder().encode(body ?? delivery.body);
    expect(await verdict({ ...delivery, body: bytes })).toBe("SIGNATURE_MISMATCH");
  });

  test("refuses a replay with only the signature of the body, unless the caller asks for that scheme", async () => {
    const { headers, body } = await signed({ headers: { "Webhook-Signature": undefined } });
    const replay = { headers: { ...headers, "Webhook-Id": "fresh", "Webhook-Timestamp": String(NOW_SECONDS) }, body };
    expect(await verdict(replay)).toBe("MISSING_HEADER");
    expect(await verdict(replay, SECRET, { scheme: "body" })).toBe("accepted");
    expect(await verdict({ ...replay, body: "{}" }, SECRET, { scheme: "body" })).toBe("SIGNATURE_MISMATCH");
  });

  test.each(["Webhook-Id", "Webhook-Timestamp", "Webhook-Signature", "X-Webhook-Event"])(
    "refuses a delivery without %s",
    async (name) => {
      expect(await verdict(await signed({ headers: { [name]: undefined } }))).toBe("MISSING_HEADER");
    },
  );

  test.each(["soon", "-1", "1e9", "01800000000", "1800000000.5", "NaN", "9".repeat(40)])(
    "refuses the timestamp %j",
    async (text) => {
      expect(await verdict(await signed({ headers: { "Webhook-Timestamp": text } }))).toBe("MALFORMED_TIMESTAMP");
    },
  );

  test("refuses a body that is not JSON, not UTF-8, too large, or already read", async () => {
    expect(await verdict(await signed({ body: "order=42" }))).toBe("MALFORMED_BODY");
    const { headers, body } = await signed();
    expect(await verdict({ headers, body: new Uint8Array([0xff, 0xfe]) })).toBe("MALFORMED_BODY");
    const limit = { maxBodyBytes: body.length - 1 };
    expect(await verdict(asRequest({ headers, body }), SECRET, limit)).toBe("BODY_TOO_LARGE");
    expect(await verdict({ headers, body }, SECRET, limit)).toBe("BODY_TOO_LARGE");
    expect(await verdict(asRequest({ headers, body }), SECRET, { maxBodyBytes: body.length })).toBe("accepted");
    const read = asRequest({ headers, body });
    await read.text();
    expect(await verdict(read)).toBe("BODY_ALREADY_READ");
  });

  test("stops reading an endless body", async () => {
    let parts = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(1024).fill(32 + (parts++ % 2))),
    });
    const { headers } = await signed();
    expect(await verdict(asRequest({ headers, body: endless }), SECRET, { maxBodyBytes: 10_000 })).toBe(
      "BODY_TOO_LARGE",
    );
    expect(parts).toBeLessThan(100);
  });

  test("throws a TypeError for options that would switch a check off", async () => {
    const delivery = await signed();
    const options = [{ toleranceSeconds: Number.NaN }, { maxBodyBytes: Number.NaN }, { scheme: "Standard" as "body" }];
    for (const option of options) {
      await expect(verifyDelivery(delivery, SECRET, option)).rejects.toBeInstanceOf(TypeError);
    }
  });

  test("throws a TypeError for an empty secret", async () => {
    const delivery = await signed();
    for (const secrets of ["", [], ["a", ""]]) {
      await expect(verifyDelivery(delivery, secrets)).rejects.toBeInstanceOf(TypeError);
    }
  });
});

test("the receiver on the docs page answers 200 to a genuine delivery and 400 with the reason to any other", async () => {
  const delivery = await signed({ timestamp: Math.floor(Date.now() / 1000) });
  const answers = [await receive(asRequest(delivery), ["new", SECRET]), await receive(asRequest(delivery), ["new"])];
  expect(answers.map(({ status }) => status)).toEqual([200, 400]);
  expect(await answers[1]?.text()).toBe("SIGNATURE_MISMATCH");
});
