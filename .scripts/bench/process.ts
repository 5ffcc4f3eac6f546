/**
 * Processes, as Linux shows them under /proc. On other systems nothing is known about them, and memory is not measured.
 */
import { readdirSync, readFileSync } from "node:fs";

const read = (path: string): string => {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
};

/** Ids of the processes that `parent` has started. */
export function childrenOf(parent: number): number[] {
  try {
    const processes = readdirSync("/proc").filter((entry) => /^\d+$/.test(entry));
    return processes
      .filter((id) => new RegExp(`^PPid:\\s+${parent}$`, "m").test(read(`/proc/${id}/status`)))
      .map(Number);
  } catch {
    return [];
  }
}

/** Resident memory in MiB; NaN when it is unknown. */
export function residentMiB(id: number): number {
  const [, kiB] = read(`/proc/${id}/status`).match(/^VmRSS:\s+(\d+) kB$/m) ?? [];
  return Number(kiB) / 1024;
}

const TICKS_PER_SECOND = 100;

/** The processor time that a process has used, in seconds; 0 when it is unknown. */
export function processorSeconds(id: number): number {
  // The name of the command, which is in brackets, may have spaces.
  const fields = read(`/proc/${id}/stat`)
    .replace(/^.*\) /s, "")
    .split(" ");
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / TICKS_PER_SECOND;
}
