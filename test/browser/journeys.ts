/** User journeys in the console, from sign-up to an outage. */
import { createHmac } from "node:crypto";
import { test } from "vitest";
import { badge, confirm, follow, openSection, press, publish, register, type Stage, subscribe } from "./stage.ts";

const OUTAGE_TIMEOUT_MS = 180_000;
const RECORD_TIMEOUT_MS = 60_000;

export function journeys(stage: Stage): void {
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
    await page.getByLabel("Event types").pressSequentially("Order Paid, OrderPaid,");
    expect(await page.locator(".tag").allTextContents()).toEqual(["Order Paid", "OrderPaid"]);
    await press(page, "Remove Order Paid");
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
    expect(title).toMatch(/:\d\d GMT\+5:30 \(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\)$/);
    expect(await time?.textContent()).toMatch(/ago$|^now$/);
  });

  test(
    "during an outage an operator sees why a subscription fails, fixes its URL and retries the failed deliveries " +
      "in at most 4 clicks",
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
      const reason = page.getByText("500 Internal Server Error; 3 failed attempts since the last success");
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
      await page.getByRole("link", { name: "View the error" }).waitFor();
      await click("billing");
      await click("Edit");
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
      // The success is recorded after the receiver has answered.
      await expect
        .poll(
          async () => {
            await page.goto(`${stage.server.base}/console`);
            return page.getByText("Needs attention").count();
          },
          { timeout: RECORD_TIMEOUT_MS },
        )
        .toBe(0);
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
      url: stage.receiver.url("/404/warehouse"),
      events: "*",
    });
    await follow(page, "Edit");
    await openSection(page, "When it is paused or fails");
    await page.getByLabel("While it is paused").selectOption("hold");
    await press(page, "Save changes");
    for (const n of [1, 2]) await publish(stage, page, "StockChanged", String(n));
    await expect.poll(() => sentTo("/404/warehouse").length, { timeout: OUTAGE_TIMEOUT_MS }).toBe(6);
    await page.goto(hook);
    await press(page, "Pause");
    await badge(page, "Paused").waitFor();
    for (const n of [3, 4, 5]) await publish(stage, page, "StockChanged", String(n));
    await page.goto(`${stage.server.base}/console`);
    await page.getByText("3 deliveries are held.").waitFor();
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
    await page.getByText("Attempt 3 500 Internal Server Error").waitFor();
    await follow(page, "Attempt 3");
    await page.getByRole("heading", { level: 1, name: "OrderPaid" }).waitFor();
    await page.getByText("X-Webhook-Signature").waitFor();
    await press(page, "Retry");
    await page.getByText("Retry queued.").waitFor();
    await expect.poll(arrived, { timeout: RECORD_TIMEOUT_MS }).toBeGreaterThan(3);
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

  test("keys move between rows, open one, go to the search and show themselves", async ({ expect }) => {
    const page = await stage.open();
    await register(stage, page);
    await subscribe(stage, page, { name: "first", url: stage.receiver.url("/200/keys"), events: "KeyPressed" });
    await subscribe(stage, page, { name: "second", url: stage.receiver.url("/200/keys"), events: "KeyPressed" });
    await page.goto(`${stage.server.base}/console/webhooks`);
    const names = await page.locator("tbody tr a").allTextContents();
    const focused = () => page.evaluate(() => document.activeElement?.textContent);
    const pressed = async (key: string) => {
      await page.keyboard.press(key);
      return focused();
    };
    expect(await pressed("j")).toBe(names[0]);
    expect(await pressed("j")).toBe(names[1]);
    expect([await pressed("j"), await pressed("k"), await pressed("k")]).toEqual([names[1], names[0], names[0]]);
    await page.keyboard.press("/");
    await page.keyboard.type("jk?");
    expect(await page.getByRole("searchbox").inputValue()).toBe("jk?");
    await page.getByRole("heading", { level: 1 }).click();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).getByText("previous row").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: names[0] ?? "" }).waitFor();
    await page.context().close();
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
