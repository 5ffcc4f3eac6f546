/** Apps that somebody signs in to with a session that the tenant's own sign-on has opened. */
import { env } from "cloudflare:workers";
import { decodeJwt } from "jose";
import { beforeAll, describe, expect, test } from "vitest";
import type { SignedOn } from "../../src/sign-on/signed-on";
import {
  type App,
  Browser,
  begin,
  exchangeOf,
  finished,
  forgetClientsKey,
  newApp,
  postTo,
  postToken,
  proofOf,
  signInTo,
  userinfoOf,
} from "../support/apps";
import { call, type Person, signUpVerified } from "../support/client";
import { arrive, type Connection, knownWord, newConnection, signOnAs, wordOf } from "../support/signed-on";

let app: App;
let person: Person;
let connection: Connection;

/** A browser in the console, signed on. */
async function signedOn(more: Partial<SignedOn> = {}): Promise<Browser> {
  const { browser: arrived, code } = await arrive(wordOf(connection, { email: person.email, subject: "ada", ...more }));
  const browser = new Browser();
  for (const [name, value] of arrived.jar) browser.jar.set(name, value);
  const page = await browser.open(`/console/oauth?code=${code}`);
  expect([page.status, page.next]).toEqual([303, expect.stringContaining("/console")]);
  return browser;
}

/** Somebody with a tenant of their own besides, a passkey and TOTP: none of it counts here. */
beforeAll(async () => {
  forgetClientsKey();
  const boss = await signUpVerified();
  [app, connection] = [await newApp({ consent: "skip" }), await newConnection(boss.tenantId)];
  const own = await signUpVerified();
  person = { ...own, email: `ada-${crypto.randomUUID()}@${connection.domain}` };
  await env.DB.prepare("UPDATE users SET email = ?, totp_enabled_at = 1 WHERE id = ?")
    .bind(person.email, person.userId)
    .run();
});

describe("a confined session", () => {
  test("signs in to an app in its tenant alone, and the app learns by which provider", async () => {
    const browser = await signedOn();
    const { claims } = await finished(app, person, browser);
    expect(claims).toMatchObject({ tid: connection.tenantId, idp: connection.id, acr: "urn:postern:acr:1" });
    const elsewhere = await begin(app, { tenant: person.tenantId, prompt: "none" });
    const { searchParams } = new URL((await browser.open(elsewhere.url)).next ?? "");
    expect(searchParams.get("error")).toBe("access_denied");
  });

  test("has two factors where the connection trusts its provider, and never a passkey's", async () => {
    const browser = await signedOn({ hasTrustedMfa: true });
    expect((await finished(app, person, browser)).claims["acr"]).toBe("urn:postern:acr:2");
    const asked = await finished(app, person, browser, { acr_values: "phr" });
    expect(asked.claims["acr"]).toBe("urn:postern:acr:2");
  });

  test("cannot reach what an app requires by factors of the person's own", async () => {
    const strict = await newApp({ consent: "skip", acr: "mfa" });
    const browser = await signedOn();
    const { url } = await begin(strict);
    const { searchParams } = new URL((await browser.open(url)).next ?? "");
    expect(searchParams.get("error")).toBe("unmet_authentication_requirements");
  });

  test("is told of in the ID tokens of the operator's own apps alone", async () => {
    const asking = await newApp({ consent: "ask" });
    const { claims, tokens, flow } = await finished(asking, person, await signedOn());
    const said = await userinfoOf(flow, tokens.access_token, claims.sub);
    expect([claims, decodeJwt(tokens.access_token), said].map((one) => "idp" in one)).toEqual([false, false, false]);
    expect(claims["tid"]).toBe(connection.tenantId);
    const own = await finished(app, person, await signedOn());
    expect(["idp" in own.claims, "idp" in decodeJwt(own.tokens.access_token)]).toEqual([true, false]);
  });

  test("is told of by what an app renews, after it has ended", async () => {
    const { tokens } = await finished(app, person, await signedOn(), { scope: "openid offline_access" });
    await env.DB.prepare("DELETE FROM sessions WHERE user_id = ?").bind(person.userId).run();
    const form = { ...proofOf(app), grant_type: "refresh_token", refresh_token: tokens.refresh_token ?? "" };
    const { status, body } = await postTo("/oauth/token", form);
    expect([status, decodeJwt(String(body["id_token"]))]).toEqual([
      200,
      expect.objectContaining({ idp: connection.id }),
    ]);
  });

  test("shows and disconnects apps in its tenant alone", async () => {
    const owner = await signUpVerified();
    const somebody = await signUpVerified();
    const asking = await newApp({ consent: "ask" });
    await finished(asking, somebody);
    const list = async ({ token }: Pick<Person, "token">) => (await call("GET", "/auth/apps", { token })).body.data;
    const [elsewhere] = await list(somebody);
    const confined = await signOnAs(await knownWord({ ...somebody, tenantId: owner.tenantId }));
    expect([elsewhere.client.id, await list(confined)]).toEqual([asking.id, []]);
    const at = `/auth/apps/${elsewhere.id}`;
    expect((await call("DELETE", at, { token: confined.token })).status).toBe(404);
    expect(await list(somebody)).toHaveLength(1);
  });
});

test("prompt=none is answered with login_required where the tenant requires its own sign-on", async () => {
  const owner = await signUpVerified();
  await newConnection(owner.tenantId);
  const member = await signUpVerified();
  await env.DB.prepare("INSERT INTO memberships (tenant_id, user_id, role, created_at) VALUES (?, ?, 'viewer', 1)")
    .bind(owner.tenantId, member.userId)
    .run();
  const there = { tenant: owner.tenantId };
  const { browser } = await finished(app, member, new Browser(), there);
  const early = await begin(app, there);
  const answered = await signInTo(early, member, browser);
  await env.DB.prepare("UPDATE tenants SET sign_on = 'all', sign_on_from = 1, sign_on_begun_at = 1 WHERE id = ?")
    .bind(owner.tenantId)
    .run();
  const silently = async (tenant: string) => {
    const { url } = await begin(app, { tenant, prompt: "none" });
    const { searchParams } = new URL((await browser.open(url)).next ?? "");
    return searchParams.get("error");
  };
  expect([await silently(owner.tenantId), await silently(member.tenantId)]).toEqual(["login_required", null]);
  // The page comes before any other one, and so does the refusal of a code from before.
  const { url } = await browser.follow((await begin(app, { ...there, acr_values: "phr" })).url);
  expect(new URL(url, "https://postern.test").pathname).toBe("/account/sign-on/required");
  const { status, body } = await postToken(exchangeOf(app, early, answered));
  expect([status, body["error"]]).toEqual([400, "invalid_grant"]);
});
