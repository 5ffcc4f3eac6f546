/** `postern/session` against an issuer of the test's own, which can sign and serve anything. */
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";
import { beforeEach, describe, expect, test } from "vitest";
import {
  createSessionVerifier,
  SessionError,
  type SessionErrorReason,
  type SessionVerifierOptions,
} from "../../src/sdk/session";

type Algorithm = "EdDSA" | "ES256";
interface Key {
  kid: string;
  alg: Algorithm;
  privateKey: CryptoKey;
  jwk: JWK;
}

const ISSUER = "https://issuer.example";
const AUDIENCE = "api";
/** Unix seconds. */
const NOW = 1_800_000_000;

async function newKey(alg: Algorithm, kid: string = crypto.randomUUID()): Promise<Key> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: "sig" } };
}

const key = await newKey("EdDSA");
const other = await newKey("ES256");
const unpublished = await newKey("EdDSA");

const CLAIMS = {
  iss: ISSUER,
  aud: AUDIENCE,
  sub: "user",
  sid: "session",
  tid: "tenant",
  role: "developer",
  scope: "webhook.read event.publish",
  jti: "token",
  iat: NOW - 100,
  exp: NOW + 800,
  auth_time: NOW - 1000,
  amr: ["pwd", "otp", "mfa"],
};

const sign = (claims: object, header: object = {}, by: Key = key) =>
  new SignJWT({ ...claims })
    .setProtectedHeader({ alg: by.alg, kid: by.kid, typ: "at+jwt", ...header })
    .sign(by.privateKey);
const tokenOf = (changes: Record<string, unknown> = {}, header: object = {}, by: Key = key) =>
  sign({ ...CLAIMS, ...changes }, header, by);

async function prefixOf(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  const base64 = btoa(String.fromCharCode(...digest.subarray(0, 9)));
  return base64.replaceAll("+", "-").replaceAll("/", "_");
}

/** What the issuer serves; every test begins with a good one. */
let issuer: {
  keys: () => Response | Promise<Response>;
  list: (init: RequestInit) => Response | Promise<Response>;
};
let asked: string[] = [];
let nowMs = NOW * 1000;

const listOf = (revoked: unknown, changes: object = {}, header: object = {}, by: Key = key) =>
  sign({ iss: ISSUER, aud: AUDIENCE, iat: NOW, ttl: 900, revoked, ...changes }, { typ: "revoked+jwt", ...header }, by);
const served = async (jws: string | Promise<string>, etag = "") =>
  new Response(await jws, { headers: { "content-type": "application/jwt", ...(etag ? { etag } : {}) } });

beforeEach(() => {
  asked = [];
  nowMs = NOW * 1000;
  issuer = {
    keys: () => Response.json({ keys: [key.jwk, other.jwk] }),
    list: () => served(listOf([])),
  };
});

const verifier = (options: Partial<SessionVerifierOptions> = {}) =>
  createSessionVerifier({
    issuer: ISSUER,
    audience: AUDIENCE,
    now: () => nowMs,
    fetch: async (url, init) => {
      const { pathname } = new URL(url);
      asked.push(pathname);
      return pathname.endsWith("jwks.json") ? issuer.keys() : issuer.list(init);
    },
    ...options,
  });

/** "accepted", or why not. */
const verdict = (token: string, sessions = verifier()): Promise<SessionErrorReason | "accepted"> =>
  sessions.verify(token).then(
    () => "accepted",
    (error: unknown) => {
      if (error instanceof SessionError) return error.reason;
      throw error;
    },
  );
const count = (path: string) => asked.filter((one) => one === `/.well-known/${path}`).length;

describe("a good token", () => {
  test.each([key, other])("signed with $alg says who it is", async (by) => {
    expect(await verifier().verify(await tokenOf({}, {}, by))).toEqual({
      userId: "user",
      sessionId: "session",
      tenantId: "tenant",
      role: "developer",
      scopes: ["webhook.read", "event.publish"],
      tokenId: "token",
      authTime: new Date((NOW - 1000) * 1000),
      methods: ["pwd", "otp", "mfa"],
      issuedAt: new Date((NOW - 100) * 1000),
      expiresAt: new Date((NOW + 800) * 1000),
      revocation: { checked: true, stale: false, asOf: new Date(NOW * 1000) },
    });
  });

  test("may have no permissions and no methods", async () => {
    const { amr: _amr, ...claims } = CLAIMS;
    const session = await verifier().verify(await sign({ ...claims, scope: "" }));
    expect([session.scopes, session.methods]).toEqual([[], []]);
  });

  test("needs nothing before it comes, and then the keys and the list once", async () => {
    const sessions = verifier();
    expect(asked).toEqual([]);
    const token = await tokenOf();
    expect(await Promise.all(Array.from({ length: 20 }, () => verdict(token, sessions)))).toEqual(
      Array(20).fill("accepted"),
    );
    expect(asked.toSorted()).toEqual(["/.well-known/jwks.json", "/.well-known/revoked"]);
  });
});

const b64 = (value: unknown) =>
  btoa(JSON.stringify(value)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
const tampered = async () => {
  const [head, , mac] = (await tokenOf()).split(".");
  return `${head}.${b64({ ...CLAIMS, role: "owner" })}.${mac}`;
};
const withoutClaim = async (name: string) => {
  const { [name]: _left, ...rest } = CLAIMS as Record<string, unknown>;
  return sign(rest);
};
const hmac = async () => {
  const secret = new TextEncoder().encode(JSON.stringify(key.jwk));
  return new SignJWT({ ...CLAIMS }).setProtectedHeader({ alg: "HS256", kid: key.kid, typ: "at+jwt" }).sign(secret);
};

const FORGED: Record<string, [reason: SessionErrorReason, token: () => string | Promise<string>]> = {
  "nothing at all": ["MALFORMED", () => ""],
  "two parts": ["MALFORMED", () => "a.b"],
  "four parts": ["MALFORMED", async () => `${await tokenOf()}.e30`],
  "no base64url": ["MALFORMED", async () => (await tokenOf()).replace(/\.(...)/, ".$1+")],
  "no JSON": ["MALFORMED", () => `${btoa("no").replaceAll("=", "")}.e30.e30`],
  "more than 8 KiB": ["MALFORMED", () => tokenOf({ padding: "x".repeat(8192) })],
  "a critical extension": ["MALFORMED", async () => `${b64({ ...head, crit: ["b64"], b64: true })}.e30.e30`],
  ...Object.fromEntries(
    ["iss", "aud", "sub", "sid", "tid", "role", "scope", "jti", "iat", "exp", "auth_time"].map((name) => [
      `no ${name}`,
      ["MALFORMED", () => withoutClaim(name)],
    ]),
  ),
  "an expiry in words": ["MALFORMED", () => tokenOf({ exp: "later" })],
  "another type": ["WRONG_TYPE", () => tokenOf({}, { typ: "JWT" })],
  "the list as a token": ["WRONG_TYPE", () => listOf([])],
  "the console's cookie": ["WRONG_TYPE", () => tokenOf({ aud: `${AUDIENCE}/console` }, { typ: "console+jwt" })],
  "no algorithm": ["WRONG_ALGORITHM", () => `${b64({ ...head, alg: "none" })}.${b64(CLAIMS)}.e30`],
  "HMAC with the public key": ["WRONG_ALGORITHM", hmac],
  "the key of the other algorithm": ["WRONG_ALGORITHM", () => tokenOf({}, { kid: other.kid })],
  "an unpublished key": ["UNKNOWN_KEY", () => tokenOf({}, {}, unpublished)],
  "no key": ["UNKNOWN_KEY", () => tokenOf({}, { kid: undefined })],
  "a key of its own in the header": [
    "UNKNOWN_KEY",
    () =>
      tokenOf({}, { jwk: unpublished.jwk, jku: "https://evil.example/", x5u: "https://evil.example/" }, unpublished),
  ],
  "the kid of another key": ["BAD_SIGNATURE", () => tokenOf({}, { kid: key.kid }, unpublished)],
  "changed claims": ["BAD_SIGNATURE", tampered],
  "another issuer": ["WRONG_ISSUER", () => tokenOf({ iss: "https://other.example" })],
  "the issuer with a slash": ["WRONG_ISSUER", () => tokenOf({ iss: `${ISSUER}/` })],
  "another audience": ["WRONG_AUDIENCE", () => tokenOf({ aud: "other" })],
  "an expiry 5 s ago": ["EXPIRED", () => tokenOf({ exp: NOW - 5 })],
  "an issue in 6 s": ["NOT_YET_VALID", () => tokenOf({ iat: NOW + 6 })],
  "a start in 6 s": ["NOT_YET_VALID", () => tokenOf({ nbf: NOW + 6 })],
};
const head = { alg: "EdDSA", kid: key.kid, typ: "at+jwt" };

describe("a forged token", () => {
  test.each(Object.entries(FORGED))("with %s is refused", async (_name, [reason, token]) => {
    expect(await verdict(await token())).toBe(reason);
    expect(asked).not.toContain("/");
  });

  test("is answered with 401, and with 503 what is the issuer's fault", () => {
    expect(new SessionError("REVOKED").status).toBe(401);
    expect(new SessionError("KEYS_UNAVAILABLE").status).toBe(503);
    expect(new SessionError("STALE_REVOCATIONS").status).toBe(503);
  });

  test("is accepted within the tolerance", async () => {
    expect(await verdict(await tokenOf({ exp: NOW - 4, iat: NOW - 900 }))).toBe("accepted");
    expect(await verdict(await tokenOf({ iat: NOW + 5 }))).toBe("accepted");
    expect(await verdict(await tokenOf({ exp: NOW }), verifier({ clockToleranceSeconds: 0 }))).toBe("EXPIRED");
  });
});

describe("keys", () => {
  test("1,000 unknown ones are looked for once in 30 seconds", async () => {
    const sessions = verifier({ revocation: "off" });
    await sessions.verify(await tokenOf());
    const flood = async () => {
      const tokens = await Promise.all(Array.from({ length: 1000 }, (_, n) => tokenOf({}, { kid: `k${n}` })));
      return new Set(await Promise.all(tokens.map((token) => verdict(token, sessions))));
    };
    expect([[...(await flood())], count("jwks.json")]).toEqual([["UNKNOWN_KEY"], 1]);
    nowMs += 30_000;
    expect([[...(await flood())], count("jwks.json")]).toEqual([["UNKNOWN_KEY"], 2]);
  });

  test("a new one is found when its first token comes", async () => {
    const sessions = verifier();
    await sessions.verify(await tokenOf());
    nowMs += 30_000;
    issuer.keys = () => Response.json({ keys: [unpublished.jwk, key.jwk] });
    expect(await verdict(await tokenOf({}, {}, unpublished), sessions)).toBe("accepted");
  });

  test("that were there stay when the issuer fails, and one that it takes back goes", async () => {
    const sessions = verifier({ revocation: "off" });
    await sessions.verify(await tokenOf());
    nowMs += 30_000;
    issuer.keys = () => new Response(null, { status: 500 });
    expect(await verdict(await tokenOf({}, {}, unpublished), sessions)).toBe("UNKNOWN_KEY");
    expect(await verdict(await tokenOf(), sessions)).toBe("accepted");
    nowMs += 30_000;
    issuer.keys = () => Response.json({ keys: [other.jwk] });
    expect(await verdict(await tokenOf({}, {}, unpublished), sessions)).toBe("UNKNOWN_KEY");
    expect(await verdict(await tokenOf(), sessions)).toBe("UNKNOWN_KEY");
  });

  test.each<[string, () => Response | Promise<Response>]>([
    ["an error", () => new Response(null, { status: 500 })],
    ["no connection", () => Promise.reject(new TypeError("network"))],
    ["a redirect", () => Response.redirect("https://evil.example/", 302)],
    ["no JSON", () => new Response("<html>")],
    ["no keys", () => Response.json({ keys: [] })],
    ["no list", () => Response.json({})],
    ["more than 64 KiB", () => Response.json({ keys: [key.jwk], padding: "x".repeat(65_536) })],
    ["nothing in time", () => new Promise<Response>(() => undefined)],
  ])("are unavailable with %s as the first answer", async (_name, answer) => {
    issuer.keys = answer;
    const sessions = verifier({ timeoutMs: 50 });
    expect(await verdict(await tokenOf(), sessions)).toBe("KEYS_UNAVAILABLE");
    issuer.keys = () => Response.json({ keys: [key.jwk] });
    expect(await verdict(await tokenOf(), sessions)).toBe("accepted");
  });
});

describe("revocation", () => {
  const TEXTS = ["s:session:tenant", "u:user", "m:tenant:user", "t:tenant"];

  test.each(TEXTS)("by %s counts for tokens that were issued until then", async (text) => {
    const entry = async (at: number) => [
      ["AAAAAAAAAAAA", NOW],
      [await prefixOf(text), at],
    ];
    const revoked = await entry(CLAIMS.iat);
    issuer.list = () => served(listOf(revoked));
    expect(await verdict(await tokenOf())).toBe("REVOKED");
    const earlier = await entry(CLAIMS.iat - 1);
    issuer.list = () => served(listOf(earlier));
    expect(await verdict(await tokenOf())).toBe("accepted");
  });

  test('by "*" counts for every token until then', async () => {
    issuer.list = () => served(listOf([["*", CLAIMS.iat]]));
    expect(await verdict(await tokenOf())).toBe("REVOKED");
    expect(await verdict(await tokenOf({ iat: CLAIMS.iat + 1 }))).toBe("accepted");
  });

  test.each(["s:session:elsewhere", "s:other:tenant", "u:other", "m:tenant:other", "m:elsewhere:user", "t:elsewhere"])(
    "by %s is somebody else's",
    async (text) => {
      const revoked = [[await prefixOf(text), NOW]];
      issuer.list = () => served(listOf(revoked));
      expect(await verdict(await tokenOf())).toBe("accepted");
    },
  );

  test("is asked for every two seconds, with the ETag of the list that is held", async () => {
    const sessions = verifier();
    const tags: (string | null)[] = [];
    issuer.list = (init) => {
      const tag = new Headers(init.headers).get("if-none-match");
      tags.push(tag);
      return tag ? new Response(null, { status: 304 }) : served(listOf([]), 'W/"one"');
    };
    const token = await tokenOf();
    for (let step = 0; step < 5; step++) {
      expect((await sessions.verify(token)).revocation.stale).toBe(false);
      nowMs += 1000;
    }
    expect(tags).toEqual([null, 'W/"one"', 'W/"one"']);
  });

  test("off asks for nothing", async () => {
    const { revocation } = await verifier({ revocation: "off" }).verify(await tokenOf());
    expect(revocation).toEqual({ checked: false, stale: false, asOf: null });
    expect(asked).toEqual(["/.well-known/jwks.json"]);
  });

  const BAD_LISTS: Record<string, () => Response | Promise<Response>> = {
    "an error": () => new Response(null, { status: 503 }),
    "no connection": () => Promise.reject(new TypeError("network")),
    "a redirect": () => Response.redirect("https://evil.example/", 302),
    "an unasked 304": () => new Response(null, { status: 304 }),
    "no JWS": () => new Response("[]"),
    "an access token": () => served(tokenOf()),
    "another issuer": () => served(listOf([], { iss: "https://other.example" })),
    "another audience": () => served(listOf([], { aud: "other" })),
    "an unpublished key": () => served(listOf([], {}, {}, unpublished)),
    "a foreign signature": () => served(listOf([], {}, { kid: key.kid }, unpublished)),
    "an earlier list": () => served(listOf([], { iat: NOW - 10 })),
    "no entries": () => served(listOf(undefined)),
    "entries of another shape": () => served(listOf([["AAAAAAAAAAAA", "now"]])),
    "more than 2 MiB": () => served("x".repeat(2 * 1024 * 1024 + 1)),
    "nothing in time": () => new Promise<Response>(() => undefined),
  };

  test.each(Object.entries(BAD_LISTS))(
    "with %s keeps the former list, which is stale after 15 s",
    async (name, answer) => {
      const [accepting, refusing] = [verifier({ timeoutMs: 50 }), verifier({ timeoutMs: 50, onStale: "refuse" })];
      const revoked = [[await prefixOf("u:gone"), NOW]];
      issuer.list = () => served(listOf(revoked));
      const [token, gone] = [await tokenOf({ exp: NOW + 900 }), await tokenOf({ sub: "gone" })];
      for (const sessions of [accepting, refusing]) expect(await verdict(token, sessions)).toBe("accepted");
      issuer.list = name === "an unasked 304" ? () => new Response(null, { status: 304 }) : answer;
      nowMs += 14_000;
      for (const sessions of [accepting, refusing]) expect(await verdict(token, sessions)).toBe("accepted");
      nowMs += 2_000;
      expect(await verdict(token, refusing)).toBe("STALE_REVOCATIONS");
      const { revocation } = await accepting.verify(token);
      expect(revocation).toEqual({ checked: true, stale: true, asOf: new Date(NOW * 1000) });
      expect(await verdict(gone, accepting)).toBe("REVOKED");
    },
  );

  test("is unchecked and stale before the first list", async () => {
    issuer.list = () => new Response(null, { status: 503 });
    const { revocation } = await verifier().verify(await tokenOf());
    expect(revocation).toEqual({ checked: false, stale: true, asOf: null });
    expect(await verdict(await tokenOf(), verifier({ onStale: "refuse" }))).toBe("STALE_REVOCATIONS");
  });
});

describe("options", () => {
  const good = { issuer: ISSUER, audience: AUDIENCE };
  test.each<[string, unknown]>([
    ["no issuer", { audience: AUDIENCE }],
    ["no audience", { issuer: ISSUER }],
    ["an issuer that is not a URL, without jwksUrl", { issuer: "postern", audience: AUDIENCE }],
    ["keys over http", { ...good, jwksUrl: "http://issuer.example/keys" }],
    ["an unknown way of revocation", { ...good, revocation: "push" }],
    ["an unknown onStale", { ...good, onStale: "warn" }],
    ["a negative tolerance", { ...good, clockToleranceSeconds: -1 }],
    ["no time to answer", { ...good, timeoutMs: 0 }],
    ["a fetch that is none", { ...good, fetch: "fetch" }],
    ["a clock that is none", { ...good, now: 5 }],
  ])("with %s are a TypeError", (_name, options) => {
    expect(() => createSessionVerifier(options as SessionVerifierOptions)).toThrow(TypeError);
  });

  test("may name other places for keys and list", async () => {
    const sessions = verifier({
      issuer: "postern",
      jwksUrl: new URL("https://cdn.example/keys/jwks.json"),
      revokedUrl: "https://cdn.example/list",
    });
    issuer.list = () => served(listOf([], { iss: "postern" }));
    expect((await sessions.verify(await tokenOf({ iss: "postern" }))).revocation.checked).toBe(true);
    expect(asked.toSorted()).toEqual(["/keys/jwks.json", "/list"]);
  });
});
