import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "sqlite",
  schema: [
    "./src/db/schema.ts",
    "./src/db/delivery-schema.ts",
    "./src/db/holds-schema.ts",
    "./src/db/audit-schema.ts",
    "./src/db/alarms-schema.ts",
  ],
  out: "./migrations",
});
