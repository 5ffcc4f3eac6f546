/**
 * What protects people in the console: two-factor authentication, roles, the origin of forms, and content that is only
 * text.
 */
import { readFileSync } from "node:fs";
import { Secret, TOTP } from "otpauth";
import { test } from "vitest";
import {
  badge,
  confirm,
  follow,
  newEmail,
  PASSWORD,
  press,
  publish,
  register,
  type Stage,
  signInOn,
  subscribe,
} from "./stage.ts";

const STEP_MS = 30_000;

export function protection(stage: Stage): void {
  test("a user turns on two-factor authentication, downloads recovery codes and signs in with a code", async ({
    expect,
  }) => {
    const page = await stage.open({ acceptDownloads: true });
    const email = await register(stage, page);
    await confirm(stage, page, email);
    await follow(page, "My security");
    await press(page, "Set up");
    await page.getByRole("img", { name: "QR code for your authenticator app" }).waitFor();
    const secret = await page.locator("code").textContent();
    const totp = new TOTP({ secret: Secret.fromBase32(secret ?? "") });
    const code = (steps: number) => totp.generate({ timestamp: Date.now() + steps * STEP_MS });
    await page.getByLabel("6-digit code").fill(code(0));
    await press(page, "Turn on");
    const downloading = page.waitForEvent("download");
    await follow(page, "Download");
    const downloaded = readFileSync(await (await downloading).path(), "utf8");
    expect(downloaded.match(/^[A-Z2-7]{4}(-[A-Z2-7]{4}){3}$/gm)).toHaveLength(10);
    await press(page, "Sign out");
    await signInOn(page, email);
    await page.getByLabel("Code").fill(code(1));
    await press(page, "Sign in");
    await page.getByRole("heading", { name: "Overview" }).waitFor();
  });

  test("a viewer sees only what is allowed, and a forged form is refused", async ({ expect }) => {
    const owner = await stage.open();
    await confirm(stage, owner, await register(stage, owner));
    const hook = await subscribe(stage, owner, { name: "shared", url: stage.receiver.url("/200/shared"), events: "*" });
    await follow(owner, "People");
    const email = newEmail();
    await owner.getByLabel("Email").fill(email);
    await owner.getByLabel("Role", { exact: true }).selectOption("viewer");
    await press(owner, "Send invitation");
    const viewer = await stage.open();
    await viewer.goto(await stage.server.mailedLink(email, /invited/));
    await follow(viewer, "Create an account");
    await viewer.getByLabel("Email").fill(email);
    await viewer.getByLabel("Password").fill(PASSWORD);
    await press(viewer, "Create account");
    await viewer.getByRole("heading", { name: "Overview" }).waitFor();
    await viewer.goto(hook);
    const buttons = await viewer.getByRole("button").allTextContents();
    expect(buttons.sort()).toEqual(["Copy", "Copy", "Sign out"]);
    expect(await viewer.getByRole("navigation", { name: "Console" }).getByRole("link").allTextContents()).toEqual([
      "Overview",
      "Subscriptions",
      "Events",
      "Event types",
      "Feeds",
      "Sources",
      "API keys",
      "My security",
    ]);
    const [refused] = await Promise.all([
      viewer.waitForResponse((response) => response.request().method() === "POST"),
      viewer.evaluate((action) => {
        const form = Object.assign(document.createElement("form"), { method: "post", action });
        document.body.append(form);
        form.submit();
      }, `${hook}/pause`),
    ]);
    expect(refused.status()).toBe(403);
    await viewer.getByText("You do not have permission to do this.").waitFor();
  });

  test("a form on another site changes nothing", async ({ expect }) => {
    const page = await stage.open();
    await register(stage, page);
    const hook = await subscribe(stage, page, { name: "mine", url: stage.receiver.url("/200/mine"), events: "*" });
    const evil = `<form method="post" action="${hook}/pause"></form><script>document.forms[0].submit()</script>`;
    await page.route("http://evil.example/", (route) => route.fulfill({ contentType: "text/html", body: evil }));
    const [forged] = await Promise.all([
      page.waitForResponse((response) => response.request().method() === "POST"),
      page.goto("http://evil.example/").catch(() => undefined),
    ]);
    expect([303, 403]).toContain(forged.status());
    await page.goto(hook);
    await badge(page, "Active").waitFor();
  });

  test("content from senders and receivers is shown as text", async ({ expect }) => {
    const page = await stage.open();
    await register(stage, page);
    await subscribe(stage, page, {
      name: "<script>alert('name')</script>",
      url: stage.receiver.url("/200/x"),
      events: "*",
    });
    await publish(stage, page, "<script>alert('type')</script>", `{"note": "<script>alert('payload')</script>"}`);
    await badge(page, "delivered").waitFor();
    await follow(page, "Attempt 1");
    await page.getByText("<script>alert('payload')</script>").waitFor();
    await page.getByText("<script>alert('from the receiver')</script>").waitFor();
    expect(await page.locator("main script, main img").count()).toBe(0);
  });
}
