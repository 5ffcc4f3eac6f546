import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "sqlite",
  schema: [
    "./src/base/tables/control-plane.ts",
    "./src/base/tables/credentials.ts",
    "./src/base/tables/single-use.ts",
    "./src/base/tables/delivery.ts",
    "./src/base/tables/events.ts",
    "./src/base/tables/operators.ts",
    "./src/base/tables/audit.ts",
    "./src/base/tables/service.ts",
    "./src/base/tables/platform.ts",
    "./src/base/tables/sources.ts",
    "./src/base/tables/feeds.ts",
    "./src/base/tables/event-types.ts",
    "./src/base/tables/imports.ts",
    "./src/base/tables/portal.ts",
    "./src/base/tables/oauth.ts",
    "./src/base/tables/sign-on.ts",
    "./src/base/tables/directory.ts",
  ],
  out: "./migrations",
});
