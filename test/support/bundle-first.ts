/**
 * Bundles the Worker and makes the documentation once, before tests that each start the service and would otherwise do
 * so at the same time.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleOnce } from "../../.scripts/dev/bundle-once.ts";
import { makeDocs } from "../../.scripts/make-docs.ts";

export async function setup(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "postern-bundle-"));
  await bundleOnce(folder);
  rmSync(folder, { recursive: true });
  await makeDocs();
}
