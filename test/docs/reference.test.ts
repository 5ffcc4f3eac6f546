/** The API reference: its security policy, and that only the files it needs from its library are served. */
import { exports } from "cloudflare:workers";
import { expect, test } from "vitest";

const get = (path: string) => exports.default.fetch(`http://postern.test${path}`);

test("the page loads scripts and styles from our own host only, none inline", async () => {
  const response = await get("/docs/reference");
  const policy = response.headers.get("content-security-policy") ?? "";
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toMatch(/unsafe|https?:|\*/);
  const html = await response.text();
  expect(html).not.toMatch(/<style|style=|<script>|https?:\/\//);
  const loaded = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = ""]) => path);
  for (const path of loaded) expect([path, (await get(path)).status]).toEqual([path, 200]);
});

test.each([
  "/docs/assets/index.html",
  "/docs/assets/README.md",
  "/docs/assets/package.json",
  "/docs/assets/..%2fswagger-ui.css",
  "/swagger-ui.css",
  "/index.html",
])("%s is not served", async (path) => {
  expect((await get(path)).status).toBe(404);
});

test("a file that the page loads is cacheable and has its media type", async () => {
  const response = await get("/docs/assets/swagger-ui.css");
  expect(response.headers.get("content-type")).toContain("text/css");
  expect(response.headers.get("cache-control")).toContain("max-age");
  expect(response.headers.get("x-content-type-options")).toBe("nosniff");
});

test("the root names the documentation and the OpenAPI document", async () => {
  expect(await (await get("/")).json()).toMatchObject({ data: { docs: "/docs", openapi: "/api/v1/openapi.json" } });
});
