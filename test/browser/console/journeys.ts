/** User journeys in the console, from sign-up to an outage. */
import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { Secret, TOTP } from "otpauth";
import type { Page } from "playwright-core";
import { test } from "vitest";
import {
  type ConsoleStage,
  confirm,
  follow,
  newEmail,
  PASSWORD,
  press,
  publish,
  register,
  subscribe,
} from "./stage.ts";

const OUTAGE_TIMEOUT_MS = 90_000;
const RECORD_TIMEOUT_MS = 15_000;
const STEP_MS = 30_000;

const badge = (page: Page, status: string) => page.locator(".badge", { hasText: new RegExp(`^${status}$`) }).first();

export function journeys(stage: ConsoleStage): void {
  test("a new user signs up, verifies the address, creates a subscription and sees a test event arrive", async ({
    expect,
  }) => {
    const { server, receiver } = stage;
    const page = await stage.open();
    await page.goto(`${server.base}/console`);
    await follow(page, "Create an account");
    const email = await register(stage, page);
    await page.getByText("Welcome. Your account is ready.").waitFor();
    await confirm(stage, page, email);
    await follow(page, "Create a subscription");
    await page.getByLabel("Name").fill("orders");
    await page.getByLabel("URL").fill(receiver.url("/200/first"));
    await page.getByLabel("Event types").fill("OrderPaid");
    const secret = await page.getByLabel("Signing secret").inputValue();
    await press(page, "Create subscription");
    await press(page, "Send a test");
    await badge(page, "success").waitFor();
    const arrival = receiver.arrivals.find(({ path }) => path === "/200/first");
    const signature = createHmac("sha256", secret)
      .update(arrival?.body ?? "")
      .digest("hex");
    expect(arrival?.headers["x-webhook-signature"]).toBe(signature);
    await follow(page, "Show");
    await page.getByText(secret).waitFor();
    const [time] = await page.locator("#log time").all();
    const title = (await time?.getAttribute("title")) ?? "";
    expect(title).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/);
    expect(await time?.textContent()).not.toContain(title.slice(11, 16));
  });

  test(
    "during an outage an operator sees why a subscription fails, fixes its URL and retries the failed deliveries in at most 4 clicks",
    async ({ expect }) => {
      const page = await stage.open();
      await register(stage, page);
      await subscribe(stage, page, { name: "billing", url: stage.receiver.url("/500/down"), events: "*" });
      await publish(stage, page, "InvoicePaid", '{"invoice": 7}');
      await expect
        .poll(() => stage.receiver.arrivals.filter(({ path }) => path === "/500/down").length, {
          timeout: OUTAGE_TIMEOUT_MS,
        })
        .toBe(3);
      const reason = page.getByText("status 500; 3 failed attempts since the last success");
      await expect
        .poll(
          async () => {
            await page.goto(`${stage.server.base}/console`);
            return reason.count();
          },
          { timeout: RECORD_TIMEOUT_MS },
        )
        .toBe(1);
      let clicks = 0;
      const click = (name: string) => {
        clicks += 1;
        return page.getByText(name, { exact: true }).first().click();
      };
      await click("Change the URL");
      await page.getByLabel("URL").fill(stage.receiver.url("/200/fixed"));
      await click("Save changes");
      await page.getByText("1 delivery of the last 7 days failed").waitFor();
      await click("Send 1 failed again");
      await page.getByText("Replay started.").waitFor();
      await expect
        .poll(() => stage.receiver.arrivals.findLast(({ path }) => path === "/200/fixed")?.body, {
          timeout: OUTAGE_TIMEOUT_MS,
        })
        .toBe('{"invoice": 7}');
      expect(clicks).toBeLessThanOrEqual(4);
      await page.goto(`${stage.server.base}/console`);
      expect(await page.getByText("Needs attention").count()).toBe(0);
    },
    OUTAGE_TIMEOUT_MS,
  );

  test("after a receiver was broken for a day, everything that failed or was held arrives after at most 4 clicks, with its count shown before", {
    timeout: 2 * OUTAGE_TIMEOUT_MS,
  }, async ({ expect }) => {
    const sentTo = (path: string) =>
      stage.receiver.arrivals.filter((arrival) => arrival.path === path).map(({ body }) => body);
    const page = await stage.open();
    await register(stage, page);
    const hook = await subscribe(stage, page, {
      name: "warehouse",
      url: stage.receiver.url("/500/warehouse"),
      events: "*",
    });
    await follow(page, "Edit");
    await page.getByLabel("While it is paused").selectOption("hold");
    await press(page, "Save changes");
    for (const n of [1, 2]) await publish(stage, page, "StockChanged", String(n));
    await expect.poll(() => sentTo("/500/warehouse").length, { timeout: OUTAGE_TIMEOUT_MS }).toBe(6);
    await page.goto(hook);
    await press(page, "Pause");
    await badge(page, "Paused").waitFor();
    for (const n of [3, 4, 5]) await publish(stage, page, "StockChanged", String(n));
    await page.goto(`${stage.server.base}/console`);
    await page.getByText("held 3").waitFor();
    let clicks = 0;
    const click = (name: string) => {
      clicks += 1;
      return page.getByText(name, { exact: true }).first().click();
    };
    await click("Change the URL");
    await page.getByLabel("URL").fill(stage.receiver.url("/200/warehouse"));
    await click("Save changes");
    await page.waitForURL(hook);
    await page.getByText("3 deliveries are held").waitFor();
    await page.getByText("2 deliveries of the last 7 days failed").waitFor();
    await click("Enable and send 3 held");
    await click("Send 2 failed again");
    await expect
      .poll(() => sentTo("/200/warehouse").sort(), { timeout: OUTAGE_TIMEOUT_MS })
      .toEqual(["1", "2", "3", "4", "5"]);
    expect(clicks).toBeLessThanOrEqual(4);
  });

  test("a subscription is paused and resumed, and one of its deliveries is retried", {
    timeout: OUTAGE_TIMEOUT_MS,
  }, async ({ expect }) => {
    const arrived = () =>
      stage.receiver.arrivals.filter(({ path, body }) => path === "/500/shop" && body === "2").length;
    const page = await stage.open();
    await register(stage, page);
    const hook = await subscribe(stage, page, {
      name: "shop",
      url: stage.receiver.url("/500/shop"),
      events: "OrderPaid",
    });
    await press(page, "Pause");
    await badge(page, "Paused").waitFor();
    await publish(stage, page, "OrderPaid", "1");
    await page.getByText("The subscription was paused when the event was published.").waitFor();
    await page.goto(hook);
    await press(page, "Resume");
    await badge(page, "Active").waitFor();
    await publish(stage, page, "OrderPaid", "2");
    await expect.poll(arrived, { timeout: OUTAGE_TIMEOUT_MS }).toBe(3);
    await page.getByText("Attempt 3 status 500").waitFor();
    await follow(page, "Attempt 3");
    await page.getByRole("heading", { level: 1, name: "OrderPaid" }).waitFor();
    await page.getByText("X-Webhook-Signature").waitFor();
    await press(page, "Retry");
    await page.getByText("Retry queued.").waitFor();
    await expect.poll(arrived, { timeout: RECORD_TIMEOUT_MS }).toBeGreaterThan(3);
  });

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
    await page.getByLabel("6-digit code").fill(code(-1));
    await press(page, "Turn on");
    await page.getByLabel("Next 6-digit code").fill(code(0));
    await press(page, "Show recovery codes");
    const downloading = page.waitForEvent("download");
    await follow(page, "Download");
    const downloaded = readFileSync(await (await downloading).path(), "utf8");
    expect(downloaded.match(/^[A-Z2-7]{4}(-[A-Z2-7]{4}){3}$/gm)).toHaveLength(10);
    await press(page, "Sign out");
    await page.getByLabel("Email").fill(email);
    await page.getByLabel("Password").fill(PASSWORD);
    await press(page, "Sign in");
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
    expect(buttons.sort()).toEqual(["Copy", "Copy", "Filter", "Sign out"]);
    expect(await viewer.getByRole("navigation").getByRole("link").allTextContents()).toEqual([
      "Overview",
      "Subscriptions",
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

  test("everything works without JavaScript", async ({ expect }) => {
    const page = await stage.open({ javaScriptEnabled: false });
    await register(stage, page);
    const hook = await subscribe(stage, page, { name: "plain", url: stage.receiver.url("/200/plain"), events: "*" });
    await press(page, "Send a test");
    await expect
      .poll(
        async () => {
          await page.goto(hook);
          return badge(page, "success").count();
        },
        { timeout: RECORD_TIMEOUT_MS },
      )
      .toBe(1);
    expect(await page.locator("#log time").first().textContent()).toMatch(/UTC$/);
    await follow(page, "Delete");
    await press(page, "Delete subscription");
    await page.getByText("No subscriptions yet").waitFor();
  });

  test("the keyboard reaches every control and can skip to the content", async ({ expect }) => {
    const page = await stage.open();
    await register(stage, page);
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.textContent?.trim())).toBe("Skip to content");
    const seen = new Set<string>();
    for (let step = 0; step < 20; step++) {
      await page.keyboard.press("Tab");
      const focus = await page.evaluate(() => {
        const element = document.activeElement;
        const { outlineStyle, outlineWidth } = element
          ? getComputedStyle(element)
          : { outlineStyle: "", outlineWidth: "" };
        return {
          text: element?.textContent?.trim() ?? "",
          visible: outlineStyle !== "none" && outlineWidth !== "0px",
          isBody: element === document.body,
        };
      });
      if (focus.isBody) break;
      expect(focus.visible, focus.text).toBe(true);
      seen.add(focus.text);
    }
    expect([...seen]).toEqual(
      expect.arrayContaining(["Subscriptions", "My security", "Sign out", "Create a subscription"]),
    );
  });
}
