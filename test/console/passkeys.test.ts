/** Passkeys in the console: the sign-in page, My security and the confirmation of a session. */
import { describe, expect, test } from "vitest";
import { make, ORIGIN, type SoftPasskey, show } from "../support/authenticator";
import { call, PASSWORD, type Person, signUp, signUpVerified } from "../support/client";
import { type ConsoleBrowser, holding, visit } from "../support/console";
import { unverify, withPasskey } from "../support/passkeys";
import { tire } from "../support/people";
import { enrol } from "../support/two-factor";

/** A browser at the address of `APP_URL`, where passkeys work; with a person, signed in. */
async function atHome(person?: Person): Promise<ConsoleBrowser> {
  const browser = visit(ORIGIN);
  const cookie = person && (await holding(person)).jar.get("__Host-postern-session");
  if (cookie) browser.jar.set("postern-session", cookie);
  return browser;
}

/** What the page's form for passkeys holds, as its script reads it. */
function startIn(html: string) {
  const [, options = ""] = html.match(/data-options="([^"]+)"/) ?? [];
  const [, state = ""] = html.match(/name="state" value="([^"]+)"/) ?? [];
  return { state, options: JSON.parse(options.replaceAll("&quot;", '"')), expiresAt: "" };
}

/** What the script fills in. */
async function filled(html: string, passkey: SoftPasskey, wrong = {}) {
  const start = startIn(html);
  return { state: start.state, response: JSON.stringify(await show(start, passkey, wrong)) };
}

describe("the sign-in page", () => {
  test("takes a passkey instead of the password and the code, and leads to where the user was going", async () => {
    const { person, passkey } = await withPasskey();
    await enrol(person);
    const browser = await atHome();
    const { html } = await browser.get("/sign-in?to=/console/api-keys");
    expect(html.indexOf("Sign in with a passkey")).toBeLessThan(html.indexOf('name="password"'));
    expect(html).toContain('autocomplete="username webauthn"');
    const fields = { ...(await filled(html, passkey)), to: "/console/api-keys" };
    const answer = await browser.post("/sign-in/passkey", fields);
    expect([answer.status, answer.location]).toEqual([303, "/console/api-keys"]);
    expect((await browser.get("/security")).html).toContain("My phone");
    const again = await (await atHome()).post("/sign-in/passkey", fields);
    expect([again.status, again.html.includes("Invalid passkey.")]).toEqual([401, true]);
  });

  test("gets new options for a page that is open for long", async () => {
    const { passkey } = await withPasskey();
    const browser = await atHome();
    const start = JSON.parse((await browser.get("/sign-in/passkey/options")).html);
    const fields = { state: start.state, response: JSON.stringify(await show(start, passkey)) };
    expect((await browser.post("/sign-in/passkey", fields)).status).toBe(303);
  });

  test("says what to do about an unverified address, and refuses what no script has filled in", async () => {
    const { person, passkey } = await withPasskey();
    await unverify(person);
    const browser = await atHome();
    const { html } = await browser.get("/sign-in");
    const unverified = await browser.post("/sign-in/passkey", await filled(html, passkey));
    expect([unverified.status, unverified.html.includes("Check your mail for the link.")]).toEqual([403, true]);
    for (const response of ["", "no JSON", "null", "[]", "{}"]) {
      expect((await browser.post("/sign-in/passkey", { state: "x", response })).status).toBe(400);
    }
    const foreign = await browser.post("/sign-in/passkey", {}, { origin: "https://evil.example" });
    expect(foreign.status).toBe(403);
  });

  test("offers no passkeys at an address where they do not work", async () => {
    const person = await signUp();
    expect((await visit().get("/sign-in")).html).not.toContain("passkey</button>");
    expect((await (await holding(person)).get("/security")).html).not.toContain("Add a passkey");
  });
});

describe("My security", () => {
  test("adds, renames and removes passkeys", async () => {
    const person = await signUpVerified();
    const browser = await atHome(person);
    const { html } = await browser.get("/security/passkeys/new");
    const { passkey, response } = await make(startIn(html));
    const fields = { state: startIn(html).state, response: JSON.stringify(response) };
    const nameless = await browser.post("/security/passkeys", { ...fields, name: "" });
    expect([nameless.status, nameless.html.includes('data-passkey="create"')]).toEqual([400, true]);
    const added = await browser.follow(await browser.post("/security/passkeys", { ...fields, name: "Laptop" }));
    expect(added.html).toContain("Passkey added.");
    const accepted = (ids: string) => `allAcceptedCredentialIds&quot;:[${ids}]`;
    expect(added.html).toContain(accepted(`&quot;${passkey.id}&quot;`));
    const repeated = await browser.post("/security/passkeys", { ...fields, name: "Laptop" });
    expect([repeated.status, repeated.html.includes("This passkey has been added already.")]).toEqual([409, true]);
    const path = `/security/passkeys/${passkey.id}`;
    expect((await browser.post(`${path}/rename`, { name: "Old laptop" })).status).toBe(303);
    expect((await browser.get("/security")).html).toContain("<strong>Old laptop</strong>");
    expect((await browser.post(`${path}/rename`, { name: "x".repeat(65) })).status).toBe(400);
    const removed = await browser.follow(await browser.post(`${path}/remove`));
    expect([removed.html.includes("Passkey removed."), removed.html.includes("Old laptop")]).toEqual([true, false]);
    expect(removed.html).toContain(accepted(""));
    const stranger = await atHome(await signUp());
    expect((await stranger.post(`${path}/remove`)).status).toBe(404);
  });

  test("asks for a confirmation ten minutes after the sign-in, by the passkey and not by the password", async () => {
    const { person, passkey } = await withPasskey();
    const browser = await atHome(person);
    const newPage = "/console/security/passkeys/new";
    const confirmation = `/console/security/confirm?to=${encodeURIComponent(newPage)}`;
    const open = () => browser.get("/security/passkeys/new");
    await tire(person);
    const asked = await open();
    expect([asked.status, asked.location]).toEqual([303, confirmation]);
    const { html } = await browser.follow(asked);
    expect(html).toContain("Is your passkey on another device?");
    const weak = await browser.post("/security/confirm", { password: PASSWORD, to: newPage });
    expect(weak.status).toBe(403);
    const wrong = await filled(html, passkey, { origin: "https://evil.example" });
    const refused = await browser.post("/security/confirm", { ...wrong, to: newPage });
    expect(refused.status).toBe(400);
    const right = await filled(refused.html, passkey);
    const confirmed = await browser.post("/security/confirm", { ...right, to: newPage });
    expect([confirmed.status, confirmed.location]).toEqual([303, newPage]);
    expect((await open()).status).toBe(200);
    await tire(person);
    const removal = await browser.post(`/security/passkeys/${passkey.id}/remove`);
    expect(removal.location).toContain("/console/security/confirm?to=");
    const page = await browser.get("/security/confirm?to=");
    const elsewhere = { ...(await filled(page.html, passkey)), to: "https://evil.example/" };
    expect((await browser.post("/security/confirm", elsewhere)).location).toBe("/console");
    expect((await call("GET", "/auth/passkeys", { token: person.token })).body.data).toHaveLength(1);
  });
});
