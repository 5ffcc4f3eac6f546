/** A real Chromium against `npm run dev`, and the actions in the console that tests share. */
import { existsSync, writeSync } from "node:fs";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { CHROMIUM, FLAGS } from "./chromium.ts";
import {
  type DevServer,
  type Framer,
  freePort,
  type Receiver,
  startDevServer,
  startFramer,
  startReceiver,
} from "./dev-server.ts";
import { type Issuer, startIssuer } from "./issuer.ts";

const STDERR = 2;
const START_TIMEOUT_MS = 300_000;
const STEP_TIMEOUT_MS = 30_000;
/** The tests provoke 4xx answers, and the reset page has no user name for its password field. */
const EXPECTED = /the server responded with a status of 4|Password forms should have .* username fields/;
export const PASSWORD = "correct horse battery staple";

export interface Stage {
  server: DevServer;
  browser: Browser;
  receiver: Receiver;
  framer: Framer;
  /** Where people can sign in with a provider. */
  issuer: Issuer;
  /** A page in its own browser context. Any error or message in its console fails the tests. */
  open(options?: BrowserContextOptions): Promise<Page>;
}

/** Runs `tests` if Chromium is installed; otherwise skips them and says why. */
export function describePages(tests: (stage: Stage) => void): void {
  const name = existsSync(CHROMIUM) ? "in Chromium" : `no Chromium at ${CHROMIUM}`;
  // Written directly, because vitest hides what passing tests print.
  if (!existsSync(CHROMIUM)) writeSync(STDERR, `${name}: skipped (set CHROMIUM to its path)\n`);
  describe.skipIf(!existsSync(CHROMIUM))(name, () => {
    const stage = {} as Stage;
    const messages: string[] = [];
    let close = async () => {};
    beforeAll(async () => {
      stage.browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
      const port = await freePort();
      stage.issuer = await startIssuer(`http://localhost:${port}/api/v1/auth/oauth/oidc/callback`);
      stage.framer = await startFramer();
      stage.server = await startDevServer(port, stage.issuer, [`PORTAL_ORIGINS:${stage.framer.origin}`]);
      stage.receiver = await startReceiver();
      stage.open = async (options = {}) => {
        const context = await stage.browser.newContext({ locale: "en-GB", timezoneId: "Asia/Kolkata", ...options });
        const page = await context.newPage();
        page.setDefaultTimeout(STEP_TIMEOUT_MS);
        page.on("pageerror", (error) => messages.push(error.message));
        page.on("dialog", (dialog) => messages.push(`dialog: ${dialog.message()}`));
        page.on("console", (message) => {
          if (!EXPECTED.test(message.text())) messages.push(message.text());
        });
        return page;
      };
      close = async () => {
        await stage.browser.close();
        stage.receiver.close();
        stage.framer.close();
        stage.issuer.close();
        await stage.server.stop();
      };
    }, START_TIMEOUT_MS);
    afterAll(async () => {
      await close();
      expect(messages).toEqual([]);
    });
    // The tests mostly wait for the service, so in parallel they take only as long as the longest one.
    describe.concurrent("the pages", () => tests(stage));
  });
}

let people = 0;
export const newEmail = () => `person-${++people}-${Date.now()}@example.com`;

export const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
export const follow = (page: Page, name: string) => page.getByRole("link", { name, exact: true }).first().click();

/** Opens a section of the form of a subscription. */
export const openSection = (page: Page, title: string) => page.locator("summary", { hasText: title }).click();

/** The first badge with this status. */
export const badge = (page: Page, status: string) =>
  page.locator(".badge", { hasText: new RegExp(`^${status}$`) }).first();

/** Fills in the sign-in pages. The first asks for the address alone while any tenant signs its people on. */
export async function signInOn(page: Page, email: string, password = PASSWORD): Promise<void> {
  await page.getByLabel("Email").fill(email);
  if ((await page.getByLabel("Password").count()) === 0) await press(page, "Continue");
  await page.getByLabel("Password").fill(password);
  await press(page, "Sign in");
}

/** Creates an account with the form. */
export async function register({ server }: Stage, page: Page, email = newEmail()): Promise<string> {
  await page.goto(`${server.base}/console/register`);
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(PASSWORD);
  await press(page, "Create account");
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  return email;
}

/** Verifies an address with the mailed link. */
export async function confirm({ server }: Stage, page: Page, email: string): Promise<void> {
  await page.goto(await server.mailedLink(email, /Verify/));
  await page.waitForURL(({ search }) => search === "");
  await press(page, "Verify email");
  await page.getByText("Your email address is verified.").waitFor();
}

/** Creates a subscription with the form. `waits` is its own schedule, as typed. Returns the URL of its page. */
export async function subscribe(
  { server }: Stage,
  page: Page,
  fields: { name: string; url: string; events: string; waits?: string },
) {
  await page.goto(`${server.base}/console/webhooks/new`);
  await page.getByLabel("Name").fill(fields.name);
  await page.getByLabel("URL").fill(fields.url);
  await page.getByLabel("Event types").fill(fields.events);
  if (fields.waits !== undefined) {
    await openSection(page, "Retries");
    await page.getByLabel("Retries").selectOption("own");
    await page.getByLabel("Own schedule", { exact: true }).fill(fields.waits);
  }
  await press(page, "Create subscription");
  await page.getByRole("heading", { name: fields.name, exact: true }).waitFor();
  return page.url();
}

/** Publishes an event with the form, which opens the page of the event. */
export async function publish({ server }: Stage, page: Page, type: string, payload: string): Promise<void> {
  await page.goto(`${server.base}/console/events/new`);
  await page.getByLabel("Type").fill(type);
  await page.getByLabel("Payload").fill(payload);
  await press(page, "Publish");
  await page.getByText("Event published.").waitFor();
}
