/** Signing in with providers in the console: its buttons, the page that browsers come back to, and My security. */
import { describe, expect, test } from "vitest";
import { signUpVerified } from "../support/client";
import { codeIn, mailTo } from "../support/mailbox";
import { type Browser, claimsOf, comeBack, departureOf, newBrowser, newPersonAtProvider } from "../support/oauth";
import { codeOf, enrol } from "../support/two-factor";

/** The console is where browsers come back to. */
const CONSOLE = { APP_URL: "https://postern.test/console" };
const LABELS = ["Google", "GitHub", "Microsoft", "id.issuer.example"];

const buttonsOn = (html: string) => [...html.matchAll(/>Continue with ([^<]+)</g)].map(([, label]) => label);

/**
 * Follows a link of the console to the generic provider and back, as somebody there. Returns the path that the browser
 * comes back to.
 */
async function arrive(browser: Browser, url: string | null, person: Record<string, unknown>): Promise<string> {
  const departure = departureOf(url);
  const back = await comeBack(browser, "oidc", departure, { claims: claimsOf(departure, person) });
  return back.pathname + back.search;
}

const start = async (browser: Browser, to = "") => (await browser.send("GET", `/api/v1/auth/oauth/oidc${to}`)).location;

async function signIn(browser: Browser, person: Record<string, unknown>, to = "") {
  return browser.send("GET", await arrive(browser, await start(browser, to), person));
}

describe("the buttons", () => {
  test.each([
    ["/console/sign-in?to=%2Fconsole%2Fevents", "?to=%2Fconsole%2Fevents"],
    ["/console/register", ""],
    ["/console/register?invitation=c0ffee", "?invitationToken=c0ffee"],
  ])("are on %s", async (path, query) => {
    const { body } = await newBrowser(CONSOLE).send("GET", path);
    expect(buttonsOn(body)).toEqual(LABELS);
    expect(body).toContain(`href="/api/v1/auth/oauth/google${query}"`);
  });

  test("are not there for a provider that is off, nor if browsers come back to another client", async () => {
    const off = newBrowser({ ...CONSOLE, GOOGLE_CLIENT_ID: "", GOOGLE_CLIENT_SECRET: "" });
    expect(buttonsOn((await off.send("GET", "/console/sign-in")).body)).toEqual(LABELS.slice(1));
    const elsewhere = newBrowser({ APP_URL: "https://app.example" });
    expect(buttonsOn((await elsewhere.send("GET", "/console/sign-in")).body)).toEqual([]);
  });
});

describe("the page that browsers come back to", () => {
  test("signs in and goes on to where the user wanted to go, on this host only", async () => {
    const person = newPersonAtProvider();
    for (const [to, path] of [
      ["?to=/console/events", "/console/events"],
      ["?to=https://evil.example", "/console"],
      ["", "/console"],
    ] as const) {
      const browser = newBrowser(CONSOLE);
      const { status, location } = await signIn(browser, person, to);
      expect([status, location]).toEqual([303, path]);
      expect([...browser.jar.keys()]).toEqual(["__Host-postern-session"]);
      expect((await browser.send("GET", "/console/security")).body).toContain(person.email);
    }
  });

  test("asks for the second factor, again after a wrong one", async () => {
    const owner = await signUpVerified();
    const secret = await enrol(owner);
    const browser = newBrowser({ ...CONSOLE, LINK_BY_EMAIL: "always" });
    const asked = await signIn(browser, newPersonAtProvider({ email: owner.email }), "?to=/console/events");
    expect([asked.status, asked.body]).toEqual([200, expect.stringContaining("Two-factor code")]);
    const field = (name: string) => asked.body.match(new RegExp(`name="${name}" value="([^"]*)"`))?.[1] ?? "";
    const form = { code: field("code"), to: field("to") };
    const wrong = await browser.send("POST", "/console/oauth", { form: { ...form, totp: "000000" } });
    expect([wrong.status, wrong.body]).toEqual([401, expect.stringContaining("Invalid TOTP code.")]);
    const right = await browser.send("POST", "/console/oauth", { form: { ...form, totp: codeOf(secret) } });
    expect([right.status, right.location]).toEqual([303, "/console/events"]);
  });

  test("shows what went wrong, with the status of the API, and no text from the address", async () => {
    const browser = newBrowser(CONSOLE);
    const shown: [string, number, RegExp][] = [
      ["?error=access_denied", 400, /You did not allow the sign-in\./],
      ["?error=provider_unavailable", 400, /The provider could not be reached\./],
      ["?error=%3Cb%3Eevil", 400, /Try again\./],
      ["?error=constructor", 400, /Try again\./],
      ["?code=unknown", 400, /Invalid or expired code\./],
      ["", 400, /correct the marked fields/],
    ];
    for (const [query, status, text] of shown) {
      const answer = await browser.send("GET", `/console/oauth${query}`);
      expect([query, answer.status, answer.body]).toEqual([query, status, expect.stringMatching(text)]);
      expect(answer.body).toContain('href="/console/sign-in"');
      expect(answer.body).not.toContain("evil");
    }
    const owner = await signUpVerified();
    const withoutCodes = newBrowser({ ...CONSOLE, MAIL_CODE: "off" });
    const conflict = await signIn(withoutCodes, newPersonAtProvider({ email: owner.email, email_verified: false }));
    expect([conflict.status, conflict.body]).toEqual([409, expect.stringContaining("then link id.issuer.example")]);
  });

  test("is not there while every provider is off", async () => {
    const off = Object.fromEntries(
      ["GOOGLE", "GITHUB", "MICROSOFT", "OIDC"].flatMap((name) => [
        [`${name}_CLIENT_ID`, ""],
        [`${name}_CLIENT_SECRET`, ""],
      ]),
    );
    const browser = newBrowser({ ...off, OIDC_ISSUER: "" });
    expect((await browser.send("GET", "/console/oauth?code=x")).status).toBe(404);
    expect((await browser.send("POST", "/console/oauth", { form: { code: "x" } })).status).toBe(404);
  });
});

describe("the account that has the address", () => {
  const hidden = (html: string) =>
    Object.fromEntries(
      [...html.matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value]),
    );

  /** Signs in with a provider as somebody with the address of `owner`, and has a code mailed. */
  async function ask(browser: Browser, email: string) {
    const asked = await signIn(browser, newPersonAtProvider({ email }), "?to=/console/events");
    expect([asked.status, asked.body]).toEqual([200, expect.stringContaining("Is this account yours?")]);
    const mailed = await browser.send("POST", "/console/oauth/mail-code", { form: hidden(asked.body) });
    expect([mailed.status, mailed.body]).toEqual([200, expect.stringContaining(`on its way to ${email}`)]);
    return { form: hidden(mailed.body), code: codeIn(await mailTo(email, /sign-in code/)) };
  }

  test("is linked with a mailed code, after which its second factor is asked for", async () => {
    const owner = await signUpVerified();
    const secret = await enrol(owner);
    const browser = newBrowser(CONSOLE);
    const { form, code } = await ask(browser, owner.email);
    const send = (typed: object) => browser.send("POST", "/console/oauth", { form: { ...form, ...typed } });
    const wrong = await send({ "mailCode.code": code === "000000" ? "000001" : "000000" });
    expect([wrong.status, wrong.body]).toEqual([401, expect.stringContaining("on its way to")]);
    const right = await send({ "mailCode.code": code });
    expect(right.body).toContain("Two-factor code");
    const done = await browser.send("POST", "/console/oauth", {
      form: { ...hidden(right.body), totp: codeOf(secret) },
    });
    expect([done.status, done.location]).toEqual([303, "/console/events"]);
    expect((await browser.send("GET", "/console/security")).body).toContain("Remove oidc");
  });

  test("signs in a new person whose address the provider does not vouch for, with the code that is mailed", async () => {
    const person = newPersonAtProvider({ email_verified: undefined });
    const browser = newBrowser(CONSOLE);
    const asked = await signIn(browser, person, "?to=/console/events");
    expect([asked.status, asked.body]).toEqual([200, expect.stringContaining(`on its way to ${person.email}`)]);
    const form = { ...hidden(asked.body), "mailCode.code": codeIn(await mailTo(person.email, /sign-in code/)) };
    const done = await browser.send("POST", "/console/oauth", { form });
    expect([done.status, done.location]).toEqual([303, "/console/events"]);
  });

  test("is not linked by a code that the browser did not ask for", async () => {
    const owner = await signUpVerified();
    const { code } = await ask(newBrowser(CONSOLE), owner.email);
    const browser = newBrowser(CONSOLE);
    const asked = await signIn(browser, newPersonAtProvider({ email: owner.email }));
    const form = { ...hidden(asked.body), "mailCode.code": code };
    expect((await browser.send("POST", "/console/oauth", { form })).status).toBe(400);
    const stranger = await newBrowser(CONSOLE).send("POST", "/console/oauth/mail-code", { form });
    expect([stranger.status, stranger.body]).toEqual([400, expect.stringContaining("Invalid or expired code.")]);
  });

  test.each([
    ["LINK_BY_EMAIL is never", { LINK_BY_EMAIL: "never" }],
    ["no codes are mailed", { MAIL_CODE: "off" }],
  ])("has to sign in in another way where %s", async (_, variables) => {
    const owner = await signUpVerified();
    const refused = await signIn(newBrowser({ ...CONSOLE, ...variables }), newPersonAtProvider({ email: owner.email }));
    expect([refused.status, refused.body]).toEqual([
      409,
      expect.stringContaining("Sign in to it in another way first"),
    ]);
  });
});

describe("My security", () => {
  test("adds a provider and removes it, and keeps the last way in", async () => {
    const [person, other] = [newPersonAtProvider(), newPersonAtProvider()];
    const browser = newBrowser(CONSOLE);
    await signIn(browser, person);
    const before = (await browser.send("GET", "/console/security")).body;
    expect(before).toMatch(/Your account has none\./);
    const remove = (html: string, email: string) =>
      html.match(
        new RegExp(`formaction="(/console/security/identities/[^"]+/remove)" aria-label="Remove oidc ${email}"`),
      )?.[1] ?? "";
    const kept = await browser.send("POST", remove(before, person.email), { form: {} });
    expect([kept.status, kept.body]).toEqual([409, expect.stringContaining("This is your only way to sign in.")]);
    const leaving = await browser.send("POST", "/console/security/identities/oidc", { form: {} });
    const url =
      leaving.body.match(/href="(https:\/\/id\.issuer\.example[^"]+)"/)?.[1]?.replaceAll("&amp;", "&") ?? null;
    const back = await browser.send("GET", await arrive(browser, url, other));
    expect([back.status, back.location]).toEqual([303, "/console/security"]);
    const after = (await browser.send("GET", "/console/security")).body;
    expect(after).toMatch(/You can sign in with it from now on\./);
    const removed = await browser.send("POST", remove(after, person.email), { form: {} });
    expect([removed.status, removed.location]).toEqual([303, "/console/security"]);
    const left = (await browser.send("GET", "/console/security")).body;
    expect([left.includes(person.email), left.includes(other.email)]).toEqual([true, true]);
    expect(remove(left, person.email)).toBe("");
  });

  test("deletes an account without a password by a recent sign-in", async () => {
    const browser = newBrowser(CONSOLE);
    await signIn(browser, newPersonAtProvider());
    expect((await browser.send("GET", "/console/security/delete")).body).toMatch(/Your account has no password/);
    expect((await browser.send("GET", "/console/tenants/delete")).body).toMatch(/Your account has no password/);
    const form = { deleteTenants: "yes" };
    const { status, location } = await browser.send("POST", "/console/security/delete", { form });
    expect([status, location]).toEqual([303, "/console/sign-in"]);
  });
});
