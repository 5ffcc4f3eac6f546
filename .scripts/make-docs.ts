/** Makes the documentation, once of the same files: each start of `npm run dev` and each deployment asks for it. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { digestOf, tagOfSources } from "./deploy/tag.ts";

const FOLDER = ".assets";
/** Git-ignored. It says what the documentation was last made of, and what became of it. */
const MADE = ".wrangler/docs-made";

/** Writes the documentation of a checkout into its folder by `build`, unless it is there. */
export async function makeDocs(checkout = ".", build = buildInPlace): Promise<void> {
  const sources = tagOfSources(checkout);
  const note = join(checkout, MADE);
  const made = () => `${sources} ${digestOf(checkout, [FOLDER])}\n`;
  if (existsSync(join(checkout, FOLDER)) && existsSync(note) && readFileSync(note, "utf8") === made()) return;
  await build();
  mkdirSync(dirname(note), { recursive: true });
  writeFileSync(note, made());
}

async function buildInPlace(): Promise<void> {
  // Loaded only now: the bundler that it uses takes a second.
  const { buildDocs } = await import("./docs/build.ts");
  await buildDocs();
}
