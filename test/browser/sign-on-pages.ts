/** The pages on the way to the provider of a tenant: by the keyboard alone, with axe-core, and in each language. */
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { addAxe, inspect, violations } from "./inspect.ts";
import { fillIn, reach } from "./keyboard.ts";
import { press, type Stage } from "./stage.ts";

const TRANSLATIONS = ["de", "es", "fr"] as const;
const PHONE = { width: 360, height: 740 };
const POLL_MS = 1_000;

/** Opens the page for signing in, once it asks for the address first: the service looks once a minute. */
async function openAddressPage({ server }: Stage, page: Page): Promise<void> {
  await page.goto(`${server.base}/console/sign-in`);
  while ((await page.locator("[name=password]").count()) > 0) {
    await page.waitForTimeout(POLL_MS);
    await page.reload();
  }
}

/** Somebody signs on whose browser is not known yet, and again with the same browser. The connection is active. */
export async function signOnPages(stage: Stage, email: string): Promise<void> {
  const page = await stage.open();
  await openAddressPage(stage, page);
  await inspect(page, "sign-in-address", "Sign in");
  await fillIn(page, "Sign in", { email });
  await page.locator("[name=password]").waitFor();
  await inspect(page, "sign-in-all-ways", "Sign in");
  await reach(page, "Sign in", "Single sign-on");
  await inspect(page, "sign-on-mailed", "Check your mail");
  await page.goto(await stage.server.mailedLink(email, /Sign in with your organisation/));
  await inspect(page, "sign-on-link", "Single sign-on");
  await reach(page, "Single sign-on", "Continue");
  await page.getByLabel("Login").fill(email);
  await press(page, "Enter");
  await reach(page, "Overview", "Sign out");
  await fillIn(page, "Sign in", { email });
  // The provider knows the browser as well.
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  await page.context().close();
  for (const locale of TRANSLATIONS) await pagesIn(stage, locale);
}

/** Once each, on a phone: the longest words have the least room there. */
async function pagesIn(stage: Stage, locale: string): Promise<void> {
  const page = await stage.open({ locale, viewport: PHONE, reducedMotion: "reduce" });
  await openAddressPage(stage, page);
  await check(page, locale);
  await page.locator("[name=email]").fill(`nobody-${locale}@elsewhere.example`);
  await page.keyboard.press("Enter");
  await page.locator("[name=password]").waitFor();
  await check(page, locale);
  await page.locator('form[action*="/sign-in/sign-on"] button').click();
  await page.waitForURL(/\/sign-in\/sign-on/);
  await check(page, locale);
  await page.goto(`${stage.server.base}/account/sign-on?token=x`);
  await check(page, locale);
  await page.context().close();
}

async function check(page: Page, locale: string): Promise<void> {
  await addAxe(page);
  const lang = await page.evaluate(() => document.documentElement.lang);
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  const where = [page.url(), locale, PHONE.width];
  expect([page.url(), lang, width, await violations(page)]).toEqual([...where, []]);
}
