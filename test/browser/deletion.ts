/** Leaving: a person exports their data and deletes the account, and an owner deletes a tenant. */
import { readFileSync } from "node:fs";
import { test } from "vitest";
import { confirm, follow, PASSWORD, press, register, type Stage, signInOn, subscribe } from "./stage.ts";

export function deletion(stage: Stage): void {
  test("a person exports their data, deletes the account, and can register the address again", async ({ expect }) => {
    const page = await stage.open();
    const email = await register(stage, page);
    await page.goto(`${stage.server.base}/console/security`);
    await follow(page, "Export my data");
    await page.getByLabel("Your password").fill(PASSWORD);
    const download = page.waitForEvent("download");
    await press(page, "Download");
    const file = await download;
    expect(file.suggestedFilename()).toBe("account.json");
    expect(JSON.parse(readFileSync(await file.path(), "utf8")).profile.email).toBe(email);
    await page.goto(`${stage.server.base}/console/security`);
    await follow(page, "Delete my account");
    await page.getByRole("heading", { name: "Delete your account?" }).waitFor();
    await page.getByLabel("Your password").fill(PASSWORD);
    await page.getByLabel(/Also delete/).check();
    await press(page, "Delete my account");
    await page.getByText("Your account is deleted.").waitFor();
    await signInOn(page, email);
    await page.getByText("Invalid email or password.").waitFor();
    await register(stage, page, email);
    await page.context().close();
  });

  test("an owner deletes a tenant and continues in another one", async ({ expect }) => {
    const page = await stage.open();
    const email = await register(stage, page);
    await confirm(stage, page, email);
    const url = await subscribe(stage, page, { name: "orders", url: stage.receiver.url("/200/left"), events: "*" });
    await page.goto(`${stage.server.base}/console/tenants`);
    await follow(page, "Delete");
    await page.getByText("1 subscription no longer receives anything").waitFor();
    await page.getByLabel("Your password").fill("not my password");
    await press(page, "Delete the tenant");
    await page.getByRole("alert").waitFor();
    await page.getByLabel("Your password").fill(PASSWORD);
    await press(page, "Delete the tenant");
    await page.getByText("The tenant is deleted.").waitFor();
    await signInOn(page, email);
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    expect((await page.goto(url))?.status()).toBe(404);
    await page.context().close();
  });
}
