/** Bundles the Worker once, before tests that each start it and would otherwise bundle it at the same time. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleOnce } from "../../.scripts/dev/bundle-once.ts";

export async function setup(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "postern-bundle-"));
  await bundleOnce(folder);
  rmSync(folder, { recursive: true });
}
