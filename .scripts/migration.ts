/** `npm run migration -- --name add_x`: writes the migration that brings the tables to what the schema says. */
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";

const { name } = parseArgs({ options: { name: { type: "string" } } }).values;
if (!name || !/^[a-z][a-z0-9_]*$/.test(name)) {
  console.error("Name what the migration adds, in lower case: npm run migration -- --name held_deliveries");
  process.exit(1);
}
const command = ["generate", "--config", ".scripts/drizzle.config.ts", "--name", name];
process.exit(spawnSync("drizzle-kit", command, { stdio: "inherit" }).status ?? 1);
