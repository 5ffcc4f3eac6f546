/** The list of what ships, in CycloneDX, and the npm package. */
import { expect, test } from "vitest";
import { get } from "../support/docs";

test("the list of what ships names the packages that we use with the versions of package.json, and no tool", async () => {
  const answer = await get("/docs/assets/sbom.json");
  expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
  const list: { bomFormat: string; components: { name: string; version: string; hashes: { alg: string }[] }[] } =
    await answer.json();
  expect(list.bomFormat).toBe("CycloneDX");
  const versions = Object.fromEntries(list.components.map(({ name, version }) => [name, version]));
  const [text] = Object.values(import.meta.glob("/package.json", { query: "?raw", import: "default", eager: true }));
  const { devDependencies }: { devDependencies: Record<string, string> } = JSON.parse(String(text));
  for (const name of ["hono", "zod", "jose", "drizzle-orm"] as const) {
    expect([name, versions[name]]).toEqual([name, devDependencies[name]]);
  }
  expect(["vitest", "wrangler", "typescript", "miniflare"].filter((tool) => tool in versions)).toEqual([]);
  expect(list.components.every(({ hashes }) => hashes.some(({ alg }) => alg === "SHA-512"))).toBe(true);
});

test("the npm package is served under its name and under its version, and the documentation says how with this address", async () => {
  const answers = [await get("/postern.tgz"), await get("/postern-0.1.0.tgz")];
  for (const { status, headers } of answers) {
    expect([status, headers.get("content-type"), headers.get("cache-control")]).toEqual([
      200,
      "application/gzip",
      "no-cache",
    ]);
  }
  const [newest, version] = await Promise.all(answers.map((answer) => answer.bytes()));
  expect(newest).toEqual(version);
  const etag = answers[0]?.headers.get("etag") ?? "";
  expect((await get("/postern.tgz", { headers: { "if-none-match": etag } })).status).toBe(304);
  expect((await get("/postern-9.9.9.tgz")).status).toBe(404);
  for (const page of ["client", "add-to-your-product", "client.md"]) {
    const text = (await (await get(`/docs/${page}`)).text()).replaceAll(/<[^>]+>/g, "");
    expect(text).toContain("npm install http://postern.test/postern.tgz");
  }
});
