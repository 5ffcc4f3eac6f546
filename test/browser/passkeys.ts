/** Passkeys with Chromium's virtual authenticator: in the console, and in pages that use postern/client. */
import assert from "node:assert/strict";
import type { CDPSession, Page } from "playwright-core";
import { test } from "vitest";
import { confirm, follow, press, register, type Stage, signInOn } from "./stage.ts";

/** Gives a page a device with a screen lock that always recognises its user. */
async function withAuthenticator(page: Page): Promise<{ cdp: CDPSession; authenticatorId: string }> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("WebAuthn.enable");
  const options = {
    protocol: "ctap2",
    transport: "internal",
    hasResidentKey: true,
    hasUserVerification: true,
    isUserVerified: true,
    automaticPresenceSimulation: true,
  } as const;
  const { authenticatorId } = await cdp.send("WebAuthn.addVirtualAuthenticator", { options });
  return { cdp, authenticatorId };
}

const signOut = async (page: Page) => {
  await press(page, "Sign out");
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
};

export function passkeys(stage: Stage): void {
  test("a user adds a passkey, signs in with it alone, renames and removes it", async ({ expect }) => {
    const { server } = stage;
    const page = await stage.open();
    const { cdp, authenticatorId } = await withAuthenticator(page);
    const email = await register(stage, page);
    await confirm(stage, page, email);
    await page.goto(`${server.base}/console/security`);
    await follow(page, "Add a passkey");
    await page.getByLabel("Name").fill("Laptop");
    await press(page, "Add the passkey");
    await page.getByText("Passkey added.").waitFor();
    const { credentials } = await cdp.send("WebAuthn.getCredentials", { authenticatorId });
    expect(credentials).toMatchObject([{ isResidentCredential: true, rpId: "localhost", userName: email }]);

    // This browser makes no suggestions, which a virtual authenticator would accept by itself.
    await page.addInitScript(() => {
      PublicKeyCredential.isConditionalMediationAvailable = async () => false;
    });
    await signOut(page);
    await press(page, "Sign in with a passkey");
    await page.getByRole("heading", { name: "Overview" }).waitFor();

    await page.goto(`${server.base}/console/security`);
    await follow(page, "Add a passkey");
    await page.getByLabel("Name").fill("The same laptop");
    await press(page, "Add the passkey");
    await page.getByText("This device has a passkey for your account already.").waitFor();
    await page.goto(`${server.base}/console/security`);
    await page.getByLabel("New name of Laptop").fill("Old laptop");
    await press(page, "Rename Laptop");
    await press(page, "Remove Old laptop");
    await page.getByText("Passkey removed.").waitFor();
    // The browser is told, and offers it no more. One that is not told still gets nowhere with it.
    const kept = async () => (await cdp.send("WebAuthn.getCredentials", { authenticatorId })).credentials;
    await expect.poll(kept).toEqual([]);
    const [credential] = credentials;
    assert(credential);
    await cdp.send("WebAuthn.addCredential", { authenticatorId, credential });
    await signOut(page);
    await press(page, "Sign in with a passkey");
    await page.getByText("Invalid passkey.").waitFor();
    await signInOn(page, email);
    await page.getByRole("heading", { name: "Overview" }).waitFor();
  });

  test("the browser suggests a passkey on the sign-in page, and says why none was used", async ({ expect }) => {
    const { server } = stage;
    const page = await stage.open();
    const { cdp, authenticatorId } = await withAuthenticator(page);
    const email = await register(stage, page);
    await confirm(stage, page, email);
    await page.goto(`${server.base}/console/security/passkeys/new`);
    await page.getByLabel("Name").fill("Phone");
    await press(page, "Add the passkey");
    await page.getByText("Passkey added.").waitFor();
    await press(page, "Sign out");
    // The virtual authenticator accepts the suggestion at once.
    await page.getByRole("heading", { name: "Overview" }).waitFor();

    await cdp.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: false });
    await signOut(page);
    await press(page, "Sign in with a passkey");
    await page.getByText("No passkey was used. You can try again.").waitFor();
    expect(new URL(page.url()).pathname).toBe("/console/sign-in");
  });
}
