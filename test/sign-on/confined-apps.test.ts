/** Apps that somebody signs in to with a session that the tenant's own sign-on has opened. */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import type { SignedOn } from "../../src/sign-on/signed-on";
import { type App, Browser, begin, finished, forgetClientsKey, newApp } from "../support/apps";
import { type Person, signUpVerified } from "../support/client";
import { arrive, type Connection, newConnection, wordOf } from "../support/signed-on";

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
});
