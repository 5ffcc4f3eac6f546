/** Signing in with providers: the trip there and back, with providers that behave and providers that do not. */
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { parseConfig } from "../../src/base/config/config";
import { call } from "../support/client";
import {
  claimsOf,
  codeFor,
  comeBack,
  depart,
  exchange,
  newBrowser,
  newPersonAtProvider,
  OAUTH,
  type Script,
  signInAs,
  trip,
} from "../support/oauth";

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const MINUTE_MS = 60_000;

test("a `to` that would not fit into the cookie is refused", async () => {
  const start = (to: string) => newBrowser().send("GET", `/api/v1/auth/oauth/oidc?to=${encodeURIComponent(to)}`);
  expect((await start("ü".repeat(500))).status).toBe(302);
  expect((await start("ü".repeat(501))).status).toBe(400);
});

describe("a sign-in with a provider", () => {
  test("leaves with PKCE, a nonce and a state, which only the browser can read back to us", async () => {
    const browser = newBrowser();
    const answer = await browser.send("GET", `${OAUTH}/oidc?to=/console/events`);
    expect(answer.status).toBe(302);
    const url = new URL(answer.location ?? "");
    expect(url.origin + url.pathname).toBe("https://id.issuer.example/authorize");
    const fields = Object.fromEntries(url.searchParams);
    expect(fields).toMatchObject({
      client_id: "an-id",
      redirect_uri: "https://postern.test/api/v1/auth/oauth/oidc/callback",
      response_type: "code",
      scope: "openid email profile",
      code_challenge_method: "S256",
    });
    for (const name of ["state", "nonce", "code_challenge"]) expect(fields[name]).toMatch(/^[\w-]{43}$/);
    const [cookie = ""] = answer.headers.getSetCookie();
    expect(cookie).toMatch(/^__Host-postern-oauth-flow=[^;]+; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Lax$/);
    for (const name of ["state", "nonce"]) expect(cookie).not.toContain(fields[name]);
    expect(answer.headers.get("cache-control")).toBe("no-store");
  });

  test("ends at the client with a code, which opens a session in that browser and is of no use in another", async () => {
    const person = newPersonAtProvider({ email: "", email_verified: true });
    const [browser, thief] = [newBrowser(), newBrowser()];
    const departure = await depart(browser, "oidc", "?to=/somewhere");
    const claims = { ...claimsOf(departure, person), email: newPersonAtProvider().email };
    const back = await comeBack(browser, "oidc", departure, { claims });
    expect(back.origin + back.pathname).toBe(`${env.APP_URL}/oauth`);
    expect(back.searchParams.get("to")).toBe("/somewhere");
    const code = back.searchParams.get("code") ?? "";
    expect(code).toMatch(/^[\w-]{43}$/);
    expect((await exchange(thief, code)).body.code).toBe("INVALID_TOKEN");
    expect((await exchange(browser, `${code}x`)).body.code).toBe("INVALID_TOKEN");
    const { status, body } = await exchange(browser, code);
    expect([status, Object.keys(body.data)]).toEqual([200, ["accessToken", "refreshToken"]]);
    expect((await call("GET", "/auth/me", { token: body.data.accessToken })).body.data).toMatchObject({
      email: claims.email,
      name: "Ada Lovelace",
      emailVerified: true,
      role: "owner",
    });
    expect((await exchange(browser, code)).body.code).toBe("INVALID_TOKEN");
    expect(browser.jar.size).toBe(0);
  });

  test("takes the address from the userinfo endpoint if the ID token has none, for the same person only", async () => {
    const { sub, ...info } = newPersonAtProvider();
    const browser = newBrowser();
    for (const [userinfo, status] of [
      [{ sub, ...info }, 200],
      [{ sub: "somebody else", ...info }, null],
    ] as const) {
      const departure = await depart(browser, "oidc");
      const back = await comeBack(browser, "oidc", departure, { claims: claimsOf(departure, { sub }), userinfo });
      const code = back.searchParams.get("code");
      if (status === null) expect(back.searchParams.get("error")).toBe("invalid_response");
      else expect((await exchange(browser, code ?? "")).status).toBe(status);
    }
  });

  test("opens one session for 20 exchanges of a code at once, and one account", async () => {
    const person = newPersonAtProvider();
    const browser = newBrowser();
    for (const accounts of [1, 1]) {
      const code = await trip(browser, person);
      const jar = new Map(browser.jar);
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => {
          const copy = newBrowser();
          for (const [name, value] of jar) copy.jar.set(name, value);
          return exchange(copy, code);
        }),
      );
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
      const count = await env.DB.prepare("SELECT count(*) AS n FROM users WHERE email = ?")
        .bind(person.email)
        .first("n");
      expect(count).toBe(accounts);
    }
  });

  test("is over after ten minutes at the provider, and its code after one", async () => {
    const browser = newBrowser();
    const person = newPersonAtProvider();
    const departure = await depart(browser, "oidc");
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 10 * MINUTE_MS });
    const late = await comeBack(browser, "oidc", departure, { claims: claimsOf(departure, person) });
    expect(late.searchParams.get("error")).toBe("expired");
    const code = await trip(browser, person);
    vi.setSystemTime(Date.now() + MINUTE_MS);
    expect((await exchange(browser, code)).body.code).toBe("INVALID_TOKEN");
  });
});

describe("a provider's answer is refused", () => {
  const now = () => Math.floor(Date.now() / 1000);
  const WRONG: Record<string, (claims: Record<string, unknown>) => Script> = {
    "another nonce": (claims) => ({ claims: { ...claims, nonce: "another" } }),
    "no nonce": ({ nonce: _, ...claims }) => ({ claims }),
    "another issuer": (claims) => ({ claims: { ...claims, iss: "https://accounts.google.com" } }),
    "another audience": (claims) => ({ claims: { ...claims, aud: "another-id" } }),
    "several audiences without saying for whom": (claims) => ({ claims: { ...claims, aud: ["an-id", "another-id"] } }),
    "an expired token": (claims) => ({ claims: { ...claims, exp: now() - 120 } }),
    "no subject": ({ sub: _, ...claims }) => ({ claims }),
    "a subject of 256 characters": (claims) => ({ claims: { ...claims, sub: "x".repeat(256) } }),
    "another's signature": (claims) => ({ claims, signedBy: "foreign" }),
    "another's signature under an unknown key": (claims) => ({ claims, signedBy: "foreign", header: { kid: "key-2" } }),
    "no signature": (claims) => ({ claims, signedBy: "nobody", header: { alg: "none" } }),
    "an empty signature": (claims) => ({ claims, signedBy: "nobody" }),
    "a MAC with the public key": (claims) => ({ claims, signedBy: "the public key", header: { alg: "HS256" } }),
    "no ID token": () => ({}),
    "an ID token that is none": () => ({ body: '{"access_token":"a","token_type":"bearer","id_token":"a.b.c"}' }),
    "no JSON": () => ({ body: "<html>" }),
    "JSON that is no object": () => ({ body: "null" }),
  };

  test.each(Object.entries(WRONG))("with %s", async (_, wrong) => {
    const browser = newBrowser();
    const departure = await depart(browser, "oidc");
    const script = wrong(claimsOf(departure, newPersonAtProvider()));
    const back = await comeBack(browser, "oidc", departure, script);
    expect([back.pathname, [...back.searchParams]]).toEqual(["/console/oauth", [["error", "invalid_response"]]]);
    expect(browser.jar.size).toBe(0);
  });

  test("for another state, none, another browser's, another provider's, one without a code, and one used before", async () => {
    const browser = newBrowser();
    const person = newPersonAtProvider();
    const errorOf = async (changed: Record<string, string>, by = browser, provider = "oidc") => {
      const departure = await depart(browser, "oidc");
      const claims = claimsOf(departure, person);
      return (await comeBack(by, provider, departure, { claims }, changed)).searchParams.get("error");
    };
    expect(await errorOf({ state: "another" })).toBe("invalid_response");
    expect(await errorOf({ state: "" })).toBe("invalid_response");
    expect(await errorOf({ iss: "https://evil.example" })).toBe("invalid_response");
    expect(await errorOf({ code: "" })).toBe("invalid_response");
    expect(await errorOf({}, newBrowser())).toBe("expired");
    expect(await errorOf({}, browser, "google")).toBe("expired");
    expect(await errorOf({ error: "access_denied" })).toBe("access_denied");
    expect(await errorOf({ error: "temporarily_unavailable" })).toBe("provider_unavailable");
    expect(await errorOf({ error: "a word\nfrom the query" })).toBe("invalid_response");
    const departure = await depart(browser, "oidc");
    const script = { claims: claimsOf(departure, person) };
    expect((await comeBack(browser, "oidc", departure, script)).searchParams.has("code")).toBe(true);
    expect((await comeBack(browser, "oidc", departure, script)).searchParams.get("error")).toBe("expired");
  });

  test("for a code of another browser's flow, by PKCE", async () => {
    const [browser, thief] = [newBrowser(), newBrowser()];
    const [victim, own] = [await depart(browser, "oidc"), await depart(thief, "oidc")];
    const stolen = codeFor(victim, { claims: claimsOf(own, newPersonAtProvider()) });
    const back = await comeBack(thief, "oidc", own, {}, { code: stolen });
    expect(back.searchParams.get("error")).toBe("invalid_response");
  });
});

describe("a provider that is down", () => {
  test.each([
    ["down", "provider_unavailable"],
    ["huge", "provider_unavailable"],
    // It passes for Google, whose people are known by their issuer.
    ["google", "invalid_response"],
    ["script", "invalid_response"],
  ])("at %s.issuer.example leads to an error page", async (host, error) => {
    const browser = newBrowser({ OIDC_ISSUER: `https://${host}.issuer.example` });
    const { status, location } = await browser.send("GET", `${OAUTH}/oidc`);
    expect([status, location]).toEqual([302, `${env.APP_URL}/oauth?error=${error}`]);
  });

  test("keeps nobody waiting for more than five seconds", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const browser = newBrowser({ OIDC_ISSUER: "https://hang.issuer.example" });
    const { location } = await browser.send("GET", `${OAUTH}/oidc`);
    expect(location).toBe(`${env.APP_URL}/oauth?error=provider_unavailable`);
    expect(warn.mock.calls.map(([line]) => JSON.parse(String(line)))).toContainEqual({
      level: "warn",
      message: "sign-in with a provider failed",
      provider: "oidc",
      reason: "no answer within 5 seconds",
    });
  });

  test.each([500, 503])("with %i at its token endpoint leads to an error page", async (status) => {
    const browser = newBrowser();
    const back = await comeBack(browser, "oidc", await depart(browser, "oidc"), { status });
    expect(back.searchParams.get("error")).toBe("provider_unavailable");
  });
});

describe("while a provider is off", () => {
  const OFF = { OIDC_ISSUER: "", OIDC_CLIENT_ID: "", OIDC_CLIENT_SECRET: "" };
  const ALL_OFF = {
    ...OFF,
    ...Object.fromEntries(
      ["GOOGLE", "GITHUB", "MICROSOFT"].flatMap((name) =>
        [`${name}_CLIENT_ID`, `${name}_CLIENT_SECRET`].map((one) => [one, ""]),
      ),
    ),
  };

  test("its routes are not there, nor are those of unknown ones", async () => {
    const browser = newBrowser(OFF);
    for (const path of [`${OAUTH}/oidc`, `${OAUTH}/oidc/callback`, `${OAUTH}/nobody`, `${OAUTH}/constructor`]) {
      expect([path, (await browser.send("GET", path)).status]).toEqual([path, 404]);
    }
    expect((await browser.send("GET", `${OAUTH}/google`)).status).toBe(302);
    const off = newBrowser(ALL_OFF);
    const { body } = await call("POST", "/auth/register", {
      body: { email: newPersonAtProvider().email, password: "correct horse battery" },
    });
    const { accessToken: token } = body.data;
    expect((await exchange(off, "x")).body.message).toBe("Route not found");
    expect((await off.send("GET", "/api/v1/auth/identities", { token })).status).toBe(404);
    expect((await off.send("POST", "/api/v1/auth/identities/google", { token, body: {} })).status).toBe(404);
  });

  const settings = { ...env, ...ALL_OFF, PUBLIC_URL: "" };
  const google = { GOOGLE_CLIENT_ID: "id", GOOGLE_CLIENT_SECRET: "secret", PUBLIC_URL: "https://postern.test" };
  test.each([
    [{ ...google, GOOGLE_CLIENT_SECRET: "" }, "GOOGLE_CLIENT_SECRET must be set with GOOGLE_CLIENT_ID"],
    [{ ...google, GOOGLE_CLIENT_ID: "" }, "GOOGLE_CLIENT_ID must be set with GOOGLE_CLIENT_SECRET"],
    [{ ...google, PUBLIC_URL: "" }, "PUBLIC_URL must be set to let people sign in with a provider"],
    [{ ...google, PUBLIC_URL: "http://postern.test" }, "PUBLIC_URL must be an https origin"],
    [{ ...google, PUBLIC_URL: "https://postern.test/" }, "PUBLIC_URL must be an https origin"],
    [{ OIDC_ISSUER: "https://id.example" }, "OIDC_CLIENT_ID and OIDC_CLIENT_SECRET must be set with OIDC_ISSUER"],
    [{ ...google, OIDC_CLIENT_ID: "id", OIDC_CLIENT_SECRET: "secret" }, "OIDC_ISSUER must be set with OIDC_CLIENT_ID"],
    [{ OIDC_ISSUER: "http://id.example" }, "OIDC_ISSUER must be an https URL"],
  ])("half a setting turns the provider off: %j", (half, message) => {
    const { refused, providers } = parseConfig({ ...settings, ...half });
    expect(refused.join()).toContain(message);
    expect(Object.values(providers).filter(Boolean).length).toBeLessThan(2);
  });

  test("the service runs", () => {
    expect(parseConfig(settings).providers).toEqual({});
    expect(parseConfig({ ...settings, ...google }).providers.google).toEqual({
      clientId: "id",
      clientSecret: "secret",
    });
  });
});

test("an exchange needs a body with a code", async () => {
  const browser = newBrowser();
  for (const body of [{}, { code: "" }, { code: 7 }, { code: "x".repeat(1001) }]) {
    expect((await browser.send("POST", `${OAUTH}/exchange`, { body })).body.code).toBe("VALIDATION_FAILED");
  }
  expect((await signInAs(browser, newPersonAtProvider())).status).toBe(200);
});
