/** The console's pages of sources: what they create, show, try and refuse, and to whom. */
import { describe, expect, test } from "vitest";
import { toHex, utf8 } from "../../src/base/crypto/encoding";
import { hmac } from "../../src/base/crypto/webhook-signature";
import { call, eventually, type Person, signUp, signUpVerified } from "../support/client";
import { type ConsoleBrowser, holding } from "../support/console";
import { joinTenant } from "../support/people";

const SECRET = "a signing secret";
const GITHUB = { name: "Our repository", secrets: SECRET };
const PATH = /\/console(\/sources\/src_\w+)/;

const create = async (browser: ConsoleBrowser, provider: string, fields: Record<string, string> = {}) => {
  const answer = await browser.post(`/sources/new/${provider}`, { ...GITHUB, ...fields });
  expect([answer.status, answer.html]).toEqual([303, ""]);
  return answer.location?.match(PATH)?.[1] ?? "";
};
const signature = async (body: string, secret = SECRET) => `sha256=${toHex(await hmac("SHA-256", utf8(secret), body))}`;
const sourceIn = async ({ token }: Person, path: string) => (await call("GET", path, { token })).body.data;

describe("a source in the console", () => {
  test("is created for a provider, and its page has the URL and what to do there", async () => {
    const owner = await signUpVerified();
    const browser = await holding(owner);
    expect((await browser.get("/sources")).html).toContain("Create your first source");
    expect((await browser.get("/sources/new")).html).toContain('href="/console/sources/new/stripe"');
    const path = await create(browser, "github");
    const { html } = await browser.get(path);
    expect(html).toContain("Source created. Enter its URL at the provider.");
    expect(html).toContain(`/api/v1/in/${path.replace("/sources/", "")}`);
    expect(html).toContain("Choose the content type application/json.");
    expect(html).not.toContain(SECRET);
    expect((await browser.get("/sources")).html).toMatch(/Our repository.*GitHub.*Active/s);
  });

  test("may be created before Stripe shows its secret, which is added afterwards", async () => {
    const browser = await holding(await signUpVerified());
    const path = await create(browser, "stripe", { secrets: "" });
    const added = await browser.follow(await browser.post(`${path}/secrets`, { secret: "whsec_1234567890" }));
    expect(added.html).toContain("…7890");
    const [, removal = ""] = added.html.match(/\/console(\/sources\/[^"]+\/remove)"/) ?? [];
    expect((await browser.follow(await browser.post(removal))).html).toContain("Secret removed.");
    expect((await browser.get(path)).html).not.toContain("/remove");
    expect((await browser.post(removal)).status).toBe(404);
  });

  test("of another provider says how its calls are signed and what names them", async () => {
    const owner = await signUpVerified();
    const browser = await holding(owner);
    const fields = {
      "verification.header": "X-Signature",
      "verification.algorithm": "sha512",
      "verification.encoding": "base64",
      "verification.secretEncoding": "utf8",
      "verification.content": "{timestamp}.{body}",
      "verification.timestampHeader": "X-Time",
      "verification.toleranceSeconds": "60",
      typeFrom: "pointer",
      type: "/kind",
      dedupe: "/id",
      allow: "a\nb.*",
      requestsPerMinute: "120",
    };
    const path = await create(browser, "hmac", fields);
    expect(await sourceIn(owner, path)).toMatchObject({
      verification: { header: "X-Signature", algorithm: "sha512", encoding: "base64", toleranceSeconds: 60 },
      type: { pointer: "/kind" },
      dedupe: { pointer: "/id" },
      allow: ["a", "b.*"],
      requestsPerMinute: 120,
    });
    const edit = (await browser.get(`${path}/edit`)).html;
    for (const text of ["X-Signature", "{timestamp}.{body}", "/kind", "120"]) expect(edit).toContain(`value="${text}"`);
    const changed = { ...fields, name: "Warehouse", allow: "", requestsPerMinute: "" };
    expect((await browser.follow(await browser.post(path, changed))).html).toContain("Changes saved.");
    const source = await sourceIn(owner, path);
    expect([source.name, source.allow, source.requestsPerMinute]).toEqual(["Warehouse", undefined, undefined]);
    expect(source.verification.header).toBe("X-Signature");
  });

  test.each([
    [{ dedupeFrom: "header", dedupe: "X-Id" }, { header: "X-Id" }, "the header X-Id"],
    [{ dedupeFrom: "none" }, false, "each call is an event"],
    [{ dedupeFrom: "", dedupe: "" }, undefined, "the type and the whole body"],
  ])("says with %j by what repeats are known", async (given, dedupe, words) => {
    const owner = await signUpVerified();
    const browser = await holding(owner);
    const fields = { "verification.header": "X-Signature", typeFrom: "header", type: "X-Event", ...given };
    const path = await create(browser, "hmac", fields);
    expect((await sourceIn(owner, path)).dedupe).toEqual(dedupe);
    expect((await browser.get(dedupe === undefined ? `${path}/edit` : path)).html).toContain(words);
  });

  test.each([
    ["github", { name: " " }, "name-error"],
    ["slack", { secrets: "" }, "secrets-error"],
    ["github", { requestsPerMinute: "many" }, "requestsPerMinute-error"],
    ["github", { allow: "a b*c" }, "allow-error"],
    ["github", { typePrefix: "postern.x" }, "typePrefix-error"],
    ["hmac", { typeFrom: "pointer", type: "/a", "verification.header": "" }, "verification.header-error"],
    [
      "hmac",
      { typeFrom: "pointer", type: "a", "verification.header": "X-A", "verification.content": "x" },
      "type-error",
    ],
    [
      "hmac",
      { typeFrom: "pointer", type: "/a", "verification.header": "X-A", "verification.content": "x" },
      "verification.content-error",
    ],
  ])("for %s is refused with %j, beside the field, and keeps what was typed", async (provider, fields, id) => {
    const browser = await holding(await signUpVerified());
    const choices = { "verification.algorithm": "sha256", "verification.encoding": "hex" };
    const texts = { "verification.secretEncoding": "utf8", "verification.content": "{body}" };
    const sent = { ...GITHUB, name: "kept", ...choices, ...texts, ...fields };
    const { status, html } = await browser.post(`/sources/new/${provider}`, sent);
    expect([status, html.includes(`id="${id}"`)]).toEqual([400, true]);
    if (!("name" in fields)) expect(html).toContain('value="kept"');
  });

  test("is turned off and on, and deleted after a question", async () => {
    const owner = await signUpVerified();
    const browser = await holding(owner);
    const path = await create(browser, "github");
    expect((await browser.follow(await browser.post(`${path}/off`))).html).toContain("The source is off.");
    expect((await sourceIn(owner, path)).enabled).toBe(false);
    expect((await browser.follow(await browser.post(`${path}/on`))).html).toContain("The source is on.");
    expect((await browser.get(`${path}/delete`)).html).toContain("Delete “Our repository”?");
    expect((await browser.follow(await browser.post(`${path}/delete`))).html).toContain("Source deleted.");
    expect((await browser.get(path)).status).toBe(404);
  });
});

describe("a pasted sample", () => {
  const BODY = '{\n  "action": "opened"\n}';
  /** As a browser sends the lines of a text. */
  const typed = BODY.replaceAll("\n", "\r\n");
  const headersOf = async (secret?: string) =>
    `POST /hook HTTP/1.1\r\nX-GitHub-Event: issues\r\nX-Hub-Signature-256: ${await signature(BODY, secret)}\r\n`;

  test("says which event it would become, and publishes nothing", async () => {
    const owner = await signUpVerified();
    const browser = await holding(owner);
    const path = await create(browser, "github");
    const { status, html } = await browser.post(`${path}/test`, { headers: await headersOf(), body: typed });
    expect([status, html.includes("<strong>github.issues.opened</strong>")]).toEqual([200, true]);
    expect(html).toContain("X-GitHub-Event: issues");
    expect((await call("GET", "/events", { token: owner.token })).body.data).toEqual([]);
  });

  test("says why a call would be refused or ignored", async () => {
    const browser = await holding(await signUpVerified());
    const path = await create(browser, "github", { allow: "push" });
    const wrong = await browser.post(`${path}/test`, { headers: await headersOf("another"), body: typed });
    expect(wrong.html).toContain("Wrong signature.");
    const ignored = await browser.post(`${path}/test`, { headers: await headersOf(), body: typed });
    expect(ignored.html).toContain("its type, github.issues.opened, is not relayed");
    const odd = await browser.post(`${path}/test`, { headers: "not a header", body: "{}" });
    expect([odd.status, odd.html.includes('id="headers-error"')]).toEqual([400, true]);
  });
});

describe("the pages of sources", () => {
  test("show refused calls with the reason and what helps", async () => {
    const browser = await holding(await signUpVerified());
    const path = await create(browser, "github");
    expect((await browser.get(path)).html).toContain("No call was refused");
    const headers = { "content-type": "application/json", "x-hub-signature-256": "sha256=00" };
    expect((await call("POST", path.replace("/sources/", "/in/"), { raw: "{}", headers })).status).toBe(401);
    const html = await eventually("an entry of the refused call", async () => {
      const page = await browser.get(path);
      return page.html.includes("Wrong signature") ? page.html : undefined;
    });
    expect(html).toContain("Is the secret here the one at the provider?");
  });

  test("can be read by a viewer, who changes nothing, and not by other tenants or plain members", async () => {
    const owner = await signUpVerified();
    const path = await create(await holding(owner), "github");
    const viewer = await holding(await joinTenant(owner, "viewer"));
    const { status, html } = await viewer.get(path);
    expect([status, /<form[^>]*sources/.test(html)]).toEqual([200, false]);
    expect((await viewer.get("/sources/new")).status).toBe(403);
    const stranger = await holding(await signUp());
    const member = await holding(await joinTenant(owner, "member"));
    expect([(await stranger.get(path)).status, (await member.get(path)).status]).toEqual([404, 403]);
    expect((await member.get("")).html).not.toContain('href="/console/sources"');
    for (const write of ["", "/on", "/off", "/secrets", "/test", "/delete", "/secrets/x/remove"]) {
      const fields = { name: "x", secret: "y", body: "{}" };
      expect([write, (await viewer.post(path + write, fields)).status]).toEqual([write, 403]);
      expect([write, (await stranger.post(path + write, fields)).status]).toEqual([write, 404]);
    }
    expect((await viewer.post("/sources/new/github", GITHUB)).status).toBe(403);
    expect((await (await holding(owner)).get("/sources/new/nobody")).status).toBe(404);
  });
});
