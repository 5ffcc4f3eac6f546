/** The API reference: its security policy, what it shows, and that only files of ours are served. */
import { exports } from "cloudflare:workers";
import { expect, test } from "vitest";

const get = (path: string) => exports.default.fetch(`http://postern.test${path}`);

test("the page loads scripts and styles from our own host only, none inline", async () => {
  const response = await get("/docs/reference");
  const policy = response.headers.get("content-security-policy") ?? "";
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toMatch(/unsafe|https?:|\*/);
  const html = await response.text();
  expect(html).not.toMatch(/<style|style=|<script>|src="http/);
  const loaded = [...html.matchAll(/(?:<link[^>]* href|src)="([^"]+)"/g)].map(([, path = ""]) => path);
  for (const path of loaded) expect([path, (await get(path)).status]).toEqual([path, 200]);
});

test("the page has each operation and each type of the document, every link in it leads somewhere, and it is small", async () => {
  const html = await (await get("/docs/reference")).text();
  const { paths, components } = await (await get("/api/v1/openapi.json")).json<{
    paths: Record<string, Record<string, { operationId: string }>>;
    components: { schemas: Record<string, unknown> };
  }>();
  const ids = new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const wanted = [
    ...operations.map(({ operationId }) => operationId),
    ...Object.keys(components.schemas).map((name) => `type-${name}`),
    ...[...html.matchAll(/href="#([^"]+)"/g)].map(([, id = ""]) => id),
  ];
  expect(wanted.filter((id) => !ids.has(id))).toEqual([]);
  const zipped = new Response(html).body?.pipeThrough(new CompressionStream("gzip"));
  expect((await new Response(zipped).bytes()).length).toBeLessThan(150 * 1024);
});

test.each([
  "/docs/assets/index.html",
  "/docs/assets/README.md",
  "/docs/assets/package.json",
  "/docs/assets/..%2freference.css",
  "/reference.css",
  "/index.html",
])("%s is not served", async (path) => {
  expect((await get(path)).status).toBe(404);
});

test("a file that the page loads is cacheable and has its media type", async () => {
  const response = await get("/docs/assets/reference.css");
  expect(response.headers.get("content-type")).toContain("text/css");
  expect(response.headers.get("cache-control")).toContain("max-age");
  expect(response.headers.get("x-content-type-options")).toBe("nosniff");
});

test("the root names the documentation and the OpenAPI document", async () => {
  expect(await (await get("/")).json()).toMatchObject({ data: { docs: "/docs", openapi: "/api/v1/openapi.json" } });
});
