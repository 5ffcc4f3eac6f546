/** The sources of the documentation, and its pages as they are served. */
import { exports } from "cloudflare:workers";

export const sources = import.meta.glob("../../src/**/*.{ts,tsx}", { query: "?raw", import: "default", eager: true });
export const markdown = import.meta.glob("../../src/docs/pages/*.md", {
  query: "?raw",
  import: "default",
  eager: true,
});
export const examples = import.meta.glob("../../src/docs/pages/readme/*.ts", {
  query: "?raw",
  import: "default",
  eager: true,
});
/** Programs that pages show, besides those in TypeScript. */
export const samples = import.meta.glob("../../src/docs/pages/*/*.{mjs,py}", {
  query: "?url",
  import: "default",
  eager: true,
});
export const pictures = import.meta.glob("../../src/docs/pages/console/*.webp", {
  query: "?url",
  import: "default",
  eager: true,
});
const rootFiles = import.meta.glob(["../../README.md", "../../wrangler.toml"], {
  query: "?raw",
  import: "default",
  eager: true,
});
export const { "../../README.md": readme = "", "../../wrangler.toml": wrangler = "" } = rootFiles;

export const names = Object.keys(markdown).map((path) => path.replace(/^.*\/|\.md$/g, ""));
export const pathOf = (name: string) => (name === "index" ? "/docs" : `/docs/${name}`);
export const get = (path: string) => exports.default.fetch(new Request(new URL(path, "http://postern.test")));
export const compressedBytes = async (text: string) =>
  (await new Response(new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer()).byteLength;
export const pageOf = async (name: string) => (await get(pathOf(name))).text();
