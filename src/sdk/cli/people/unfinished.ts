/** The import that a former run of the command has begun, in a file beside the people. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { type Client, type Import, PosternError } from "../../client";

const pathOf = (file: string): string => `${file}.postern-import`;

/** The import of this file that has not ended; undefined if there is none. */
export async function unfinishedImport(file: string, { platform }: Client): Promise<Import | undefined> {
  const id = read(file);
  if (id === undefined) return undefined;
  try {
    const found = await platform.imports.get(id);
    return found.state === "stopped" ? undefined : found;
  } catch (error) {
    if (error instanceof PosternError && error.code === "NOT_FOUND") return undefined;
    throw error;
  }
}

export const rememberImport = (file: string, id: string): void => writeFileSync(pathOf(file), id, { mode: 0o600 });

export const forgetImport = (file: string): void => rmSync(pathOf(file), { force: true });

function read(file: string): string | undefined {
  try {
    return readFileSync(pathOf(file), "utf8").trim() || undefined;
  } catch {
    return undefined;
  }
}
