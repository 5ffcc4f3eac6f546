/** Signing in with the command line: by the browser of the machine and by another device, as a person does it. */
import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { folder, PASSWORD, server, start } from "./stage.ts";

const ACCOUNT_FILE = join(folder, "postern/config.json");
const kept = () => JSON.parse(readFileSync(ACCOUNT_FILE, "utf8")) as { url: string; tokens: Record<string, unknown> };

/** A browser that keeps its cookies, and goes on where a page leads. */
function newBrowser() {
  const jar = new Map<string, string>();
  const open = async (address: string, form?: Record<string, string>): Promise<{ url: string; html: string }> => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(new URL(address, server.base), {
      redirect: "manual",
      headers: { cookie, ...(form ? { origin: server.base } : {}) },
      ...(form ? { method: "POST", body: new URLSearchParams(form) } : {}),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = line.match(/^([^=]+)=([^;]*)/) ?? [];
      jar.set(name, value);
    }
    const next = response.headers.get("location") ?? response.headers.get("refresh")?.replace(/^0; url=/, "");
    if (next) return new URL(next, server.base).origin === server.base ? open(next) : { url: next, html: "" };
    return { url: address, html: await response.text() };
  };
  return { open };
}

const fieldOf = (html: string, name: string) =>
  (html.match(new RegExp(`name="${name}" value="([^"]*)"`))?.[1] ?? "").replaceAll("&amp;", "&");

/** Signs in where the page asks for that, and allows what the next one asks for. Returns the page after it. */
async function allow(address: string, form?: Record<string, string>) {
  const browser = newBrowser();
  let page = await browser.open(address, form);
  if (page.html.includes("current-password")) {
    const credentials = { email: "ada@example.com", password: PASSWORD, to: fieldOf(page.html, "to") };
    page = await browser.open("/account/sign-in", credentials);
  }
  return browser.open("/account/consent", { ask: fieldOf(page.html, "ask"), answer: "allow" });
}

async function said(text: RegExp, printed: { err: string }): Promise<string> {
  for (;;) {
    const found = printed.err.match(text)?.[1];
    if (found !== undefined) return found;
    await new Promise((done) => setTimeout(done, 20));
  }
}

const publishes = async () => (await start(["publish", "OrderPaid"]).ended).status;

export function commandLineLogin(): void {
  test("login by the browser keeps tokens that are renewed once by many commands, and logout ends them", async () => {
    const login = start(["login", "--url", server.base], { hasNoInput: true });
    const { url, html } = await allow(await said(/(http\S+authorize\S+)/, login.printed));
    const back = html === "" ? url : (html.match(/href="(http:\/\/127[^"]+)"/)?.[1] ?? "").replaceAll("&amp;", "&");
    expect(await (await fetch(back)).text()).toContain("close this page");
    expect(await login.ended).toMatchObject({ status: 0, out: expect.stringContaining(ACCOUNT_FILE) });
    expect([statSync(ACCOUNT_FILE).mode & 0o777, await publishes()]).toEqual([0o600, 0]);
    const before = kept();
    writeFileSync(ACCOUNT_FILE, JSON.stringify({ ...before, tokens: { ...before.tokens, expiresAt: 0 } }));
    expect(await Promise.all([publishes(), publishes(), publishes()])).toEqual([0, 0, 0]);
    expect(String(kept().tokens["refresh"])).toMatch(/\.2\./);
    expect((await start(["logout"]).ended).status).toBe(0);
    writeFileSync(ACCOUNT_FILE, JSON.stringify(before));
    expect(await publishes()).toBe(3);
    rmSync(ACCOUNT_FILE);
  });

  test("login by another device shows a code, and is refused when the person does not allow it", async () => {
    const login = start(["login", "--url", server.base, "--device"]);
    const code = await said(/code (\S+)/, login.printed);
    await allow("/account/device", { user_code: code });
    expect(await login.ended).toMatchObject({ status: 0 });
    expect(await publishes()).toBe(0);
    rmSync(ACCOUNT_FILE);
  });
}
