import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "sqlite",
  schema: [
    "./src/platform/db/schema.ts",
    "./src/platform/db/delivery-schema.ts",
    "./src/platform/db/events-schema.ts",
    "./src/platform/db/holds-schema.ts",
    "./src/platform/db/audit-schema.ts",
    "./src/platform/db/service-schema.ts",
    "./src/platform/db/platform-schema.ts",
    "./src/platform/db/sources-schema.ts",
    "./src/platform/db/feeds-schema.ts",
    "./src/platform/db/event-types-schema.ts",
    "./src/platform/db/imports-schema.ts",
    "./src/platform/db/portal-schema.ts",
  ],
  out: "./migrations",
});
