/**
 * The Turnstile widget in the console: which pages show it, what they may load for it, and that their forms need its
 * token.
 */
import { describe, expect, test } from "vitest";
import { newAddress, newEmail, PASSWORD, signUpVerified } from "../support/client";
import { pageUnder } from "../support/overrides";

const ORIGIN = "https://challenges.cloudflare.com";
// Without sign-on: whether somebody signs on, and the first page asks for an address, other tests decide.
const settings = {
  TURNSTILE_SITE_KEY: "site-key-of-the-test",
  TURNSTILE_SECRET: "0x4AAAAAAAnone",
  SIGN_ON: "off",
};
const tokenOf = (action: string) => `postern.test ${action} ${crypto.randomUUID()}`;
const post = (path: string, fields: Record<string, string>) => pageUnder(settings, path, { fields, ip: newAddress() });
const policyOf = ({ headers }: { headers: Headers }) => headers.get("content-security-policy") ?? "";

const FORMS: Record<string, { action: string; fields: () => Record<string, string>; status: number }> = {
  "/register": { action: "register", fields: () => ({ email: newEmail(), password: PASSWORD }), status: 303 },
  "/forgot-password": { action: "forgot-password", fields: () => ({ email: newEmail() }), status: 200 },
  "/sign-in/mail": { action: "code", fields: () => ({ email: newEmail() }), status: 303 },
};

describe.each(Object.entries(FORMS))("%s", (path, { action, fields, status }) => {
  test("shows the widget, and may load it", async () => {
    const page = await pageUnder(settings, path);
    expect(page.html).toMatch(
      new RegExp(`data-sitekey="site-key-of-the-test" data-action="${action}" data-response-field-name="captchaToken"`),
    );
    const [, nonce] = page.html.match(/<script src="https:\/\/challenges[^"]+" nonce="([^"]+)"/) ?? [];
    const policy = policyOf(page);
    expect(policy).toContain(`script-src 'nonce-${nonce}' ${ORIGIN};`);
    expect(policy).toContain(`frame-src ${ORIGIN}`);
  });

  test("needs the widget's token, and shows the form again without it", async () => {
    const refused = await post(path, fields());
    expect([refused.status, refused.html.includes("Confirm that you are human.")]).toEqual([403, true]);
    expect(refused.html).toContain("cf-turnstile");
    expect(policyOf(refused)).toContain(`frame-src ${ORIGIN}`);
    expect((await post(path, { ...fields(), captchaToken: tokenOf("login") })).status).toBe(403);
    expect((await post(path, { ...fields(), captchaToken: tokenOf(action) })).status).toBe(status);
  });

  test("shows and loads nothing of it where it is not set up", async () => {
    const page = await pageUnder({}, path);
    expect([page.html.includes("turnstile"), policyOf(page).includes("cloudflare")]).toEqual([false, false]);
  });
});

test("the sign-in page shows the widget after a failure, and needs its token after three", async () => {
  const { email } = await signUpVerified();
  expect((await pageUnder(settings, "/sign-in")).html).not.toContain("cf-turnstile");
  for (let guess = 0; guess < 3; guess += 1) {
    const refused = await post("/sign-in", { email, password: "wrong" });
    expect([refused.status, refused.html.includes('data-action="login"')]).toEqual([401, true]);
    expect(policyOf(refused)).toContain(`frame-src ${ORIGIN}`);
  }
  const right = { email, password: PASSWORD };
  expect((await post("/sign-in", right)).status).toBe(403);
  expect((await post("/sign-in", { ...right, captchaToken: tokenOf("login") })).status).toBe(303);
});

test("no other page may load anything from elsewhere", async () => {
  for (const path of ["/sign-in/mail/code", "/sign-in/code", "/reset-password?token=x", "/verify-email?token=x"]) {
    expect(policyOf(await pageUnder(settings, path))).not.toContain("cloudflare");
  }
});
