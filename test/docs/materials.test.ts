/** The list of what ships, in CycloneDX. */
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
  for (const name of ["hono", "zod", "jose", "drizzle-orm", "swagger-ui-dist"] as const) {
    expect([name, versions[name]]).toEqual([name, devDependencies[name]]);
  }
  expect(["vitest", "wrangler", "typescript", "miniflare"].filter((tool) => tool in versions)).toEqual([]);
  expect(list.components.every(({ hashes }) => hashes.some(({ alg }) => alg === "SHA-512"))).toBe(true);
});
