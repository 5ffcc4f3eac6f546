/** The pages that mails lead to where the product has none: each below `/account`, and where people go on. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { parseConfig } from "../../src/base/config/config";
import { ConfigError } from "../../src/base/config/config-error";
import { createDeps } from "../../src/base/deps";
import { TOKEN_KINDS } from "../../src/mailer/token-kinds";
import {
  answerOn,
  Browser,
  begin,
  fieldOf,
  forgetClientsKey,
  ISSUER,
  newApp,
  signInOn,
  signInTo,
} from "../support/apps";
import { call, newEmail, PASSWORD, type Person, signUp, signUpVerified } from "../support/client";
import { asked as askedForAddress } from "../support/email-change";
import { mailTo, tokenIn } from "../support/mailbox";
import { operate, operator } from "../support/operators";
import { enrol } from "../support/two-factor";

const START = "https://shop.example/start?from=mail";
const WAYS = [env.APP_URL, `${START}&amp;iss=${encodeURIComponent(ISSUER)}`];

beforeAll(async () => {
  forgetClientsKey();
  await newApp({ consent: "skip", name: "Own shop", initiateLoginUrl: START });
});

const linksIn = (html: string) => [...html.matchAll(/<li><a href="([^"]+)">Go to /g)].map(([, url]) => url);

/** Signs in on a page of ours, without any app. */
async function signedIn({ email }: Pick<Person, "email">): Promise<Browser> {
  const browser = new Browser();
  const { next } = await browser.open("/account/sign-in", { form: { email, password: PASSWORD } });
  expect(next).toBe("/account");
  return browser;
}

/** Opens the page of a mail and presses its button. */
async function use(name: string, token: string, fields: Record<string, string> = {}, browser = new Browser()) {
  const { page } = await browser.follow(`/account/${name}?token=${token}`);
  expect([name, page.status, fieldOf(page.html, "token")]).toEqual([name, 200, token]);
  const done = await browser.open(`/account/${name}`, { form: { token, ...fields } });
  return done.next === null ? done : (await browser.follow(done.next)).page;
}

const mailed = async (email: string, subject: RegExp) => tokenIn(await mailTo(email, subject));

/** What each page is for, and what it says once it is done. */
const PAGES: readonly [name: string, token: (person: Person) => Promise<string>, says: string][] = [
  ["verify-email", ({ email }) => mailed(email, /Verify/), "Your email address is verified."],
  [
    "reset-password",
    async ({ email }) => {
      await call("POST", "/auth/forgot-password", { body: { email } });
      return mailed(email, /Reset/);
    },
    "Your password is set.",
  ],
  [
    "not-me",
    async (person) => {
      await enrol(person);
      return mailed(person.email, /turned on/);
    },
    "This was not me",
  ],
  [
    "remove-two-factor",
    async (person) => {
      await enrol(person);
      await operate(await operator(), "POST", `/people/${person.userId}/two-factor/remove`, {});
      return mailed(person.email, /Remove your lost second factor/);
    },
    "Two-factor authentication is off",
  ],
];

describe("the page of a mail", () => {
  test.each(PAGES)(
    "%s does what the link is for, and leads on to the product and its apps",
    async (name, token, says) => {
      const person = name === "verify-email" ? await signUp() : await signUpVerified();
      const done = await use(name, await token(person), { newPassword: "another pass phrase" });
      expect([done.status, done.html.includes(says), linksIn(done.html)]).toEqual([200, true, WAYS]);
    },
  );

  test("confirm-email changes the address of whoever is signed in, and asks others to sign in first", async () => {
    const person = await signUpVerified();
    const { token, email } = await askedForAddress(person);
    const stranger = await new Browser().open(`/account/confirm-email?token=${token}`);
    expect(stranger.html).toContain(`/account/sign-in?to=%2Faccount%2Fconfirm-email%3Ftoken%3D${token}`);
    const browser = await signedIn(person);
    const done = await use("confirm-email", token, {}, browser);
    expect([done.html.includes("Your email address is changed."), linksIn(done.html)]).toEqual([true, WAYS]);
    expect(done.html).toContain(email);
  });

  test("accept-invitation takes a new account, and the one that signs in", async () => {
    const owner = await signUpVerified();
    const [fresh, known] = [newEmail(), await signUpVerified()];
    const tokens = [];
    for (const email of [fresh, known.email]) {
      await call("POST", "/invitations", { token: owner.token, body: { email, role: "viewer" } });
      tokens.push(await mailed(email, /invited/));
    }
    const [first = "", second = ""] = tokens;
    const newcomer = new Browser();
    const page = await newcomer.open(`/account/accept-invitation?token=${first}`);
    expect(page.html).toContain(`href="/account/sign-up?invitation=${first}"`);
    const form = { email: fresh, password: PASSWORD, invitationToken: first };
    expect((await newcomer.open("/account/sign-up", { form })).next).toBe("/account");
    const guest = new Browser();
    const invited = await guest.open(`/account/accept-invitation?token=${second}`);
    const signIn = invited.html.match(/href="(\/account\/sign-in[^"]+)"/)?.[1] ?? "";
    const to = fieldOf((await guest.open(signIn)).html, "to");
    const back = await guest.open("/account/sign-in", { form: { email: known.email, password: PASSWORD, to } });
    expect(back.next).toBe(`/account/accept-invitation?token=${second}`);
    const joined = await use("accept-invitation", second, {}, guest);
    expect([joined.html.includes("You have joined."), linksIn(joined.html)]).toEqual([true, WAYS]);
  });

  test.each(["https://evil.example", "//evil.example", "/console", "/account/../console", "/api/v1/auth/me"])(
    "a sign-in leads to no other place: %s",
    async (to) => {
      const { email } = await signUpVerified();
      const { next } = await new Browser().open("/account/sign-in", { form: { email, password: PASSWORD, to } });
      expect(next).toBe("/account");
    },
  );
});

describe("MAIL_LINKS=hosted", () => {
  test("needs OAUTH_SERVER, and stops the service otherwise", () => {
    const config = (changes: object) => () => parseConfig({ ...env, ...changes });
    expect(config({ MAIL_LINKS: "hosted" })().mailLinks).toBe("hosted");
    for (const changes of [{ MAIL_LINKS: "hosted", OAUTH_SERVER: "off" }, { MAIL_LINKS: "ours" }]) {
      expect(config(changes)).toThrow(ConfigError);
      expect(config(changes)).toThrow(/MAIL_LINKS must/);
    }
  });

  test("links in mails lead to the issuer's pages, and to APP_URL without it", async () => {
    const { userId } = await signUp();
    const textWith = async (MAIL_LINKS: string) => {
      const deps = await createDeps({ ...env, MAIL_LINKS } as Env, createExecutionContext());
      const job = { kind: "verification", id: crypto.randomUUID(), userId } as const;
      return (await TOKEN_KINDS.verification.prepare(deps, job))?.mail.body.flatMap((part) =>
        typeof part === "string" ? [] : [part.url.split("?")[0]],
      );
    };
    expect(await textWith("hosted")).toEqual([`${ISSUER}/account/verify-email`]);
    expect(await textWith("app")).toEqual([`${env.APP_URL}/verify-email`]);
  });
});

test("who signs up for an app verifies the address first, and then goes on where they were", async () => {
  const app = await newApp();
  const [browser, email] = [new Browser(), newEmail()];
  const { page, url } = await browser.follow((await begin(app, { prompt: "create" })).url);
  expect(url).toMatch(/^\/account\/sign-up\?r=/);
  const form = { email, password: PASSWORD, to: fieldOf(page.html, "to") };
  const signed = await browser.open(url, { form });
  const waiting = await browser.follow(signed.next ?? "");
  expect([waiting.url.split("?")[0], waiting.page.html.includes(email)]).toEqual(["/account/verify-email", true]);
  const quiet = await browser.open((await begin(app, { prompt: "none" })).url);
  expect(quiet.next).toContain("error=interaction_required");
  const again = await browser.open(waiting.url.replace("verify-email", "verify-email/resend"), { form: {} });
  expect((await browser.follow(again.next ?? "")).page.html).toContain("Verification email sent.");
  await use("verify-email", await mailed(email, /Verify/));
  const consent = await browser.follow(waiting.url);
  expect((await answerOn(browser, consent.page.html, "allow")).next).toMatch(/code=/);
});

test("a sign-in keeps what the app has asked for, on each page that leads from it", async () => {
  const app = await newApp({ consent: "skip" });
  const browser = new Browser();
  const flow = await begin(app);
  const { page } = await browser.follow(flow.url);
  const links = [...page.html.matchAll(/href="(\/account\/(?!oauth)[\w-]+(?:\/[\w-]+)?)\?([^"]*)"/g)];
  expect(links.map(([, path]) => path)).toEqual([
    "/account/sign-in/mail",
    "/account/forgot-password",
    "/account/sign-up",
  ]);
  for (const [, path = "", query = ""] of links) {
    expect(query).toMatch(/^r=[\w.-]+$/);
    const { html } = await browser.open(`${path}?${query}`);
    expect([path, html.includes(`"/account/sign-in?${query}"`)]).toEqual([path, true]);
  }
  const person = await signUpVerified();
  await signInTo(flow, person, browser);
  // Somebody who has an account already signs in on the same page, and the former session ends.
  const before = new Map(browser.jar);
  await signInOn(browser, (await browser.follow((await begin(app, { prompt: "login" })).url)).page.html, person);
  const former = new Browser();
  for (const [name, value] of before) former.jar.set(name, value);
  expect((await former.open("/console/security")).next).toContain("sign-in");
});
