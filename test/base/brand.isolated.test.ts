/** The brand in the console and in mails, and optional settings that are wrong. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import worker from "../../src";
import { parseConfig } from "../../src/base/config/config";
import { ENGLISH } from "../../src/base/texts/texts";
import { renderMail } from "../../src/mailer/render";
import { invitationMail } from "../../src/mailer/token-mails";

const BRAND = { BRAND_NAME: "Acme & Co", BRAND_LOGO_URL: "https://cdn.acme.example/logo.svg", BRAND_COLOR: "#0a5c36" };

async function get(path: string, settings: object) {
  const request = new Request<unknown, IncomingRequestCfProperties>(`http://postern.test${path}`);
  const answer = await worker.fetch(request, { ...env, ...settings }, createExecutionContext());
  return { status: answer.status, policy: answer.headers.get("content-security-policy"), text: await answer.text() };
}

test("the console shows the name, the logo and the colour, and may load the logo only", async () => {
  const { text, policy } = await get("/console/sign-in", BRAND);
  expect(text).toContain("· Acme &amp; Co</title>");
  expect(text).toContain('src="https://cdn.acme.example/logo.svg" alt="Acme &amp; Co"');
  expect(policy).toContain("img-src 'self' https://cdn.acme.example;");
  const style = text.match(/href="([^"]+\.css)"/)?.[1] ?? "";
  expect((await get(style, {})).text).toContain("--brand: #0a5c36");
  const plain = await get("/console/sign-in", {});
  expect([plain.text.includes("· Postern</title>"), plain.policy?.includes("img-src 'self';")]).toEqual([true, true]);
});

test("mails have the brand, a button, the same contents as text, and no markup of others", () => {
  const guest = { tenantName: "<b>Acme</b>", inviter: "Ann (ann@acme.example)", role: "admin" };
  const content = invitationMail(ENGLISH, "https://app.example", guest, "t0ken");
  const { html, text } = renderMail(content, parseConfig({ ...env, ...BRAND }).brand);
  expect(text).toContain("Ann (ann@acme.example) invites you to join <b>Acme</b> as an admin.");
  expect(text).toContain("https://app.example/accept-invitation?token=t0ken");
  expect(html).toContain("Ann (ann@acme.example) invites you to join &lt;b&gt;Acme&lt;/b&gt; as an admin.");
  expect(html).toContain('class="button" href="https://app.example/accept-invitation?token=t0ken"');
  expect(html).toContain("background:#0a5c36");
  expect(html).toContain('<meta name="viewport"');
  expect(html).toContain("prefers-color-scheme:dark");
  expect(html).toContain('alt="Acme &amp; Co"');
});

test.each([
  [{ BRAND_COLOR: "#ffff00" }, "BRAND_COLOR"],
  [{ BRAND_COLOR: "red;}" }, "BRAND_COLOR"],
  [{ BRAND_LOGO_URL: "http://a.example/x.png" }, "BRAND_LOGO_URL"],
  [{ METRICS_TOKEN: "repeat repeat repeat repeat repeat" }, "METRICS_TOKEN"],
])("with %j the service signs people in, and the deep health check names the setting", async (bad, name) => {
  expect((await get("/console/sign-in", bad)).status).toBe(200);
  const health = await get("/health?deep=1", bad);
  expect([health.status, JSON.parse(health.text).data.refusedSettings]).toEqual([200, [name]]);
});

test("a setting that the service needs still stops it", () => {
  expect(() => parseConfig({ ...env, APP_URL: "nowhere", METRICS_TOKEN: "x" })).toThrow(
    /^APP_URL must .*METRICS_TOKEN must/,
  );
});

test("an ALERT_MAIL that is no address is refused alone", () => {
  const { refused, alertMail } = parseConfig({ ...env, ALERT_MAIL: "nobody" });
  expect([refused, alertMail]).toEqual([["ALERT_MAIL must be an email address, or empty"], null]);
});
