/** The pages on which people sign in to an app, each as somebody meets it. */
import type { Page } from "playwright-core";
import { inspect } from "./inspect.ts";
import { press, register, type Stage } from "./stage.ts";

/** More than a page has controls. */
const MOST_TABS = 40;

/** Where the app would be; any page that is there. */
const redirectOf = ({ server }: Stage) => `${server.base}/health`;

/** The address with which an app sends somebody to sign in. */
function authorizeAt(stage: Stage, clientId: string, prompt = ""): string {
  const params = {
    client_id: clientId,
    redirect_uri: redirectOf(stage),
    response_type: "code",
    scope: "openid profile email tenant",
    code_challenge: "x".repeat(43),
    code_challenge_method: "S256",
    ...(prompt === "" ? {} : { prompt }),
  };
  return `${stage.server.base}/oauth/authorize?${new URLSearchParams(params)}`;
}

/** Goes to a button by the keyboard alone, and presses it. */
async function reach(page: Page, button: string): Promise<void> {
  for (let tabs = 0; tabs < MOST_TABS; tabs += 1) {
    await page.keyboard.press("Tab");
    if ((await page.evaluate(() => document.activeElement?.textContent?.trim())) === button) {
      return page.keyboard.press("Enter");
    }
  }
  throw new Error(`The keyboard does not reach ${button}.`);
}

/** Whoever has just registered has no second factor, and an address that is not verified. */
async function pagesOfNewcomer(stage: Stage, clientId: string): Promise<void> {
  const page = await stage.open();
  await register(stage, page);
  await page.goto(authorizeAt(stage, clientId));
  await inspect(page, "account-unverified", "Check your mail");
  await page.goto(`${stage.server.base}/account/second-factor`);
  await inspect(page, "account-second-factor", "Set up two-factor authentication");
  await page.context().close();
}

type Send = (path: string, body: object, token?: string) => Promise<Record<string, string>>;

/**
 * Registers an app and one on devices, and makes the person with the address a member of a second tenant. Returns the
 * ids.
 */
async function prepare(stage: Stage, email: string, operatorToken: string, send: Send) {
  const scopes = ["tenants.write", "members.write", "clients.write"];
  const { key } = await send("/platform/keys", { name: "apps", scopes }, operatorToken);
  const tenant = await send("/platform/tenants", { name: "Second tenant" }, key);
  await send(`/platform/tenants/${tenant.id}/members`, { user: `email:${email}`, role: "viewer" }, key);
  const redirectUrls = [redirectOf(stage)];
  const { id = "" } = await send("/platform/clients", { name: "Shop", redirectUrls }, key);
  const device = { name: "Set-top box", type: "native", grants: ["device_code"] };
  return { id, box: (await send("/platform/clients", device, key)).id ?? "" };
}

/** `send` calls the API. The person with the address is signed in on `page`. */
export async function appPages(
  stage: Stage,
  page: Page,
  { email, operatorToken, send }: { email: string; operatorToken: string; send: Send },
): Promise<void> {
  const { id, box } = await prepare(stage, email, operatorToken, send);
  await page.goto(authorizeAt(stage, id));
  await inspect(page, "account-tenant", "Where do you use Shop?");
  await reach(page, "Second tenant");
  await inspect(page, "account-consent", "Shop wants to sign you in");
  await reach(page, "Allow");
  await page.waitForURL(/\/health\?code=/);
  await page.goto(authorizeAt(stage, id, "select_account"));
  await inspect(page, "account-select-account", "Sign in to Shop");
  await page.goto(authorizeAt(stage, id, "login"));
  await inspect(page, "account-confirm", "Confirm that it is you");
  await page.goto(`${stage.server.base}/account/device`);
  await inspect(page, "account-device", "Connect a device");
  const form = new URLSearchParams({ client_id: box, scope: "openid" });
  const started = await fetch(`${stage.server.base}/oauth/device`, { method: "POST", body: form });
  await page.fill("[name=user_code]", ((await started.json()) as Record<string, string>).user_code ?? "");
  await press(page, "Continue");
  await inspect(page, "account-device-asks", "Sign in to Set-top box");
  await press(page, "Continue");
  await press(page, "Second tenant");
  await inspect(page, "account-device-consent", "Set-top box wants to sign you in");
  await press(page, "Allow");
  await inspect(page, "account-device-done", "Set-top box is signed in");
  await page.goto(`${stage.server.base}/account/apps`);
  await inspect(page, "account-apps", "Connected apps");
  await page.goto(`${stage.server.base}/account`);
  await inspect(page, "account", "Where do you want to go?");
  await pagesOfNewcomer(stage, id);
}
