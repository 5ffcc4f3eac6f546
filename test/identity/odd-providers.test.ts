/** Providers that follow the specifications in ways of their own. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { call } from "../support/client";
import {
  claimsOf,
  comeBack,
  depart,
  departureOf,
  exchange,
  newBrowser,
  newPersonAtProvider,
  type Script,
} from "../support/oauth";

/** Goes to a provider and back. Returns the profile of who is signed in, or the error. */
async function signIn(script: (claims: Record<string, unknown>) => Script, host = "id", claims = {}) {
  const browser = newBrowser({ OIDC_ISSUER: `https://${host}.issuer.example` });
  const departure = await depart(browser, "oidc");
  const back = await comeBack(browser, "oidc", departure, script(claimsOf(departure, newPersonAtProvider(claims))));
  const { body } = await exchange(browser, back.searchParams.get("code") ?? "");
  if (!body.data) return back.searchParams.get("error") ?? body.code;
  return (await call("GET", "/auth/me", { token: body.data.accessToken })).body.data;
}

test.each([true, 1, "true", "True", "TRUE", "1"])("email_verified %j counts as true", async (verified) => {
  const me = await signIn((claims) => ({ claims }), "id", { email_verified: verified });
  expect(me.emailVerified).toBe(true);
});

test.each([false, 0, "false", "0", "yes", "", null, [true], { a: 1 }])(
  "email_verified %j does not",
  async (verified) => {
    expect(await signIn((claims) => ({ claims }), "id", { email_verified: verified })).toBe("EMAIL_NOT_VERIFIED");
  },
);

test.each(["", null])("an address of %j in the ID token does not hide the one of userinfo", async (email) => {
  const info = newPersonAtProvider();
  const me = await signIn((claims) => ({ claims: { ...claims, sub: info.sub, email }, userinfo: info }));
  expect(me.email).toBe(info.email);
});

test("a name may stand in its parts, and an address in a list, which nobody vouches for", async () => {
  const parts = { name: "", given_name: "Ada\n", family_name: "Lovelace" };
  expect(await signIn((claims) => ({ claims: { ...claims, ...parts } }))).toMatchObject({ name: "Ada Lovelace" });
  const listed = ({ email, ...claims }: Record<string, unknown>): Script => ({
    claims,
    userinfo: { sub: claims["sub"], emails: [email], email_verified: true },
  });
  expect(await signIn(listed)).toBe("EMAIL_NOT_VERIFIED");
  const inToken = (claims: Record<string, unknown>) => ({
    claims: { ...claims, emails: [claims["email"]], email: "" },
  });
  expect(await signIn(inToken)).toBe("EMAIL_NOT_VERIFIED");
});

test("a provider that takes HTTP Basic only gets HTTP Basic", async () => {
  expect(await signIn((claims) => ({ claims }), "basic")).toMatchObject({ emailVerified: true });
});

test.each([
  ["other", "https://elsewhere.example", "https://elsewhere.example"],
  ["slashed", "https://slashed.issuer.example/", undefined],
])("a provider, %s, that calls itself %s is taken, and named if it is another one", async (host, iss, named) => {
  const me = await signIn((claims) => ({ claims: { ...claims, iss } }), host);
  expect(me).toMatchObject({ emailVerified: true });
  const browser = newBrowser({ OIDC_ISSUER: `https://${host}.issuer.example` });
  expect((await browser.send("GET", "/health?deep=1")).body.data.unexpectedIssuer).toBe(named);
});

test("a key that the provider has just published is looked for at once", async () => {
  expect(await signIn((claims) => ({ claims }), "rotating")).toMatchObject({ emailVerified: true });
  const byNewKey: Script = { signedBy: "foreign", header: { kid: "key-2" } };
  expect(await signIn((claims) => ({ claims, ...byNewKey }), "rotating")).toMatchObject({ emailVerified: true });
});

test("an ID token can be signed with the client's secret, and with no other one", async () => {
  const header = { alg: "HS256" };
  const script = (signedBy: "the secret" | "the public key") => (claims: object) =>
    ({ claims, header, signedBy }) as Script;
  expect(await signIn(script("the secret"))).toMatchObject({ emailVerified: true });
  expect(await signIn(script("the public key"))).toBe("invalid_response");
});

test("a provider that wants the request beforehand gets it there, and the browser carries its name alone", async () => {
  const browser = newBrowser({ OIDC_ISSUER: "https://pushing.issuer.example" });
  const { url } = await depart(browser, "oidc");
  expect([...url.searchParams.keys()].sort()).toEqual(["client_id", "request_uri"]);
  const asked = await (await env.RECEIVER.fetch(url.href)).json<Record<string, string>>();
  const query = new URLSearchParams(asked);
  const departure = departureOf(`https://pushing.issuer.example/?${query}`);
  const script = { claims: claimsOf(departure, newPersonAtProvider()) };
  const back = await comeBack(browser, "oidc", departure, script);
  expect((await exchange(browser, back.searchParams.get("code") ?? "")).status).toBe(200);
});
