/** Who signs tokens when the settings change, and while versions that know nothing of it still run. */
import { env } from "cloudflare:workers";
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify, SignJWT } from "jose";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { parseConfig } from "../../src/base/config/config";
import { deriveKeyRing } from "../../src/base/crypto/keys";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../src/base/time";
import {
  admits,
  algorithmsOf,
  DELAY_MS,
  database,
  formerAdmits,
  formerToken,
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

  test("is the default, because half of the libraries refuse EdDSA", () => {
    expect(parseConfig({ ...env, TOKEN_ALGORITHM: undefined }).tokenAlgorithm).toBe("ES256");
    expect(env.TOKEN_ALGORITHM).toBe("ES256");
  });

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
