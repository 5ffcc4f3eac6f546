/** The sources of the documentation, and its pages as they are served. */
import { exports } from "cloudflare:workers";

export const sources = import.meta.glob("../../src/**/*.{ts,tsx}", { query: "?raw", import: "default", eager: true });
export const markdown = import.meta.glob("../../src/docs/pages/**/*.md", {
  query: "?raw",
  import: "default",
  eager: true,
});
export const examples = import.meta.glob(["../../src/docs/pages/readme/*.ts", "../../src/docs/pages/receive/d1.ts"], {
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

export const names = Object.keys(markdown).map((path) => path.replace(/^.*\/pages\/|\.md$/g, ""));
export const pathOf = (name: string) => (name === "index" ? "/docs" : `/docs/${name}`);
export const get = (path: string, init?: RequestInit) =>
  exports.default.fetch(new Request(new URL(path, "http://postern.test"), init));
export const pageOf = async (name: string) => (await fileAt(pathOf(name))).text;

/** What is served at a path. */
interface Served {
  status: number;
  text: string;
  /** Of its elements, which links can name. */
  ids: Set<string>;
  compressedBytes: number;
}
const served = new Map<string, Promise<Served>>();

/** What is served at a path, fetched and measured once: all pages load the same files and link to each other. */
export function fileAt(path: string): Promise<Served> {
  const known = served.get(path) ?? read(path);
  served.set(path, known);
  return known;
}

async function read(path: string): Promise<Served> {
  const response = await get(path);
  const bytes = await response.arrayBuffer();
  const text = new TextDecoder().decode(bytes);
  const ids = new Set([...text.matchAll(/\bid="([^"]+)"/g)].map(([, id = ""]) => id));
  const compressed = new Response(new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip")));
  return { status: response.status, text, ids, compressedBytes: (await compressed.arrayBuffer()).byteLength };
}
