/**
 * Checks every page with axe-core in both colour schemes and at a phone's width. `SCREENSHOTS=1 npm test` keeps
 * pictures of them in .screenshots/.
 */
import { createHmac } from "node:crypto";
import { Secret, TOTP } from "otpauth";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { otherPages } from "./all-pages.ts";
import { OPERATOR } from "./dev-server.ts";
import { inspect } from "./inspect.ts";
import {
  confirm,
  follow,
  newEmail,
  openSection,
  press,
  publish,
  register,
  type Stage,
  signInOn,
  subscribe,
} from "./stage.ts";

/** Two audits of more than a hundred pages, beside other tests. Each step has a limit of its own. */
const ALL_PAGES_TIMEOUT_MS = 600_000;
const JSON_TYPE = { "content-type": "application/json" };

async function signedOutPages(stage: Stage, page: Page): Promise<void> {
  const open = async (path: string, name: string) => {
    await page.goto(`${stage.server.base}/console${path}`);
    await inspect(page, name);
  };
  await open("/sign-in", "sign-in");
  await signInOn(page, "nobody@example.com", "not the password");
  await page.getByText("Invalid email or password.").waitFor();
  await inspect(page, "sign-in-refused");
  await open("/sign-in/mail", "sign-in-mail");
  await page.getByLabel("Email").fill("nobody@example.com");
  await press(page, "Mail me a code");
  await inspect(page, "sign-in-mail-code", "Enter the code");
  await open("/register", "register");
  await page.getByLabel("Email").fill("someone@example.com");
  await page.getByLabel("Password").fill("short");
  await press(page, "Create account");
  await page.getByRole("alert").waitFor();
  await inspect(page, "register-refused");
  await open("/forgot-password", "forgot-password");
  await open("/reset-password?token=x", "reset-password");
  await open("/verify-email?token=x", "verify-email");
  await open("/accept-invitation?token=x", "accept-invitation");
}

async function subscriptionPages(stage: Stage, page: Page): Promise<void> {
  const { server, receiver } = stage;
  await page.goto(`${server.base}/console`);
  await inspect(page, "overview-empty");
  await page.goto(`${server.base}/console/webhooks`);
  await inspect(page, "subscriptions-empty");
  await follow(page, "New subscription");
  await inspect(page, "subscription-new", "New subscription");
  const hook = await subscribe(stage, page, { name: "orders", url: receiver.url("/200/tour"), events: "OrderPaid" });
  await inspect(page, "subscription-empty");
  await subscribe(stage, page, { name: "analytics", url: receiver.url("/200/tour"), events: "*" });
  await press(page, "Pause");
  await page.getByText("Paused. Nothing is sent to this subscription").waitFor();
  const failing = await subscribe(stage, page, {
    name: "billing",
    url: receiver.url("/500/tour"),
    events: "OrderPaid",
    waits: "4h, 20h",
  });
  await page.goto(`${server.base}/console/events`);
  await follow(page, "Publish an event");
  await inspect(page, "event-new", "Publish an event");
  await publish(stage, page, "OrderPaid", '{"order": 42, "note": "naïve ✓", "customer": {"email": "ada@example.com"}}');
  await page.getByText("500 Internal Server Error").waitFor();
  await inspect(page, "event");
  await follow(page, "Events");
  await inspect(page, "events", "Events");
  await page.goto(`${server.base}/console`);
  await inspect(page, "overview");
  await follow(page, "Subscriptions");
  await inspect(page, "subscriptions", "Subscriptions");
  await page.goto(failing);
  await page.getByText(/^Next attempt in/).waitFor();
  await inspect(page, "subscription-failing");
  await page.locator("#log tbody a").first().click();
  await page.getByText("Headers sent").waitFor();
  await inspect(page, "attempt");
  await page.goto(`${hook}?secret=shown`);
  await inspect(page, "subscription");
  await follow(page, "Edit");
  for (const title of ["Signature and body", "Retries", "Headers"]) await openSection(page, title);
  await page.getByLabel("Own headers").fill("Authorization: Bearer abcdefghijkl");
  await page.getByLabel("Signatures").selectOption("v1+v1a");
  await page.getByLabel("Retries").selectOption("own");
  await page.getByLabel("Own schedule", { exact: true }).fill("30, 10m");
  await page.getByText("after 10 min 30 s").waitFor();
  await press(page, "Save changes");
  await page.getByText("value ends in ijkl").waitFor();
  await follow(page, "Edit");
  await inspect(page, "subscription-edit", "Edit subscription");
  await page.goto(`${hook}/security`);
  await inspect(page, "subscription-security", "Security");
  await follow(page, "Rotate");
  await press(page, "Rotate");
  await inspect(page, "subscription-rotated", "New secret");
  await page.goto(`${hook}/delete`);
  await inspect(page, "subscription-delete");
  await sourcePages(stage, page);
}

/** A call that was pasted keeps its lines, which a browser sends with other ends. */
async function sourcePages({ server }: Stage, page: Page): Promise<void> {
  await page.goto(`${server.base}/console/sources`);
  await inspect(page, "sources-empty");
  await follow(page, "Create your first source");
  await inspect(page, "source-providers", "Who sends the webhooks?");
  await follow(page, "Something else");
  await inspect(page, "source-new-other", "New source: Something else");
  await page.goto(`${server.base}/console/sources/new/github`);
  await page.getByLabel("Name").fill("Website");
  const secret = await page.getByLabel("Signing secret").inputValue();
  await inspect(page, "source-new", "New source: GitHub");
  await press(page, "Create source");
  await page.getByRole("heading", { level: 1, name: "Website" }).waitFor();
  const body = '{\n  "action": "opened"\n}';
  const signature = createHmac("sha256", secret).update(body).digest("hex");
  await page.getByLabel("Headers").fill(`X-GitHub-Event: issues\nX-Hub-Signature-256: sha256=${signature}`);
  await page.getByLabel("Body").fill(body);
  await press(page, "Try it");
  await page.getByText("It would become an event of the type github.issues.opened").waitFor();
  const url = await page.getByText("/api/v1/in/src_").textContent();
  expect((await fetch(url ?? "", { method: "POST", headers: JSON_TYPE, body })).status).toBe(401);
  const here = page.url().replace(/\/test.*/, "");
  // Refusals are written in the background.
  do await page.goto(here);
  while ((await page.getByText("Wrong signature").count()) === 0);
  await inspect(page, "source");
  await follow(page, "Sources");
  await inspect(page, "sources", "Sources");
}

async function accountPages(stage: Stage, page: Page): Promise<void> {
  const { base } = stage.server;
  await page.goto(`${base}/console/api-keys`);
  await inspect(page, "api-keys-empty");
  await page.getByLabel("Name").fill("CI");
  await page.getByRole("checkbox", { name: "event.publish Publish events" }).check();
  await press(page, "Create key");
  await page.getByText("it will not be shown again").waitFor();
  await inspect(page, "api-keys");
  await page.goto(`${base}/console/people`);
  await page.getByLabel("Email").fill(newEmail());
  await press(page, "Send invitation");
  await page.getByText("Invitation sent.").waitFor();
  await inspect(page, "people");
  await follow(page, "Remove");
  await inspect(page, "member-remove", "Remove");
  await page.goto(page.url().replace(/remove$/, "role?role=admin"));
  await inspect(page, "member-role", "Change the role");
  await page.goto(`${base}/console/security`);
  await inspect(page, "security");
  await press(page, "Set up");
  await inspect(page, "two-factor", "Set up two-factor authentication");
  const secret = (await page.content()).match(/[A-Z2-7]{32}/)?.[0] ?? "";
  await page.getByLabel("6-digit code").fill(new TOTP({ secret: Secret.fromBase32(secret) }).generate());
  await press(page, "Turn on");
  await page.getByRole("heading", { level: 1, name: "Two-factor authentication is on" }).waitFor();
  await operatorPages(page, base);
  await page.goto(`${base}/console/nothing`);
  await inspect(page, "not-found");
  await otherPages(stage, page, secret);
}

async function operatorPages(page: Page, base: string): Promise<void> {
  await page.goto(`${base}/console/operator?q=${encodeURIComponent(OPERATOR)}`);
  await inspect(page, "operator");
  await follow(page, OPERATOR);
  await inspect(page, "operator-person", OPERATOR);
  await page.locator("dd a").first().click();
  await page.getByText("Open deliveries").waitFor();
  await inspect(page, "operator-tenant");
  await follow(page, "Suspend");
  await inspect(page, "operator-suspend", "Suspend");
}

export function appearance(stage: Stage): void {
  test(
    "every page passes axe-core in light and dark and fits a phone",
    async () => {
      const page = await stage.open();
      await signedOutPages(stage, page);
      const email = await register(stage, page, OPERATOR);
      await inspect(page, "welcome");
      await confirm(stage, page, email);
      await subscriptionPages(stage, page);
      await accountPages(stage, page);
    },
    ALL_PAGES_TIMEOUT_MS,
  );
}
