/** `postern/session` and what it fetches: the issuer's keys and its list of what is revoked. */
import { beforeEach, describe, expect, test } from "vitest";
import {
  CLAIMS,
  count,
  issuer,
  key,
  listOf,
  NOW,
  openIssuer,
  other,
  prefixOf,
  served,
  tokenOf,
  unpublished,
  verdict,
  verifier,
} from "../support/session-issuer";

beforeEach(openIssuer);

describe("keys", () => {
  test("1,000 unknown ones are looked for once in 30 seconds", async () => {
    const sessions = verifier({ revocation: "off" });
    await sessions.verify(await tokenOf());
    const flood = async () => {
      const tokens = await Promise.all(Array.from({ length: 1000 }, (_, n) => tokenOf({}, { kid: `k${n}` })));
      return new Set(await Promise.all(tokens.map((token) => verdict(token, sessions))));
    };
    expect([[...(await flood())], count("jwks.json")]).toEqual([["UNKNOWN_KEY"], 1]);
    issuer.nowMs += 30_000;
    expect([[...(await flood())], count("jwks.json")]).toEqual([["UNKNOWN_KEY"], 2]);
  });

  test("a new one is found when its first token comes", async () => {
    const sessions = verifier();
    await sessions.verify(await tokenOf());
    issuer.nowMs += 30_000;
    issuer.keys = () => Response.json({ keys: [unpublished.jwk, key.jwk] });
    expect(await verdict(await tokenOf({}, {}, unpublished), sessions)).toBe("accepted");
  });

  test("that were there stay when the issuer fails, and one that it takes back goes", async () => {
    const sessions = verifier({ revocation: "off" });
    await sessions.verify(await tokenOf());
    issuer.nowMs += 30_000;
    issuer.keys = () => new Response(null, { status: 500 });
    expect(await verdict(await tokenOf({}, {}, unpublished), sessions)).toBe("UNKNOWN_KEY");
    expect(await verdict(await tokenOf(), sessions)).toBe("accepted");
    issuer.nowMs += 30_000;
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
      issuer.nowMs += 1000;
    }
    expect(tags).toEqual([null, 'W/"one"', 'W/"one"']);
  });

  test("off asks for nothing", async () => {
    const { revocation } = await verifier({ revocation: "off" }).verify(await tokenOf());
    expect(revocation).toEqual({ checked: false, stale: false, asOf: null });
    expect(issuer.asked).toEqual(["/.well-known/jwks.json"]);
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
      issuer.nowMs += 14_000;
      for (const sessions of [accepting, refusing]) expect(await verdict(token, sessions)).toBe("accepted");
      issuer.nowMs += 2_000;
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
