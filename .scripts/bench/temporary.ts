/** Folders that last as long as the run. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folders: string[] = [];

process.on("exit", () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(1));

export function temporaryFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `postern-bench-${name}-`));
  folders.push(folder);
  return folder;
}
