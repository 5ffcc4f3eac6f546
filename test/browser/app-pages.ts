/** The pages on which people sign in to an app, each as somebody meets it. */
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { inspect } from "./inspect.ts";
import { fillIn, reach, tabTo } from "./keyboard.ts";
import { newEmail, PASSWORD, type Stage } from "./stage.ts";

/** Where the app would be; any page that is there. */
const redirectOf = ({ server }: Stage) => `${server.base}/health`;

/** An app of another site, of which only its answer is there. */
const SHOP = "https://shop.example/callback";

/** The address with which an app sends somebody to sign in. */
function authorizeAt(stage: Stage, clientId: string, prompt = "", more: Record<string, string> = {}): string {
  const params = {
    client_id: clientId,
    redirect_uri: redirectOf(stage),
    response_type: "code",
    scope: "openid profile email tenant",
    code_challenge: "x".repeat(43),
    code_challenge_method: "S256",
    ...(prompt === "" ? {} : { prompt }),
    ...more,
  };
  return `${stage.server.base}/oauth/authorize?${new URLSearchParams(params)}`;
}

/** The page asks for the address first once any tenant signs people on. */
async function signIn(page: Page, email: string): Promise<void> {
  await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
  const isAddressFirst = await page.getByRole("button", { name: "Continue", exact: true }).isVisible();
  if (isAddressFirst) await fillIn(page, "Sign in", { email });
  await page.locator("[name=password]").waitFor();
  await fillIn(page, "Sign in", { ...(isAddressFirst ? {} : { email }), password: PASSWORD });
}

/** Whoever has just registered has no second factor, and an address that is not verified. */
async function pagesOfNewcomer(stage: Stage, clientId: string): Promise<void> {
  const [page, email] = [await stage.open(), newEmail()];
  await page.goto(authorizeAt(stage, clientId, "create"));
  await fillIn(page, "Create an account", { email, password: PASSWORD });
  await inspect(page, "account-unverified", "Check your mail");
  await reach(page, "Check your mail", "Mail the link again");
  await page.getByText("Verification email sent.").waitFor();
  await page.goto(`${stage.server.base}/account/second-factor`);
  await inspect(page, "account-second-factor", "Set up two-factor authentication");
  await reach(page, "Set up two-factor authentication", "Set up an authenticator app");
  await page.locator("[name=token]").waitFor();
  await page.goto(`${stage.server.base}/account`);
  await reach(page, "Where do you want to go?", "Sign out");
  await page.getByRole("heading", { name: "You are signed out" }).waitFor();
  await page.goto(authorizeAt(stage, clientId));
  await signIn(page, email);
  await page.getByText("Check your mail").first().waitFor();
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
  const redirectUrls = [redirectOf(stage), SHOP];
  const { id = "" } = await send("/platform/clients", { name: "Shop", redirectUrls }, key);
  const device = { name: "Set-top box", type: "native", grants: ["device_code"] };
  return { id, tenant: tenant.id ?? "", box: (await send("/platform/clients", device, key)).id ?? "" };
}

/** An app renews silently in a frame of the same site. In one of another site, the browser sends no cookie. */
async function renewalInFrames(stage: Stage, page: Page, id: string, tenant: string): Promise<void> {
  const silent = authorizeAt(stage, id, "none", { redirect_uri: SHOP, tenant });
  for (const [host, said] of [
    ["localhost", "code="],
    ["127.0.0.1", "error=login_required"],
  ] as const) {
    const answered = page.waitForRequest((request) => request.url().startsWith(SHOP));
    await page.goto(stage.framer.url(host, silent));
    expect([host, (await answered).url()]).toEqual([host, expect.stringContaining(said)]);
  }
}

/** `send` calls the API. The person with the address is signed in on `page`. */
export async function appPages(
  stage: Stage,
  page: Page,
  { email, operatorToken, send }: { email: string; operatorToken: string; send: Send },
): Promise<void> {
  const { id, tenant, box } = await prepare(stage, email, operatorToken, send);
  await page.route(`${SHOP}*`, (route) => route.fulfill({ contentType: "text/plain", body: "back at the shop" }));
  await page.goto(authorizeAt(stage, id, "", { redirect_uri: SHOP }));
  const where = "Where do you use Shop?";
  await inspect(page, "account-tenant", where);
  await reach(page, where, "Second tenant");
  await inspect(page, "account-consent", "Shop wants to sign you in");
  await reach(page, "Shop wants to sign you in", "Allow");
  // The form is of our site, and leads to another one.
  await page.waitForURL(/^https:\/\/shop\.example\/callback\?code=/);
  await renewalInFrames(stage, page, id, tenant);
  await page.goto(authorizeAt(stage, id, "select_account"));
  await inspect(page, "account-select-account", "Sign in to Shop");
  await reach(page, "Sign in to Shop", `Continue as ${email}`);
  // No code was exchanged, so no tenant counts as used.
  await reach(page, where, "Second tenant");
  await reach(page, "Continue to Shop", "Continue");
  await page.waitForURL(/\/health\?code=/);
  await page.goto(authorizeAt(stage, id, "login"));
  await inspect(page, "account-confirm", "Confirm that it is you");
  await tabTo(page, "Confirm");
  await page.goto(`${stage.server.base}/account/device`);
  await inspect(page, "account-device", "Connect a device");
  const form = new URLSearchParams({ client_id: box, scope: "openid" });
  const started = await fetch(`${stage.server.base}/oauth/device`, { method: "POST", body: form });
  const { user_code = "" } = (await started.json()) as Record<string, string>;
  await fillIn(page, "Connect a device", { user_code });
  await inspect(page, "account-device-asks", "Sign in to Set-top box");
  await reach(page, "Sign in to Set-top box", "Continue");
  await reach(page, "Where do you use Set-top box?", "Second tenant");
  await inspect(page, "account-device-consent", "Set-top box wants to sign you in");
  await reach(page, "Set-top box wants to sign you in", "Allow");
  await inspect(page, "account-device-done", "Set-top box is signed in");
  await page.goto(`${stage.server.base}/account/apps`);
  await inspect(page, "account-apps", "Connected apps");
  await reach(page, "Connected apps", "Disconnect");
  await page.getByText("The app is disconnected.").waitFor();
  await page.goto(`${stage.server.base}/account`);
  await inspect(page, "account", "Where do you want to go?");
  await pagesOfNewcomer(stage, id);
}
