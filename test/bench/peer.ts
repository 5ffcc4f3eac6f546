import type { Run } from "./run.ts";
export async function comparePeer(_run: Run, _path: string, _on: unknown): Promise<void> {}
