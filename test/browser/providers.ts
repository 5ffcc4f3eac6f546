/** Signing in with a real OpenID Connect provider in the console. */
import { test } from "vitest";
import { follow, newEmail, press, register, type Stage } from "./stage.ts";

export function providers(stage: Stage): void {
  const label = () => new URL(stage.issuer.url).host;

  test.each([true, false])(
    "a new user signs in with a provider, adds another and removes it; JavaScript: %s",
    async (javaScriptEnabled) => {
      const page = await stage.open({ javaScriptEnabled });
      const enter = async (email: string) => {
        await page.getByLabel("Login").fill(email);
        await press(page, "Enter");
      };
      const email = newEmail();
      await page.goto(`${stage.server.base}/console/security`);
      await follow(page, `Continue with ${label()}`);
      await enter(email);
      await page.getByRole("heading", { name: "My security" }).waitFor();
      await page.getByText("Your account has none.").waitFor();
      await page.getByText(email).first().waitFor();
      await press(page, `Remove oidc ${email}`);
      await page.getByText("This is your only way to sign in.").waitFor();
      // The provider would sign the same person in again.
      await page.context().clearCookies({ name: /^_session/ });
      const other = newEmail();
      await press(page, `Add ${label()}`);
      await follow(page, `Continue to ${label()}`);
      await enter(other);
      await page.getByText("You can sign in with it from now on.").waitFor();
      await press(page, `Remove oidc ${email}`);
      await page.getByText("It can no longer be used to sign in.").waitFor();
      await page.context().close();
    },
  );

  test("an account with an unverified address is not opened, and the page says what to do", async () => {
    const page = await stage.open();
    const email = await register(stage, page);
    await page.context().clearCookies();
    await page.goto(`${stage.server.base}/console/sign-in`);
    await follow(page, `Continue with ${label()}`);
    await page.getByLabel("Login").fill(email);
    await press(page, "Enter");
    await page.getByText("Sign in to it in another way first").waitFor();
    await follow(page, "Back to sign-in");
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await page.context().close();
  });
}
