/** RSA keys that sign tokens: made once, published, kept apart from the other algorithms, gone with their entry. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { createLocalJWKSet, decodeProtectedHeader, exportPKCS8, generateKeyPair, jwtVerify, SignJWT } from "jose";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { parseConfig } from "../../src/base/config/config";
import { deriveKeyRing } from "../../src/base/crypto/keys";
import { readRsaPem } from "../../src/base/crypto/rsa-key";
import type { TokenAlgorithm } from "../../src/base/crypto/signing-keys";
import { createDb } from "../../src/base/db/client";
import { emptySignerCache } from "../../src/base/signers/readings";
import { createSigners } from "../../src/base/signers/signers";
import { DAY_MS, MINUTE_MS } from "../../src/base/time";
import { deleteExpired } from "../../src/identity/expire";
import {
  admits,
  algorithmsOf,
  ask,
  DELAY_MS,
  database,
  depsOf,
  isolate,
  later,
  makeTables,
  minute,
  NEW,
  OLD,
  ORIGIN,
  published,
  register,
  rowsOf,
} from "../support/token-signers";

beforeEach(makeTables);

afterEach(() => {
  vi.useRealTimers();
});

const rs256 = { TOKEN_ALGORITHM: "RS256" };
const both = { ...rs256, SECRET_KEYS: `${NEW},${OLD}` };
const header = decodeProtectedHeader;

test("a token of a session is signed with RS256, and verified with what is published", async () => {
  const token = await register(isolate(rs256));
  expect(header(token)).toMatchObject({ alg: "RS256", typ: "at+jwt" });
  const keys = await published(isolate(rs256));
  expect(keys.keys).toEqual([
    expect.objectContaining({ kty: "RSA", alg: "RS256", use: "sig", kid: header(token).kid }),
  ]);
  const rules = { issuer: ORIGIN, audience: "postern", algorithms: ["RS256"] };
  expect((await jwtVerify(token, createLocalJWKSet(keys), rules)).payload.sub).toBeDefined();
  expect(await admits(isolate(rs256), token)).toBe(true);
});

test("of 20 isolates at once one makes the key that all use", async () => {
  await Promise.all(Array.from({ length: 20 }, () => minute(isolate(rs256))));
  const sealed = await database.prepare("SELECT kid FROM token_signers WHERE private_sealed IS NOT NULL").all();
  expect(sealed.results).toHaveLength(1);
  const tokens = await Promise.all([register(isolate(rs256)), register(isolate(rs256))]);
  expect(new Set(tokens.map((token) => header(token).kid))).toEqual(new Set([sealed.results[0]?.["kid"]]));
});

test("a stored key that does not open is told in the log, and no further one is made for it", async () => {
  await register(isolate(rs256));
  await database.prepare("UPDATE token_signers SET private_sealed = 'x' || private_sealed").run();
  const made = vi.spyOn(crypto.subtle, "generateKey");
  const written = vi.spyOn(console, "error");
  try {
    expect((await published(isolate({ TOKEN_ALGORITHM: "ES256" }))).keys).not.toEqual([]);
    await minute(isolate(rs256)).catch(() => undefined);
    expect(written.mock.calls.flat().join("\n")).toContain('"message":"RSA key not readable"');
    expect(made).not.toHaveBeenCalled();
  } finally {
    vi.restoreAllMocks();
  }
});

test("a change to RS256 is published first, signs after the delay, and keeps the tokens before it", async () => {
  const es256 = { TOKEN_ALGORITHM: "ES256" };
  const before = await register(isolate(es256));
  expect(await algorithmsOf(isolate(rs256))).toEqual(["RS256", "ES256"]);
  expect(header(await register(isolate(rs256))).alg).toBe("ES256");
  expect(await admits(isolate(rs256), before)).toBe(true);
  later(DELAY_MS + MINUTE_MS);
  expect(header(await register(isolate(rs256))).alg).toBe("RS256");
});

describe("a new entry of SECRET_KEYS", () => {
  test("makes a key of its own, which is published at once and signs after the delay", async () => {
    const former = header(await register(isolate(rs256))).kid;
    const waiting = await register(isolate(both));
    expect(header(waiting).kid).toBe(former);
    const { keys } = await published(isolate(both));
    expect(keys.map(({ kid }: { kid: string }) => kid)).toEqual([expect.not.stringMatching(`^${former}$`), former]);
    later(DELAY_MS + MINUTE_MS);
    const signed = await register(isolate(both));
    expect(header(signed).kid).toBe(keys[0].kid);
    expect(await admits(isolate(both), signed)).toBe(true);
  });

  test("takes the former key out when it stands alone: a leaked entry signs nothing", async () => {
    const leaked = await register(isolate(rs256));
    const alone = { ...rs256, SECRET_KEYS: NEW };
    const token = await register(isolate(alone));
    expect(header(token).kid).not.toBe(header(leaked).kid);
    expect([await admits(isolate(alone), leaked), await algorithmsOf(isolate(alone))]).toEqual([false, ["RS256"]]);
  });
});

test("a key is kept while another issuer signs with it, however long ago its first issuer retired", async () => {
  const former = header(await register(isolate(rs256))).kid;
  const moved = isolate({ ...rs256, PUBLIC_URL: "https://other.example.com", TOKEN_KEY_DELAY_SECONDS: "0" });
  await minute(moved);
  await database.exec(`UPDATE token_signers SET retired_at = retired_at - ${91 * DAY_MS} WHERE retired_at > 0`);
  const context = createExecutionContext();
  await deleteExpired(await depsOf(moved, context), 0, "", () => false);
  await waitOnExecutionContext(context);
  expect(header(await register(moved)).kid).toBe(former);
});

describe("TOKEN_RSA_KEY", () => {
  const pemOf = async (modulusLength: number) =>
    exportPKCS8((await generateKeyPair("RS256", { modulusLength, extractable: true })).privateKey);

  /** jose makes none. */
  const shortPem = async () => {
    const algorithm = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256", modulusLength: 1024 };
    const usual = { ...algorithm, publicExponent: new Uint8Array([1, 0, 1]) };
    const { privateKey } = (await crypto.subtle.generateKey(usual, true, ["sign"])) as CryptoKeyPair;
    return exportPKCS8(privateKey);
  };

  test("signs in place of a key that the service makes", async () => {
    const pem = await pemOf(2048);
    const settings = isolate({ ...rs256, TOKEN_RSA_KEY: pem });
    const token = await register(settings);
    expect(header(token).kid).toBe((await readRsaPem(pem))?.kid);
    expect(await admits(isolate({ ...rs256, TOKEN_RSA_KEY: pem }), token)).toBe(true);
    expect(
      (await database.prepare("SELECT 1 FROM token_signers WHERE private_sealed IS NOT NULL").all()).results,
    ).toEqual([]);
  });

  test.each([
    ["no key", async () => "no key but a secret that nobody may read"],
    [
      "a key of another algorithm",
      async () => exportPKCS8((await generateKeyPair("ES256", { extractable: true })).privateKey),
    ],
    ["too short a key", shortPem],
    ["a public key", async () => "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----"],
  ])("%s stops the service, which names the setting and not its value", async (_what, make) => {
    const value = await make();
    const { status, body } = await ask(isolate({ TOKEN_RSA_KEY: value }), "GET", "/.well-known/jwks.json");
    expect(status).toBe(500);
    expect(JSON.stringify(body)).not.toContain(value.slice(10, 40));
    expect(parseConfig({ ...env, TOKEN_RSA_KEY: value }).tokenRsaKey).toBe(value.trim());
  });
});

describe("where apps choose their algorithm", () => {
  const signersOf = async (secrets: readonly string[]) => {
    const config = { tokenAlgorithm: "ES256", tokenIssuer: ORIGIN, formerTokenIssuer: "postern" } as const;
    const trips = { trips: 0, sqlMs: 0, rowsWritten: 0 };
    return createSigners({
      db: createDb(database, trips),
      config: { ...config, tokenKeyDelaySeconds: 1200 },
      signsAll: true,
      keys: await deriveKeyRing(secrets),
      cache: emptySignerCache(null),
      background: () => undefined,
      now: Date.now,
    });
  };
  const ALL: TokenAlgorithm[] = ["ES256", "EdDSA", "RS256"];
  const algs = async (secrets: readonly string[]) =>
    (await (await signersOf(secrets)).published()).map(({ alg }) => alg);

  test("the first key of each signs at once, and sessions keep theirs", async () => {
    const signers = await signersOf([OLD]);
    await signers.keep();
    expect((await signers.current()).key.alg).toBe("ES256");
    for (const alg of ALL) expect((await signers.ofAlgorithm(alg)).key.alg).toBe(alg);
    expect(await algs([OLD])).toEqual(ALL);
    expect((await rowsOf()).every(({ retired_at: retired }) => retired === null)).toBe(true);
  });

  test("each algorithm waits for its own new key, and none signs for another", async () => {
    const before = await signersOf([OLD]);
    await before.keep();
    const kids = await Promise.all(ALL.map(async (alg) => (await before.ofAlgorithm(alg)).key.kid));
    const after = await signersOf([NEW, OLD]);
    await after.keep();
    expect(await Promise.all(ALL.map(async (alg) => (await after.ofAlgorithm(alg)).key.kid))).toEqual(kids);
    expect((await after.current()).key.kid).toBe(kids[0]);
    expect(await algs([NEW, OLD])).toEqual([...ALL, ...ALL]);
    later(DELAY_MS + MINUTE_MS);
    const later2 = await signersOf([NEW, OLD]);
    const next = await Promise.all(ALL.map(async (alg) => (await later2.ofAlgorithm(alg)).key.kid));
    expect(next.filter((kid) => kids.includes(kid))).toEqual([]);
  });

  test("a token that names one algorithm and the key of another is refused", async () => {
    const signers = await signersOf([OLD]);
    const { key } = await signers.ofAlgorithm("RS256");
    expect((await signers.keyOf({ kid: key.kid, alg: "RS256" }))?.kid).toBe(key.kid);
    expect(await signers.keyOf({ kid: key.kid, alg: "ES256" })).toBeUndefined();
    expect(await signers.keyOf({ kid: (await signers.current()).key.kid, alg: "RS256" })).toBeUndefined();
    const hmac = new SignJWT({}).setProtectedHeader({ alg: "HS256", kid: key.kid, typ: "at+jwt" });
    expect(await admits(isolate(), await hmac.sign(new TextEncoder().encode(key.publicJwk.n)))).toBe(false);
  });
});
