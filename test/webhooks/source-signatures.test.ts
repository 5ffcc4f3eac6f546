/** The signatures of sources: what a provider has published is right, and nobody else can sign a call. */
import { Webhook } from "standardwebhooks";
import { describe, expect, test, vi } from "vitest";
import { publicKeyText } from "../../src/base/crypto/ed25519";
import { fromBase64, toBase64, utf8 } from "../../src/base/crypto/encoding";
import { hmac } from "../../src/base/crypto/webhook-signature";
import { refusalOf } from "../../src/webhooks/sources/verify";
import { HMAC, NOW_MS, SECRET, SIGNED, type SigningProvider } from "../support/sources";

describe("a signature that its provider has published is right, for", () => {
  const slackBody =
    "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V" +
    "&channel_name=foobar" +
    "&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack" +
    ".com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0" +
    "bc887a14d10d2c447fce8b6703c";
  test.each<[SigningProvider, string, string, Record<string, string>, number]>([
    [
      "github",
      "It's a Secret to Everybody",
      "Hello, World!",
      { "x-hub-signature-256": "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17" },
      0,
    ],
    [
      "slack",
      "8f742231b10e8888abcd99yyyzzz85a5",
      slackBody,
      {
        "x-slack-request-timestamp": "1531420618",
        "x-slack-signature": "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503",
      },
      1_531_420_618,
    ],
    [
      "standard",
      "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
      '{"test": 2432232314}',
      {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
      },
      1_614_265_330,
    ],
  ])("%s", async (provider, secret, body, headers, seconds) => {
    const verifier = { provider, options: {}, secrets: ["another", secret] };
    const given = (text: string) => ({ headers: new Headers(headers), body: utf8(text) });
    expect(await refusalOf(verifier, given(body), seconds * 1000)).toBeNull();
    expect(await refusalOf(verifier, given(`${body} `), seconds * 1000)).toBe("signature");
  });
});

test.each<SigningProvider>(["stripe", "slack", "standard", "hmac"])(
  "%s: a call is taken until 300 s from its time, before and after, and not at 301",
  async (provider) => {
    const verifier = { provider, options: HMAC_OPTIONS(provider), secrets: [SECRET] };
    const seconds = NOW_MS / 1000;
    for (const [offset, refusal] of [
      [300, null],
      [-300, null],
      [301, "timestamp"],
      [-301, "timestamp"],
    ] as const) {
      const headers = new Headers(await SIGNED[provider]("{}", seconds + offset));
      expect([offset, await refusalOf(verifier, { headers, body: utf8("{}") }, NOW_MS)]).toEqual([offset, refusal]);
    }
  },
);

const HMAC_OPTIONS = (provider: SigningProvider) =>
  provider === "hmac"
    ? {
        verification: {
          ...HMAC.verification,
          algorithm: "sha256" as const,
          encoding: "hex" as const,
          secretEncoding: "utf8" as const,
          toleranceSeconds: 300,
        },
      }
    : {};

test.each(Object.keys(SIGNED) as SigningProvider[])(
  "%s: a repeated or a missing header is refused",
  async (provider) => {
    const verifier = { provider, options: HMAC_OPTIONS(provider), secrets: [SECRET] };
    const signed = await SIGNED[provider]("{}", NOW_MS / 1000);
    const signatureNames = Object.keys(signed).filter((name) => !/event|topic/.test(name));
    for (const name of signatureNames) {
      const repeated = new Headers(signed);
      repeated.append(name, signed[name] ?? "");
      const missing = new Headers(signed);
      missing.delete(name);
      for (const headers of [repeated, missing]) {
        expect([name, await refusalOf(verifier, { headers, body: utf8("{}") }, NOW_MS)]).toEqual([name, "signature"]);
      }
    }
  },
);

test("standard: a signature v1a is verified with the public key, and never with an HMAC secret", async () => {
  const pair = (await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"])) as CryptoKeyPair;
  const raw = toBase64(new Uint8Array((await crypto.subtle.exportKey("raw", pair.publicKey)) as ArrayBuffer));
  const seconds = NOW_MS / 1000;
  const signature = await crypto.subtle.sign("Ed25519", pair.privateKey, utf8(`m.${seconds}.{}`));
  const headersWith = (text: string) =>
    new Headers({ "webhook-id": "m", "webhook-timestamp": String(seconds), "webhook-signature": text });
  const v1a = `v1a,${toBase64(new Uint8Array(signature))}`;
  const refusal = (secret: string, text: string) =>
    refusalOf(
      { provider: "standard", options: {}, secrets: [secret] },
      { headers: headersWith(text), body: utf8("{}") },
      NOW_MS,
    );
  expect(await refusal(publicKeyText(raw), v1a)).toBeNull();
  expect(await refusal(publicKeyText(raw), `v1,${toBase64(fromBase64("AAAA"))} ${v1a}`)).toBeNull();
  expect(await refusal(SECRET, v1a)).toBe("signature");
  const confused = await hmac("SHA-256", fromBase64(raw), `m.${seconds}.{}`);
  expect(await refusal(publicKeyText(raw), `v1,${toBase64(confused)}`)).toBe("signature");
});

describe("a list of signatures", () => {
  const seconds = NOW_MS / 1000;
  const body = utf8("{}");
  const right = async (provider: "stripe" | "standard") => new Headers(await SIGNED[provider]("{}", seconds));
  const refusal = (provider: "stripe" | "standard", headers: Headers) =>
    refusalOf({ provider, options: {}, secrets: ["another", SECRET] }, { headers, body }, NOW_MS);

  test.each<["stripe" | "standard", string, string]>([
    ["stripe", "stripe-signature", ","],
    ["standard", "webhook-signature", " "],
  ])("of %s: odd entries are passed over, 32 are read, and without a right one it is refused", async (...row) => {
    const [provider, name, separator] = row;
    const headers = await right(provider);
    const [given = "", wrong] = [headers.get(name) ?? "", provider === "stripe" ? "v1=00" : "v1,AAAA"];
    const refusalWith = (entries: readonly string[]) => {
      headers.set(name, entries.join(separator));
      return refusal(provider, headers);
    };
    for (const odd of ["foo", "v3,a,b", "v1=zz", "v1,?", wrong, "="]) {
      expect([odd, await refusalWith([odd, given]), await refusalWith([given, odd])]).toEqual([odd, null, null]);
    }
    const entries = given.split(separator).length;
    expect(await refusalWith([...Array(32 - entries).fill(wrong), given])).toBeNull();
    expect(await refusalWith([...Array(33 - entries).fill(wrong), given])).toBe("signature");
    expect(await refusalWith(["foo", wrong])).toBe("signature");
  });

  test("costs one HMAC of the body for each secret, however long it is", async () => {
    const headers = await right("standard");
    const bad = `v1,${toBase64(new Uint8Array(32))}`;
    headers.set("webhook-signature", [...Array(31).fill(bad), headers.get("webhook-signature")].join(" "));
    const [signed, verified] = [vi.spyOn(crypto.subtle, "sign"), vi.spyOn(crypto.subtle, "verify")];
    try {
      expect(await refusal("standard", headers)).toBeNull();
      expect(signed.mock.calls.length + verified.mock.calls.length).toBe(2);
    } finally {
      signed.mockRestore();
      verified.mockRestore();
    }
  });
});

describe("headers of Svix", () => {
  const seconds = NOW_MS / 1000;
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const signature = new Webhook(secret).sign("msg_1", new Date(NOW_MS), "{}");
  const svix = { "svix-id": "msg_1", "svix-timestamp": String(seconds), "svix-signature": signature };
  const refusal = (headers: Record<string, string>) =>
    refusalOf(
      { provider: "standard", options: {}, secrets: [secret] },
      { headers: new Headers(headers), body: utf8("{}") },
      NOW_MS,
    );

  test("are taken for those of Standard Webhooks, with two signatures too", async () => {
    expect(await refusal(svix)).toBeNull();
    const other = `v1,${toBase64(new Uint8Array(32))}`;
    expect(await refusal({ ...svix, "svix-signature": `${other} ${signature}` })).toBeNull();
    expect(await refusal({ ...svix, "svix-id": "msg_2" })).toBe("signature");
  });

  test("do not stand in for one that is missing beside webhook-id", async () => {
    expect(await refusal({ ...svix, "webhook-id": "msg_1" })).toBe("signature");
  });
});
