/** The pages on the way to the provider of a tenant: by the keyboard alone, and with axe-core. */
import type { Page } from "playwright-core";
import { inspect } from "./inspect.ts";
import { fillIn, reach } from "./keyboard.ts";
import { press, type Stage } from "./stage.ts";

const POLL_MS = 1_000;

/** Opens the page for signing in, once it asks for the address first: the service looks once a minute. */
async function openAddressPage({ server }: Stage, page: Page): Promise<void> {
  await page.goto(`${server.base}/console/sign-in`);
  while ((await page.locator("[name=password]").count()) > 0) {
    await page.waitForTimeout(POLL_MS);
    await page.reload();
  }
}

/** Somebody signs on whose browser is not known yet. The connection is active. */
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
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  await page.context().close();
}
