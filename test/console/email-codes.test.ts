/** Signing in to the console with a code from a mail, without scripts. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { signUpVerified } from "../support/client";
import { visit } from "../support/console";
import { codeIn, mailTo } from "../support/mailbox";
import { pageUnder } from "../support/overrides";
import { codeOf, enrol } from "../support/two-factor";

test("the sign-in page leads to it, and back to the page that was asked for", async () => {
  const { email } = await signUpVerified();
  const browser = visit();
  const to = "/console/webhooks";
  const signIn = await browser.get(`/sign-in?to=${encodeURIComponent(to)}`);
  const link = signIn.html.match(/href="\/console(\/sign-in\/mail[^"]*)"/)?.[1] ?? "";
  const form = await browser.get(link);
  expect(form.html).toContain(`value="${to}"`);
  expect((await browser.post("/sign-in/mail", { email: "no address", to })).status).toBe(400);
  const entry = await browser.follow(await browser.post("/sign-in/mail", { email, to }));
  expect(entry.html).toMatch(/<h1>Enter the code<\/h1>/);
  expect(browser.jar.has("__Host-postern-mail-code")).toBe(true);
  const refused = await browser.post("/sign-in/mail/code", { code: "wrong", to });
  expect([refused.status, refused.html.includes("Invalid or expired code.")]).toEqual([401, true]);
  const code = codeIn(await mailTo(email, /sign-in code/));
  const entered = await browser.post("/sign-in/mail/code", { code, to });
  expect([entered.status, entered.location]).toEqual([303, to]);
  expect(browser.jar.has("__Host-postern-mail-code")).toBe(false);
  expect((await browser.get("/webhooks")).status).toBe(200);
});

test("it asks for the second factor after the code, and again after a wrong one", async () => {
  const person = await signUpVerified();
  const secret = await enrol(person);
  const browser = visit();
  await browser.post("/sign-in/mail", { email: person.email, to: "https://evil.example/" });
  const code = codeIn(await mailTo(person.email, /sign-in code/));
  const asked = await browser.post("/sign-in/mail/code", { code });
  expect([asked.status, asked.html.includes("<h1>Two-factor code</h1>")]).toEqual([200, true]);
  const wrong = await browser.post("/sign-in/mail/code", { code, totp: "000000" });
  expect([wrong.status, wrong.html.includes("<h1>Two-factor code</h1>")]).toEqual([401, true]);
  const entered = await browser.post("/sign-in/mail/code", { code, totp: codeOf(secret), to: "https://evil.example/" });
  expect([entered.status, entered.location]).toEqual([303, "/console"]);
});

test("without the cookie of the browser that asked, the code is worth nothing", async () => {
  const { email } = await signUpVerified();
  await visit().post("/sign-in/mail", { email });
  const code = codeIn(await mailTo(email, /sign-in code/));
  const other = visit();
  expect((await other.get("/sign-in/mail/code")).location).toBe("/console/sign-in/mail");
  const page = await other.follow(await other.post("/sign-in/mail/code", { code }));
  expect(page.html).toContain("Ask for another one.");
  await other.post("/sign-in/mail", { email });
  expect((await other.post("/sign-in/mail/code", { code })).status).toBe(401);
});

test("MAIL_CODE=off: the sign-in page does not offer it, and its pages do not exist", async () => {
  expect(env.MAIL_CODE).toBe("on");
  const off = (path: string) => pageUnder({ MAIL_CODE: "off" }, path);
  expect((await off("/sign-in")).html).not.toContain("/sign-in/mail");
  for (const path of ["/sign-in/mail", "/sign-in/mail/code"]) expect((await off(path)).status).toBe(404);
});
