/** The migrations as drizzle-kit writes them. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface Migration {
  /** The name of its file, under which wrangler notes it. */
  name: string;
  statements: string[];
}

/** Reads the migrations in `folder`, in the order in which they apply. */
export function readMigrations(folder: string): Migration[] {
  const names = readdirSync(folder).filter((file) => file.endsWith(".sql"));
  return names.sort().map((name) => ({
    name,
    statements: readFileSync(join(folder, name), "utf8").split("--> statement-breakpoint"),
  }));
}
