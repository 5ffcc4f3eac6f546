/** The command that an attempt's page copies, run for real. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { test } from "vitest";
import { follow, openSection, press, publish, register, type Stage, subscribe } from "./stage.ts";

const run = promisify(execFile);
const CURL_TIMEOUT_MS = 20_000;
/** Not the port, and what the client writes by itself. */
const COMPARED = ["content-type", "webhook-id", "webhook-timestamp", "webhook-signature", "x-webhook-signature"];

/** The command that the page of the newest attempt of a subscription copies. */
async function copiedFrom(page: Page, hook: string): Promise<string> {
  await page.goto(hook);
  await page.locator("#log tbody a").first().click();
  // The button says "Copied" for a moment only, and the pages of other tests share the clipboard.
  await page.evaluate(() => {
    const { clipboard } = navigator;
    const write = clipboard.writeText.bind(clipboard);
    const copied = new Promise<string>((done) => {
      clipboard.writeText = (text) => write(text).then(() => done(text));
    });
    Object.assign(globalThis, { copied });
  });
  await press(page, "Copy as curl");
  return page.evaluate<string>("copied");
}

export function curl(stage: Stage): void {
  test("the copied curl command sends what an attempt has sent, in the subscription's format, without its own headers", async ({
    expect,
  }) => {
    const page = await stage.open({ permissions: ["clipboard-read", "clipboard-write"] });
    await register(stage, page);
    const url = stage.receiver.url("/200/curl");
    const hook = await subscribe(stage, page, { name: "curl", url, events: "OrderPaid" });
    await follow(page, "Edit");
    for (const title of ["Signature and body", "Headers"]) await openSection(page, title);
    await page.getByLabel("Body", { exact: true }).selectOption("standard");
    await page.getByLabel("Own headers").fill("Authorization: Bearer abcdefghijkl");
    await press(page, "Save changes");
    await page.getByText("value ends in ijkl").waitFor();
    await publish(stage, page, "OrderPaid", `{"note": "it's naïve ✓ $(id) \\\\ \`id\`"}`);
    await page.getByText("200 OK").waitFor();
    const command = await copiedFrom(page, hook);
    expect(command).not.toContain("abcdefghijkl");
    await run("bash", ["-c", `${command} --silent --noproxy '*'`], { timeout: CURL_TIMEOUT_MS });
    const [sent, copied, ...more] = stage.receiver.arrivals.filter(({ path }) => path === "/200/curl");
    expect(more).toEqual([]);
    expect([sent?.headers.authorization, copied?.headers.authorization]).toEqual(["Bearer abcdefghijkl", undefined]);
    expect(copied?.body).toBe(sent?.body);
    const compared = (headers = sent?.headers) => COMPARED.map((name) => [name, headers?.[name]]);
    expect(compared(copied?.headers)).toEqual(compared());
    expect(sent?.headers["webhook-signature"]).toMatch(/^v1,/);
    await page.context().close();
  });
}
