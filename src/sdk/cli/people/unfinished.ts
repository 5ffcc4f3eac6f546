/** The import that a former run of the command has begun, in a file beside the people. */
import { readFileSync, rmSync } from "node:fs";
import { type Client, type Import, type ImportInput, PosternError } from "../../client";
import { EXIT, Failure } from "../failure";
import { writeText } from "../output";

const pathOf = (file: string): string => `${file}.postern-import`;

/** What tells a run of the command from one with other options or other people. */
export async function fingerprintOf(settings: ImportInput, parts: readonly string[]): Promise<string> {
  const bytes = new TextEncoder().encode([JSON.stringify(settings), ...parts].join(""));
  return Buffer.from(await crypto.subtle.digest("SHA-256", bytes)).toString("hex");
}

/**
 * The import of this file, with these options and people, that has not ended; undefined if there is none. Stops one
 * with others that was not started. Throws Failure while one with others runs: it cannot be changed any more.
 */
export async function unfinishedImport(
  file: string,
  { platform: { imports } }: Client,
  fingerprint: string,
): Promise<Import | undefined> {
  const [id, former] = read(file);
  const found = id ? await orNone(imports.get(id)) : undefined;
  if (!found || found.state === "stopped") return undefined;
  if (former === fingerprint) return found;
  if (found.state === "running") {
    const sentence = `Another import of ${file} runs, with other options or people. Wait for its end, or stop it in`;
    throw new Failure(EXIT.failed, `${sentence} the console: ${found.id}`);
  }
  if (found.state === "open") await imports.stop(found.id);
  return undefined;
}

async function orNone(found: Promise<Import>): Promise<Import | undefined> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof PosternError && error.code === "NOT_FOUND") return undefined;
    throw error;
  }
}

export const rememberImport = (file: string, id: string, fingerprint: string): void =>
  writeText(pathOf(file), `${id}\n${fingerprint}\n`);

export const forgetImport = (file: string): void => rmSync(pathOf(file), { force: true });

function read(file: string): string[] {
  try {
    return readFileSync(pathOf(file), "utf8").trim().split(/\s+/);
  } catch {
    return [];
  }
}
