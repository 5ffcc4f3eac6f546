/** postern/verify with the public keys behind a URL: what is fetched, when, and what an attacker cannot cause. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { KeySet } from "../../src/sdk/verify";
import { NOW_MS, newSigningKey, type SigningKey, signedWith, signWithSecret, verdictOn } from "../support/signing";

const MINUTE_MS = 60_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW_MS });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

type Jwk = SigningKey["jwk"] & { exp?: number };

/** A key set behind a URL of its own, which no other test has put into the cache. */
function published(...keys: Jwk[]) {
  const requests: { url: string; init: RequestInit }[] = [];
  const server = {
    keys,
    respond: async (): Promise<Response> => Response.json({ keys: server.keys }),
  };
  const set: KeySet = {
    jwks: `https://keys.example/${crypto.randomUUID()}`,
    fetch: (url, init) => {
      requests.push({ url, init });
      return server.respond();
    },
  };
  return { set, server, requests };
}

/** The verdict at the current time on a request with these signatures. */
const verdict = (set: KeySet, ...signatures: string[]) => verdictOn(signedWith(...signatures), set);
const forged = async () => (await newSigningKey()).sign();

describe("the keys", () => {
  test("are fetched once and cached for 10 minutes", async () => {
    const key = await newSigningKey();
    const { set, requests } = published(key.jwk);
    for (const laterMs of [0, 0, 10 * MINUTE_MS - 1]) {
      vi.setSystemTime(NOW_MS + laterMs);
      expect(await verdict(set, await key.sign())).toBe("accepted");
    }
    expect(requests.length).toBe(1);
    vi.setSystemTime(NOW_MS + 10 * MINUTE_MS);
    expect(await verdict(set, await key.sign())).toBe("accepted");
    expect(requests.length).toBe(2);
  });

  test("are fetched once for 20 concurrent deliveries", async () => {
    vi.stubGlobal("navigator", undefined);
    const key = await newSigningKey();
    const { set, requests } = published(key.jwk);
    const signature = await key.sign();
    const verdicts = await Promise.all(Array.from({ length: 20 }, () => verdict(set, signature)));
    expect(verdicts).toEqual(Array(20).fill("accepted"));
    expect(requests.length).toBe(1);
  });

  test("are fetched again when a new key has signed, so that a rotation needs no restart", async () => {
    const [old, next] = await Promise.all([newSigningKey(), newSigningKey()]);
    const { set, server, requests } = published(old.jwk);
    expect(await verdict(set, await old.sign())).toBe("accepted");
    server.keys = [next.jwk, old.jwk];
    vi.setSystemTime(NOW_MS + MINUTE_MS);
    expect(await verdict(set, await next.sign())).toBe("accepted");
    expect(await verdict(set, await old.sign())).toBe("accepted");
    expect(requests.length).toBe(2);
  });

  test("count until they expire", async () => {
    const key = await newSigningKey();
    const { set } = published({ ...key.jwk, exp: NOW_MS / 1000 + 60 });
    const request = signedWith(await key.sign());
    expect(await verdictOn(request, set, { nowMs: NOW_MS + MINUTE_MS - 1 })).toBe("accepted");
    expect(await verdictOn(request, set, { nowMs: NOW_MS + MINUTE_MS })).toBe("SIGNATURE_MISMATCH");
  });

  test("are the first 5 Ed25519 signing keys that have not expired", async () => {
    const keys = await Promise.all(Array.from({ length: 6 }, newSigningKey));
    const [first] = keys;
    if (!first) throw new Error("no key");
    const unusable = [
      { ...first.jwk, kty: "EC" },
      { ...first.jwk, crv: "X25519" },
      { ...first.jwk, use: "enc" },
      { ...first.jwk, alg: "HS256" },
      { ...first.jwk, exp: NOW_MS / 1000 },
      { ...first.jwk, x: undefined },
    ] as unknown as Jwk[];
    const { set } = published(...unusable, ...keys.map(({ jwk }) => jwk));
    const verdicts = await Promise.all(keys.map(async ({ sign }) => verdict(set, await sign())));
    expect(verdicts).toEqual([...Array(5).fill("accepted"), "SIGNATURE_MISMATCH"]);
  });
});

describe("forged deliveries", () => {
  test("cause at most one fetch in 30 seconds, and none of them is accepted", async () => {
    const key = await newSigningKey();
    const { set, requests } = published(key.jwk);
    expect(await verdict(set, await key.sign())).toBe("accepted");
    vi.setSystemTime(NOW_MS + 29_999);
    expect(await verdict(set, await forged())).toBe("SIGNATURE_MISMATCH");
    expect(requests.length).toBe(1);
    vi.setSystemTime(NOW_MS + 30_000);
    const signatures = await Promise.all(Array.from({ length: 50 }, forged));
    const verdicts = await Promise.all(signatures.map((signature) => verdict(set, signature)));
    expect(new Set(verdicts)).toEqual(new Set(["SIGNATURE_MISMATCH"]));
    expect(requests.length).toBe(2);
  });

  test("cause no fetch without a well-formed v1a signature, or when too old", async () => {
    const { set, requests } = published();
    expect(await verdict(set, await signWithSecret("s"), "v1a,AAAA")).toBe("SIGNATURE_MISMATCH");
    expect(await verdictOn(signedWith(await forged()), set, { nowMs: NOW_MS + 301_000 })).toBe("TIMESTAMP_TOO_OLD");
    expect(requests).toEqual([]);
  });

  test("cannot name the key or its URL", async () => {
    const [key, own] = await Promise.all([newSigningKey(), newSigningKey()]);
    const { set, requests } = published(key.jwk);
    const request = signedWith(await own.sign());
    const named = {
      "webhook-public-key": own.publicKey,
      "webhook-jwks": "https://attacker.example/",
      jwk: JSON.stringify(own.jwk),
      jku: "https://attacker.example/",
    };
    expect(await verdictOn({ ...request, headers: { ...request.headers, ...named } }, set)).toBe("SIGNATURE_MISMATCH");
    expect(requests.map(({ url }) => url)).toEqual([set.jwks]);
  });

  test("signed with a v1 secret that reads like the key's bytes are refused", async () => {
    const key = await newSigningKey();
    const { set } = published(key.jwk);
    const hmacs = await Promise.all([key.publicKey, key.jwk.x, `whsec_${key.publicKey.slice(5)}`].map(signWithSecret));
    const confused = hmacs.flatMap((hmac) => [hmac, hmac.replace("v1,", "v1a,")]);
    expect(await verdict(set, ...confused)).toBe("SIGNATURE_MISMATCH");
  });
});

describe("keys that cannot be fetched", () => {
  test.each<[string, () => Promise<Response>]>([
    ["the connection fails", () => Promise.reject(new TypeError("connection refused"))],
    [
      "the answer is a redirect",
      async () => Response.json({ keys: [] }, { status: 302, headers: { location: "https://attacker.example/" } }),
    ],
    ["the answer is an error", async () => Response.json({ keys: [] }, { status: 500 })],
    ["the answer is not JSON", async () => new Response("<html>")],
    ["the answer is not a key set", async () => Response.json({ key: "none" })],
    ["the answer is larger than 64 KiB", async () => Response.json({ keys: [], filler: "x".repeat(64 * 1024) })],
    ["a key is malformed", async () => Response.json({ keys: [{ kty: "OKP", crv: "Ed25519", x: "AAAA" }] })],
  ])("are KEYS_UNAVAILABLE when %s, and the next delivery fetches again", async (_, respond) => {
    const key = await newSigningKey();
    const { set, server, requests } = published(key.jwk);
    const working = server.respond;
    server.respond = respond;
    expect(await verdict(set, await key.sign())).toBe("KEYS_UNAVAILABLE");
    server.respond = working;
    expect(await verdict(set, await key.sign())).toBe("accepted");
    expect(requests.length).toBe(2);
    expect(requests[0]?.init.redirect).toBe("manual");
    expect(requests[0]?.init.signal).toBeInstanceOf(AbortSignal);
  });

  test("leave the cached ones in use until they are 10 minutes old, and no longer", async () => {
    const key = await newSigningKey();
    const { set, server } = published(key.jwk);
    expect(await verdict(set, await key.sign())).toBe("accepted");
    server.respond = async () => new Response("down", { status: 503 });
    vi.setSystemTime(NOW_MS + MINUTE_MS);
    expect(await verdict(set, await forged())).toBe("KEYS_UNAVAILABLE");
    vi.setSystemTime(NOW_MS + 10 * MINUTE_MS - 1);
    expect(await verdict(set, await key.sign())).toBe("accepted");
    vi.setSystemTime(NOW_MS + 10 * MINUTE_MS);
    expect(await verdict(set, await key.sign())).toBe("KEYS_UNAVAILABLE");
  });

  test.each(["http://keys.example/", "ftp://keys.example/", "http://localhost.attacker.example/", "/keys", ""])(
    "because the URL is %j are a TypeError",
    async (jwks) => {
      await expect(verdictOn(signedWith(await forged()), { jwks })).rejects.toBeInstanceOf(TypeError);
    },
  );

  test.each(["http://localhost:8787/", "http://127.0.0.1/", "http://[::1]:1/"])(
    "may be on this machine without https: %s",
    async (origin) => {
      const key = await newSigningKey();
      const { set } = published(key.jwk);
      expect(await verdict({ ...set, jwks: new URL(crypto.randomUUID(), origin) }, await key.sign())).toBe("accepted");
    },
  );
});
