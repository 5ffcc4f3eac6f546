/** Folders that last as long as the run. */
import { accessSync, constants, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folders: string[] = [];

process.on("exit", () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(1));

/** Linux keeps what is in it in memory. */
const IN_MEMORY = "/dev/shm";

/** In memory if wanted and possible. */
export function temporaryFolder(name: string, isInMemory = false): string {
  const folder = mkdtempSync(join(isInMemory && mayWrite(IN_MEMORY) ? IN_MEMORY : tmpdir(), `postern-bench-${name}-`));
  folders.push(folder);
  return folder;
}

function mayWrite(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
