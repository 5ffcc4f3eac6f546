/** `postern/session` and the tokens of an issuer that can sign anything. */
import { CompactSign, SignJWT } from "jose";
import { beforeEach, describe, expect, test } from "vitest";
import { parseExact } from "../../src/base/exact-json";
import {
  createSessionVerifier,
  SessionError,
  type SessionErrorReason,
  type SessionVerifierOptions,
} from "../../src/sdk/session";
import {
  AUDIENCE,
  CLAIMS,
  ISSUER,
  issuer,
  key,
  listOf,
  NOW,
  openIssuer,
  other,
  rsa,
  served,
  sign,
  tokenOf,
  unpublished,
  verdict,
  verifier,
} from "../support/session-issuer";

beforeEach(openIssuer);

describe("a good token", () => {
  test.each([key, other, rsa])("signed with $alg says who it is", async (by) => {
    expect(await verifier().verify(await tokenOf({}, {}, by))).toEqual({
      userId: "user",
      sessionId: "session",
      tenantId: "tenant",
      externalId: null,
      tenantExternalId: null,
      role: "developer",
      scopes: ["webhook.read", "event.publish"],
      permissions: [],
      metadata: { user: {}, tenant: {}, member: {} },
      tokenId: "token",
      authTime: new Date((NOW - 1000) * 1000),
      methods: ["pwd", "otp", "mfa"],
      connectionId: null,
      idpAcr: null,
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

  test("says what ROLES and TOKEN_METADATA add", async () => {
    const added = { permissions: ["invoice.pay"], metadata: { tenant: { plan: "pro" } } };
    expect(await verifier().verify(await tokenOf(added))).toMatchObject({
      permissions: ["invoice.pay"],
      metadata: { user: {}, tenant: { plan: "pro" }, member: {} },
    });
    for (const odd of [{ permissions: "all" }, { permissions: [1] }, { metadata: [] }, { metadata: { user: "x" } }]) {
      expect(await verdict(await tokenOf(odd))).toBe("MALFORMED");
    }
  });

  test("keeps the digits of its metadata with a library that does", async () => {
    const claims = JSON.stringify({
      ...CLAIMS,
      metadata: { tenant: { account: JSON.rawJSON("12345678901234567890") } },
    });
    const token = await new CompactSign(new TextEncoder().encode(claims))
      .setProtectedHeader({ alg: key.alg, kid: key.kid, typ: "at+jwt" })
      .sign(key.privateKey);
    const { metadata } = await verifier({ json: { parse: parseExact } }).verify(token);
    expect(JSON.stringify(metadata)).toBe('{"user":{},"tenant":{"account":12345678901234567890},"member":{}}');
    for (const parse of [() => ({ metadata: 1 }), () => JSON.parse("no")]) {
      expect(await verdict(token, verifier({ json: { parse } }))).toBe("MALFORMED");
    }
  });

  test("needs nothing before it comes, and then the keys and the list once", async () => {
    const sessions = verifier();
    expect(issuer.asked).toEqual([]);
    const token = await tokenOf();
    expect(await Promise.all(Array.from({ length: 20 }, () => verdict(token, sessions)))).toEqual(
      Array(20).fill("accepted"),
    );
    expect(issuer.asked.toSorted()).toEqual(["/.well-known/jwks.json", "/.well-known/revoked"]);
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

/** As a session that owes a second factor has it. */
const NOTHING = { role: undefined, scope: "" };

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
  "a second factor that is due": ["SECOND_FACTOR_REQUIRED", () => tokenOf({ ...NOTHING, second_factor_due: true })],
  "a second factor that is due, beside a role": ["SECOND_FACTOR_REQUIRED", () => tokenOf({ second_factor_due: true })],
  "no role and nothing due": ["MALFORMED", () => tokenOf(NOTHING)],
  "something else in its place": ["MALFORMED", () => tokenOf({ ...NOTHING, second_factor_due: "true" })],
  "an own id that is no text": ["MALFORMED", () => tokenOf({ tenant_external_id: 7 })],
  "an expiry in words": ["MALFORMED", () => tokenOf({ exp: "later" })],
  "another type": ["WRONG_TYPE", () => tokenOf({}, { typ: "JWT" })],
  "the list as a token": ["WRONG_TYPE", () => listOf([])],
  "the console's cookie": ["WRONG_TYPE", () => tokenOf({ aud: `${AUDIENCE}/console` }, { typ: "console+jwt" })],
  "no algorithm": ["WRONG_ALGORITHM", () => `${b64({ ...head, alg: "none" })}.${b64(CLAIMS)}.e30`],
  "HMAC with the public key": ["WRONG_ALGORITHM", hmac],
  "the key of the other algorithm": ["WRONG_ALGORITHM", () => tokenOf({}, { kid: other.kid })],
  "the RSA key under another algorithm": ["WRONG_ALGORITHM", () => tokenOf({}, { kid: rsa.kid })],
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
  "an issue in a minute": ["NOT_YET_VALID", () => tokenOf({ iat: NOW + 60 })],
  "a start in 6 s": ["NOT_YET_VALID", () => tokenOf({ nbf: NOW + 6 })],
};
const head = { alg: "EdDSA", kid: key.kid, typ: "at+jwt" };

describe("a forged token", () => {
  test.each(Object.entries(FORGED))("with %s is refused", async (_name, [reason, token]) => {
    expect(await verdict(await token())).toBe(reason);
    expect(issuer.asked).not.toContain("/");
  });

  test("is answered with 401, and with 503 what is the issuer's fault", () => {
    expect(new SessionError("REVOKED").status).toBe(401);
    expect(new SessionError("KEYS_UNAVAILABLE").status).toBe(503);
    expect(new SessionError("STALE_REVOCATIONS").status).toBe(503);
    expect(new SessionError("SECOND_FACTOR_REQUIRED").status).toBe(403);
  });

  test("is accepted within the tolerance", async () => {
    expect(await verdict(await tokenOf({ iat: NOW + 8 }))).toBe("accepted");
    expect(await verdict(await tokenOf({ exp: NOW - 4, iat: NOW - 900 }))).toBe("accepted");
    expect(await verdict(await tokenOf({ iat: NOW + 5 }))).toBe("accepted");
    expect(await verdict(await tokenOf({ exp: NOW }), verifier({ clockToleranceSeconds: 0 }))).toBe("EXPIRED");
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
    ["a reader of JSON that is none", { ...good, json: {} }],
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
    expect(issuer.asked.toSorted()).toEqual(["/keys/jwks.json", "/list"]);
  });
});
