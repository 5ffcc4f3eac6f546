/** The gate over package-lock.json: npm installs nothing whose content the file does not pin. */
import { readFileSync } from "node:fs";
import * as z from "zod";
import { type Finding, finding } from "./gate.ts";

const lockFile = z.object({
  packages: z.record(z.string(), z.object({ integrity: z.string().optional(), link: z.boolean().optional() })),
});

/** Fails for an entry without its integrity, also for another machine: some developer's machine runs it. */
export async function checkLockFile(): Promise<Finding> {
  const { packages } = lockFile.parse(JSON.parse(readFileSync("package-lock.json", "utf8")));
  // The entry without a name is this package itself.
  const installed = Object.entries(packages).filter(([path, { link }]) => path !== "" && !link);
  const open = installed.filter(([, { integrity }]) => !integrity?.startsWith("sha512-")).map(([path]) => path);
  return finding(`integrity of the ${installed.length} packages of the lock file`, open.length === 0, open.join("\n"));
}
