/** The pages of the documentation are complete, light and without broken links. */
import { describe, expect, test } from "vitest";
import { toHex } from "../../src/base/crypto/encoding";
import { fileAt, get, markdown, names, pageOf, pathOf } from "../support/docs";

describe.each(names)("%s", (name) => {
  test("is served as HTML that runs no inline script and loads nothing from another host", async () => {
    const response = await get(pathOf(name));
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/html; charset=UTF-8"]);
    expect(response.headers.get("content-security-policy")).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self'; img.*trusted-types 'none'$/,
    );
    const html = await response.text();
    expect(html).not.toMatch(/<script(?! defer src="\/docs\/assets\/)| style=|<!-- table|\{\{\w+:/);
    expect(html).toMatch(/<h1 id=/);
    expect([...html.matchAll(/(?:src|<link[^>]*href)="([^"]+)"/g)].filter(([, url]) => !url?.startsWith("/"))).toEqual(
      [],
    );
  });

  test("loads only files that are served", async () => {
    const loaded = [...(await pageOf(name)).matchAll(/<(?:link|img|script)[^>]*(?:href|src)="([^"]+)"/g)];
    expect(loaded.length).toBeGreaterThan(0);
    for (const [, path = ""] of loaded) expect([path, (await fileAt(path)).status]).toEqual([path, 200]);
  });

  test("weighs at most 60 KB with its styles and script, compressed as servers send it", async () => {
    const html = await pageOf(name);
    const loaded = [...html.matchAll(/(?:stylesheet" href|defer src)="([^"]+)"/g)].map(([, path = ""]) => path);
    const files = await Promise.all([pathOf(name), ...loaded].map(fileAt));
    expect(files.reduce((total, { compressedBytes }) => total + compressedBytes, 0)).toBeLessThan(60_000);
  });

  test("has no broken link", async () => {
    const html = await pageOf(name);
    const links = [...html.matchAll(/<a href="([^"]+)"/g)].map(([, link = ""]) => link);
    expect(links.length).toBeGreaterThan(20);
    for (const link of links.filter((link) => !link.startsWith("https://"))) {
      if (link.startsWith("/docs/assets/")) {
        expect([link, (await fileAt(link)).status]).toEqual([link, 200]);
        continue;
      }
      const [path = "", anchor] = link.split("#");
      const target = await fileAt(path === "" ? pathOf(name) : path);
      expect([link, target.text.startsWith("<!doctype html>")]).toEqual([link, true]);
      if (anchor) expect([link, target.ids.has(anchor)]).toEqual([link, true]);
    }
  });
});

test("every page is in the navigation and on the first page, those below another page in its navigation only", async () => {
  const reference = await (await get("/docs/reference")).text();
  const missing = (html: string) => names.filter((name) => !html.includes(`<a href="${pathOf(name)}"`));
  const below = names.filter((name) => /\/|^sign-on-/.test(name));
  const parents = [
    ["client", "client/", 11],
    ["operations", "runbooks/", 11],
    ["sign-on", "sign-on-", 4],
  ] as const;
  for (const [page, prefix, fewest] of parents) {
    const nav = (await pageOf(page)).match(/<nav[\s\S]*?<\/nav>/)?.[0] ?? "";
    expect(below.filter((name) => name.startsWith(prefix)).length).toBeGreaterThanOrEqual(fewest);
    expect(missing(nav)).toEqual(below.filter((name) => !name.startsWith(prefix)));
  }
  expect(missing(reference)).toEqual(below);
  const first = markdown["../../src/docs/pages/index.md"] ?? "";
  const linked = (name: string) => name === "index" || first.includes(`(${name}.md)`);
  expect(names.filter((name) => !below.includes(name) && !linked(name))).toEqual([]);
});

test("each page is also Markdown, and a list for programs has all of them", async () => {
  const list = await (await get("/docs/llms.txt")).text();
  for (const name of names) {
    expect(list).toContain(`(/docs/${name}.md)`);
    const page = await get(`/docs/${name}.md`);
    expect([name, page.status, page.headers.get("content-type")]).toEqual([name, 200, "text/markdown; charset=utf-8"]);
    expect(await page.text()).toMatch(/^# /);
  }
  expect((await get("/docs/nothing.md")).status).toBe(404);
});

test("the addresses from before the pages had folders lead to the same pages", async () => {
  const formerOf = (name: string) => name.replace("client/", "client-").replace("runbooks/", "runbook-");
  const moved = names.filter((name) => formerOf(name) !== name);
  expect(moved.length).toBeGreaterThan(30);
  for (const path of moved.flatMap((name) => [name, `${name}.md`])) {
    const answer = await get(`/docs/${formerOf(path)}`, { redirect: "manual" });
    expect([path, answer.status, answer.headers.get("location")]).toEqual([path, 301, `/docs/${path}`]);
  }
});

test("each link from the Markdown of one page to another is right in the repository too", () => {
  const files = new Set(names.map((name) => `/${name}.md`));
  const broken = names.flatMap((name) => {
    const text = markdown[`../../src/docs/pages/${name}.md`] ?? "";
    const links = [...text.matchAll(/\]\(([^):#]+\.md)(?:#[^)]*)?\)/g)].map(([, link = ""]) => link);
    return links.filter((link) => !files.has(new URL(link, `file:///${name}`).pathname)).map((link) => [name, link]);
  });
  expect(broken).toEqual([]);
});

test("a long page lists its sections, and each page leads back to the console", async () => {
  const html = await pageOf("operations");
  expect(html).toMatch(/<nav class="toc"[\s\S]*<a href="#alarms">Alarms<\/a>/);
  expect(html).toContain('<a href="/console">Console</a>');
});

test("the search's file has an address that changes with it, because browsers keep it", async () => {
  const [, address = ""] = (await pageOf("index")).match(/data-index="([^"]+)"/) ?? [];
  const content = await (await get(address)).arrayBuffer();
  const digest = toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", content)));
  expect(address).toBe(`/docs/assets/search.json?v=${digest.slice(0, 8)}`);
});

test("the search knows each section of each page, by an address that exists", async () => {
  const entries: string[][] = await (await get("/docs/assets/search.json")).json();
  const addresses = entries.map(([address = ""]) => address);
  expect(new Set(addresses.map((address) => address.split("#")[0]))).toEqual(
    new Set([...names.map(pathOf), "/docs/reference"]),
  );
  expect(addresses).toContain("/docs/operations#key-rotation");
  for (const address of addresses.filter((one) => one.startsWith("/docs/operations#"))) {
    expect(await pageOf("operations")).toContain(`id="${address.split("#")[1]}"`);
  }
});

test("an unknown page answers 404: a page to people, JSON to programs", async () => {
  for (const path of ["/docs/toString", "/docs/nowhere", "/docs/client/nowhere"]) {
    const [page, answer] = [await get(path, { headers: { accept: "text/html,*/*" } }), await get(path)];
    expect([path, page.status, page.headers.get("content-type")]).toEqual([path, 404, "text/html; charset=UTF-8"]);
    expect(await page.text()).toMatch(/<h1[\s\S]*<a href="\/docs"/);
    expect([path, answer.status, (await answer.json<{ code: string }>()).code]).toEqual([path, 404, "NOT_FOUND"]);
  }
});

test("the list for programs is where they look for it", async () => {
  expect(await (await get("/llms.txt")).text()).toBe(await (await get("/docs/llms.txt")).text());
});
