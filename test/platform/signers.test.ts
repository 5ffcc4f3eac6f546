/** Who signs tokens when the settings change, and while versions that know nothing of it still run. */
import { applyD1Migrations, createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify, SignJWT } from "jose";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import worker from "../../src";
import { deriveKeyRing } from "../../src/platform/crypto/keys";
import { createDeps } from "../../src/platform/deps";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../src/platform/time";
import { type Answer, newAddress, newEmail, PASSWORD } from "../support/client";

type Settings = Record<string, string>;

/** A database of its own: the others have signers already. */
const database = env.UPGRADED;
const DELAY_MS = 20 * MINUTE_MS;
const [OLD, NEW] = [
  "5f1c7a90e3b84d26aa0b9e7d1c3f5a72d8e6b4c2109f7e5d3c1b0a9f8e7d6c5b",
  "c07e2d94b1f6483e9a5d7c2b6f0e8d1a3b5c7e9f1d2a4b6c8e0f9a7b5c3d1e2f",
];
const PUBLIC: Settings = { PUBLIC_URL: "https://auth.example.com", TOKEN_KEY_DELAY_SECONDS: "1200", SECRET_KEYS: OLD };
const ORIGIN = "https://auth.example.com";

let isolates = 0;
/** Another isolate: a setting that changes nothing here makes it read its settings anew. */
const isolate = (settings: Settings = {}): Settings => ({
  ...PUBLIC,
  ...settings,
  MAIL_FROM: `Postern ${++isolates} <a@example.com>`,
});

const bindings = (settings: Settings) => ({ ...env, DB: database, SHARD_1: database, ...settings }) as Env;

async function ask(settings: Settings, method: string, path: string, options: { token?: string; body?: object } = {}) {
  const context = createExecutionContext();
  const headers = new Headers({ "cf-connecting-ip": newAddress(), "content-type": "application/json" });
  if (options.token) headers.set("authorization", `Bearer ${options.token}`);
  const body = options.body ? JSON.stringify(options.body) : null;
  const request = new Request<unknown, IncomingRequestCfProperties>(`http://postern.test${path}`, {
    method,
    headers,
    body,
  });
  const response = await worker.fetch(request, bindings(settings), context);
  await waitOnExecutionContext(context);
  return { status: response.status, body: await response.json<Answer["body"]>() };
}

const register = async (settings: Settings): Promise<string> => {
  const body = { email: newEmail(), password: PASSWORD };
  return (await ask(settings, "POST", "/api/v1/auth/register", { body })).body.data.accessToken;
};
const admits = async (settings: Settings, token: string) =>
  (await ask(settings, "GET", "/api/v1/auth/me", { token })).status === 200;
const published = async (settings: Settings) => (await ask(settings, "GET", "/.well-known/jwks.json")).body;
const algorithmsOf = async (settings: Settings) =>
  (await published(settings)).keys.map(({ alg }: { alg: string }) => alg);

/** Whether the version before this table accepts a token. It knew one issuer, and EdDSA. */
async function formerAdmits(token: string, secrets: readonly string[], issuer = "postern"): Promise<boolean> {
  const keys = await deriveKeyRing(secrets);
  const key = keys.map(({ signing }) => signing.EdDSA).find(({ kid }) => kid === decodeProtectedHeader(token).kid);
  if (!key) return false;
  const rules = { algorithms: ["EdDSA"], typ: "at+jwt", issuer, audience: "postern", currentDate: new Date() };
  return jwtVerify(token, key.publicKey, rules).then(
    () => true,
    () => false,
  );
}

/** A token for the session of `token`, as the version before this table signed it. */
async function formerToken(token: string, secret: string, issuer = "postern"): Promise<string> {
  const [{ signing }] = await deriveKeyRing([secret]);
  const { role: _role, scope: _scope, jti: _jti, auth_time: _authTime, amr: _amr, ...claims } = decodeJwt(token);
  return new SignJWT({ ...claims, iss: issuer })
    .setProtectedHeader({ alg: "EdDSA", typ: "at+jwt", kid: signing.EdDSA.kid })
    .sign(signing.EdDSA.privateKey);
}

async function minute(settings: Settings): Promise<void> {
  const context = createExecutionContext();
  await (await createDeps(bindings(settings), context)).signers.keep();
  await waitOnExecutionContext(context);
}

const later = (ms: number) => vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ms });
const rowsOf = async () =>
  (await database.prepare("SELECT alg, issuer, seen_at, retired_at FROM token_signers ORDER BY seen_at").all()).results;

beforeEach(async () => {
  const listed = `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*' 
      AND name NOT GLOB '_cf*'
      AND name <> 'd1_migrations'`;
  const { results } = await database.prepare(listed).all<{ name: string }>();
  for (const { name } of results) await database.exec(`DROP TABLE IF EXISTS ${name}`);
  await database.exec("DROP TABLE IF EXISTS d1_migrations");
  await applyD1Migrations(database, env.TEST_MIGRATIONS);
});

afterEach(() => {
  vi.useRealTimers();
});

test("the first start signs with the configured signer at once", async () => {
  const settings = isolate();
  const token = await register(settings);
  expect(decodeJwt(token).iss).toBe(ORIGIN);
  expect(await rowsOf()).toEqual([{ alg: "EdDSA", issuer: ORIGIN, seen_at: 0, retired_at: null }]);
  expect(await admits(isolate(), token)).toBe(true);
});

describe("an upgrade", () => {
  /** Sessions of the version before this table, and one of its tokens. */
  async function upgraded(issuer = "postern"): Promise<string> {
    const token = await register(isolate());
    await database.exec("DELETE FROM token_signers");
    return formerToken(token, OLD, issuer);
  }

  test("signs as the former version does until the delay is over, and accepts its tokens afterwards", async () => {
    const former = await upgraded();
    const first = await register(isolate());
    expect([decodeJwt(first).iss, await formerAdmits(first, [OLD])]).toEqual(["postern", true]);
    expect(await admits(isolate(), former)).toBe(true);
    later(DELAY_MS - MINUTE_MS);
    expect(decodeJwt(await register(isolate())).iss).toBe("postern");
    later(2 * MINUTE_MS);
    const last = await register(isolate());
    expect(decodeJwt(last).iss).toBe(ORIGIN);
    const again = await formerToken(last, OLD);
    expect([await admits(isolate(), last), await admits(isolate(), again)]).toEqual([true, true]);
  });

  test("changes nothing for who has set TOKEN_ISSUER", async () => {
    const former = await upgraded("my-product");
    const settings = isolate({ TOKEN_ISSUER: "my-product" });
    const token = await register(settings);
    expect([decodeJwt(token).iss, await formerAdmits(token, [OLD], "my-product")]).toEqual(["my-product", true]);
    expect(await admits(settings, former)).toBe(true);
    expect(await rowsOf()).toHaveLength(1);
  });

  test("accepts the tokens of all keys of the former version", async () => {
    const former = await upgraded();
    const settings = isolate({ SECRET_KEYS: `${NEW},${OLD}` });
    expect(await admits(settings, former)).toBe(true);
    expect(await formerAdmits(await register(settings), [NEW, OLD])).toBe(true);
  });

  test("of 20 isolates at once writes the signers down once", async () => {
    await upgraded();
    await Promise.all(Array.from({ length: 20 }, () => minute(isolate())));
    expect(await rowsOf()).toHaveLength(2);
  });
});

describe("a new key", () => {
  const both = { SECRET_KEYS: `${NEW},${OLD}` };
  const kidOf = async (secret: string) => (await deriveKeyRing([secret]))[0].signing.EdDSA.kid;

  test("is published at once and signs after the delay; isolates without it accept everything until then", async () => {
    await register(isolate());
    const waiting = await register(isolate(both));
    expect(decodeProtectedHeader(waiting).kid).toBe(await kidOf(OLD));
    expect(await admits(isolate(), waiting)).toBe(true);
    const { keys } = await published(isolate(both));
    expect(keys.map(({ kid }: { kid: string }) => kid)).toEqual([await kidOf(NEW), await kidOf(OLD)]);
    later(DELAY_MS + MINUTE_MS);
    const signed = await register(isolate(both));
    expect(decodeProtectedHeader(signed).kid).toBe(await kidOf(NEW));
    expect(await admits(isolate(both), waiting)).toBe(false); // It has expired.
  });

  test("signs at once where the former one is taken out", async () => {
    const leaked = await register(isolate());
    const settings = isolate({ SECRET_KEYS: NEW });
    expect(decodeProtectedHeader(await register(settings)).kid).toBe(await kidOf(NEW));
    expect(await admits(settings, leaked)).toBe(false);
  });

  test("that is itself too new does not sign for the next one", async () => {
    await register(isolate());
    await register(isolate(both));
    later(10 * MINUTE_MS);
    const third = "9d3b6f1e8a2c4057b9e1d3f5a7c9028e4b6d8f0a1c3e5b7d9f2a4c6e8b0d1f3a";
    const token = await register(isolate({ SECRET_KEYS: `${third},${NEW},${OLD}` }));
    expect(decodeProtectedHeader(token).kid).toBe(await kidOf(OLD));
  });

  test("signs at once with a delay of 0", async () => {
    await register(isolate());
    const token = await register(isolate({ ...both, TOKEN_KEY_DELAY_SECONDS: "0" }));
    expect(decodeProtectedHeader(token).kid).toBe(await kidOf(NEW));
  });
});

describe("ES256", () => {
  const es256 = { TOKEN_ALGORITHM: "ES256" };

  test("is published before it signs, and EdDSA for an hour after its last token", async () => {
    const before = await register(isolate());
    expect(await algorithmsOf(isolate(es256))).toEqual(["ES256", "EdDSA"]);
    expect(decodeProtectedHeader(await register(isolate(es256))).alg).toBe("EdDSA");
    later(DELAY_MS + MINUTE_MS);
    const token = await register(isolate(es256));
    expect(decodeProtectedHeader(token).alg).toBe("ES256");
    expect(await algorithmsOf(isolate(es256))).toEqual(["ES256", "EdDSA"]);
    await minute(isolate(es256));
    later(HOUR_MS - MINUTE_MS);
    expect(await algorithmsOf(isolate(es256))).toEqual(["ES256", "EdDSA"]);
    later(2 * MINUTE_MS);
    expect(await algorithmsOf(isolate(es256))).toEqual(["ES256"]);
    const again = await register(isolate(es256));
    const keys = createLocalJWKSet(await published(isolate(es256)));
    expect((await jwtVerify(again, keys, { issuer: ORIGIN, audience: "postern" })).payload.sub).toBeDefined();
    expect(before).not.toBe(again);
  });

  test("is the same key on every isolate, from the same secret", async () => {
    const [one, other] = await Promise.all([deriveKeyRing([OLD]), deriveKeyRing([OLD, NEW])]);
    expect(one[0].signing.ES256.publicJwk).toEqual(other[0].signing.ES256.publicJwk);
    expect(one[0].signing.ES256.kid).not.toBe(other[1]?.signing.ES256.kid);
  });

  test("is refused under the key of the other algorithm", async () => {
    const settings = isolate({ ...es256, TOKEN_KEY_DELAY_SECONDS: "0" });
    const token = await register(settings);
    const [{ signing }] = await deriveKeyRing([OLD]);
    const forge = (alg: "EdDSA" | "ES256", kid: string) =>
      new SignJWT(decodeJwt(token)).setProtectedHeader({ alg, typ: "at+jwt", kid }).sign(signing[alg].privateKey);
    expect(await admits(settings, await forge("ES256", signing.ES256.kid))).toBe(true);
    expect(await admits(settings, await forge("ES256", signing.EdDSA.kid))).toBe(false);
    expect(await admits(settings, await forge("EdDSA", signing.ES256.kid))).toBe(false);
    // Nothing has ever been signed by this one.
    expect(await admits(settings, await forge("EdDSA", signing.EdDSA.kid))).toBe(false);
  });
});

describe("a signer that signs no longer", () => {
  test("is accepted for 90 days, and then removed", async () => {
    const token = await register(isolate());
    const other = { PUBLIC_URL: "https://other.example.com", TOKEN_KEY_DELAY_SECONDS: "0" };
    await register(isolate(other));
    await minute(isolate(other));
    expect(await admits(isolate(other), token)).toBe(true);
    await database.exec(`UPDATE token_signers SET retired_at = retired_at - ${90 * DAY_MS} WHERE retired_at > 0`);
    expect(await admits(isolate(other), token)).toBe(false);
  });

  test("is new again when the settings are changed back", async () => {
    await register(isolate());
    const other = { PUBLIC_URL: "https://other.example.com" };
    await register(isolate(other));
    later(DELAY_MS + MINUTE_MS);
    await minute(isolate(other));
    expect(decodeJwt(await register(isolate(other))).iss).toBe("https://other.example.com");
    expect(decodeJwt(await register(isolate())).iss).toBe("https://other.example.com");
    later(DELAY_MS + MINUTE_MS);
    expect(decodeJwt(await register(isolate())).iss).toBe(ORIGIN);
  });

  test("comes back at once when the settings are changed back before the other one signs", async () => {
    await register(isolate());
    await register(isolate({ PUBLIC_URL: "https://other.example.com" }));
    expect(decodeJwt(await register(isolate())).iss).toBe(ORIGIN);
  });
});

describe("the discovery documents", () => {
  const document = {
    issuer: ORIGIN,
    jwks_uri: `${ORIGIN}/.well-known/jwks.json`,
    response_types_supported: [],
    grant_types_supported: [],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["EdDSA"],
    access_token_signing_alg_values_supported: ["EdDSA"],
    service_documentation: expect.stringContaining(`${ORIGIN}/docs/`),
  };

  test.each(["openid-configuration", "oauth-authorization-server"])(
    "%s says who issues and where the keys are",
    async (name) => {
      const { status, body } = await ask(isolate(), "GET", `/.well-known/${name}`);
      expect([status, body]).toEqual([200, expect.objectContaining(document)]);
      const token = await register(isolate());
      expect(body.claims_supported.toSorted()).toEqual([...Object.keys(decodeJwt(token))].sort());
    },
  );

  test.each(["postern", "https://auth.example.com/", "https://auth.example.com/a", "ftp://auth.example.com"])(
    "are 404 where the issuer is %s",
    async (issuer) => {
      const { status, body } = await ask(isolate({ TOKEN_ISSUER: issuer }), "GET", "/.well-known/openid-configuration");
      expect([status, body.message]).toEqual([404, "Set PUBLIC_URL to publish this."]);
    },
  );

  test("the issuer is the origin of APP_URL without PUBLIC_URL", async () => {
    const settings = isolate({ PUBLIC_URL: "", APP_URL: "https://app.example.com/console", ...noProviders });
    expect((await ask(settings, "GET", "/.well-known/openid-configuration")).body.issuer).toBe(
      "https://app.example.com",
    );
  });
});

/** Providers need PUBLIC_URL. */
const noProviders = Object.fromEntries(
  ["GOOGLE", "GITHUB", "MICROSOFT", "OIDC"].flatMap((name) => [
    [`${name}_CLIENT_ID`, ""],
    [`${name}_CLIENT_SECRET`, ""],
    ["OIDC_ISSUER", ""],
  ]),
);
