/** No secret reaches the log through the console either: its forms are used rightly and wrongly, and their secrets searched for. */
import { env } from "cloudflare:workers";
import { Secret, TOTP } from "otpauth";
import { expect, test } from "vitest";
import { newEmail } from "./support/client";
import { visit } from "./support/console";
import { captureLog } from "./support/log-lines";
import { mailTo } from "./support/mailbox";
import { newInbox } from "./support/receiver";
import { secretKeeper } from "./support/secrets";

const captured = captureLog();
const { secrets, keep, keepTokenOf, foundIn } = secretKeeper();
let number = 0;
const fresh = (what: string) => keep(`recognisable-${what}-${++number}`);
const keepJar = (jar: Map<string, string>) =>
  [...jar].forEach(([name, value]) => void (name.endsWith("said") || keep(value)));

test("signing up and in, mail links and passwords", async () => {
  const [email, password] = [newEmail(), fresh("password")];
  const browser = visit();
  await browser.post("/register", { email: "nobody", password });
  await browser.post("/register", { email, password });
  keepJar(browser.jar);
  const token = keepTokenOf(await mailTo(email, /verify/i));
  await browser.get(`/verify-email?token=${token}`);
  await browser.post("/verify-email", { token: fresh("mailed-token") });
  await browser.post("/verify-email", { token });
  await browser.post("/sign-in", { email, password: fresh("password") });
  expect((await visit().post("/sign-in", { email, password })).status).toBe(303);
  await browser.post("/security/password", { currentPassword: fresh("password"), newPassword: fresh("password") });
  await browser.post("/forgot-password", { email });
  const reset = keepTokenOf(await mailTo(email, /reset/i));
  await browser.get(`/reset-password?token=${reset}`);
  await browser.post("/reset-password", { token: fresh("mailed-token"), newPassword: fresh("password") });
  expect((await browser.post("/reset-password", { token: reset, newPassword: fresh("password") })).status).toBe(303);
});

test("two factors, subscriptions, events and keys, and a database that fails", async () => {
  const [email, password] = [newEmail(), fresh("password")];
  const browser = visit();
  await browser.post("/register", { email, password });
  await browser.post("/verify-email", { token: keepTokenOf(await mailTo(email, /verify/i)) });
  const { html } = await browser.post("/security/two-factor");
  const secret = html.match(/name="secret" value="([A-Z2-7]+)"/)?.[1] ?? "";
  keep(secret);
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
  await browser.post("/security/two-factor/confirm", { secret, token: fresh("code") });
  await browser.post("/security/two-factor/confirm", { secret, token: code });
  const other = visit();
  await other.post("/sign-in", { email, password });
  keepJar(other.jar);
  await other.post("/sign-in/code", { totp: fresh("code") });
  const url = `${newInbox("200").url}?key=${fresh("url")}`;
  const hook = { name: "hook", events: "OrderPaid", secret: fresh("secret") };
  await browser.post("/webhooks", { ...hook, url: fresh("url") });
  const made = await browser.post("/webhooks", { ...hook, url });
  await browser.get(`${made.location?.replace("/console", "")}?secret=shown`);
  await browser.post("/events", { type: "OrderPaid", payload: `{"note":"${fresh("payload")}` });
  await browser.post("/events", { type: "OrderPaid", payload: `{"note":"${fresh("payload")}"}` });
  keep((await browser.post("/api-keys", { name: "k", scopes: "webhook.read" })).html.match(/ak_\w{40}/)?.[0]);
  await env.DB.prepare("ALTER TABLE users RENAME TO gone").run();
  try {
    expect((await other.post("/sign-in", { email, password })).status).toBe(500);
    expect((await visit().post("/register", { email: newEmail(), password: fresh("password") })).status).toBe(500);
  } finally {
    await env.DB.prepare("ALTER TABLE gone RENAME TO users").run();
  }
});

test("none of the secrets occurs in the output", () => {
  expect(secrets.size).toBeGreaterThan(20);
  expect(captured.lines("request").length).toBeGreaterThan(25);
  expect(foundIn(captured.text.join("\n"))).toEqual([]);
});
