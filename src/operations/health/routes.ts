/** Liveness, and the addresses of everything else. */
import { type Context, Hono } from "hono";
import { z } from "zod";
import { pingDatabase } from "../../platform/db/ping";
import { unavailable } from "../../platform/errors";
import type { AppEnv } from "../../platform/http/env";
import { limit } from "../../platform/http/rate-limit";
import { describeRoute } from "../../platform/http/route-docs";
import { CONSOLE_PATH } from "../../platform/paths";
import { dataOf } from "../../platform/schemas/schemas";

const POINTERS = {
  name: "Postern",
  console: CONSOLE_PATH,
  api: "/api/v1",
  docs: "/docs",
  openapi: "/api/v1/openapi.json",
  health: "/health",
  keys: "/.well-known/jwks.json",
};

const path = z.string();
const pointers = z.object({
  name: path,
  console: path,
  api: path,
  docs: path,
  openapi: path,
  health: path,
  keys: path,
});
const isDeep = (c: Context<AppEnv>) => c.req.query("deep") === "1";

export const healthRoutes = new Hono<AppEnv>()
  .get(
    "/",
    describeRoute("getService", "Returns the paths of the console, the API and the documentation.", {
      200: dataOf(pointers),
    }),
    (c) => c.json({ data: POINTERS }),
  )
  .get(
    "/health",
    describeRoute("getHealth", "Reports that the service is running.", {
      200: dataOf(z.object({ status: z.literal("ok") })),
      query: z.object({
        deep: z
          .string()
          .optional()
          .meta({ description: "`1` also checks the database.", examples: ["1"] }),
      }),
      errors: ["SERVICE_UNAVAILABLE"],
      description: "The limit applies to `?deep=1` only.",
    }),
    limit("deepHealth", "IP address", isDeep),
    async (c) => {
      if (isDeep(c)) {
        try {
          await pingDatabase(c.get("deps"));
        } catch (error) {
          throw unavailable({ cause: error });
        }
      }
      return c.json({ data: { status: "ok" } });
    },
  );
