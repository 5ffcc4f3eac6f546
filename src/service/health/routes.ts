/** Liveness, and the addresses of everything else. */
import { type Context, Hono } from "hono";
import * as z from "zod";
import { pingDatabase } from "../../base/db/ping";
import type { Deps } from "../../base/deps";
import { unavailable } from "../../base/errors";
import type { AppEnv } from "../../base/http/env";
import { limit } from "../../base/http/rate-limit";
import { describeRoute } from "../../base/http/route-docs";
import { describeError, log } from "../../base/log/log";
import { CONSOLE_PATH } from "../../base/paths";
import { dataOf } from "../../base/schemas/schemas";
import { MINUTE_MS } from "../../base/time";
import { unexpectedIssuer } from "../../identity/providers/providers";

const SWEEP_WITHIN_MS = 5 * MINUTE_MS;

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
/** Throws SERVICE_UNAVAILABLE when the database does not answer, or when no sweep has run for five minutes. */
async function checkDeeply(deps: Deps): Promise<void> {
  try {
    const { sweepers, shards } = deps;
    const [, ...overdue] = await Promise.all([
      pingDatabase(deps),
      ...shards.numbers.map((shard) => sweepers.get(sweepers.idFromName(String(shard))).overdueMs()),
    ]);
    if (Math.max(...overdue) > SWEEP_WITHIN_MS) throw new Error("no sweep has run for five minutes");
  } catch (error) {
    log("error", "health check failed", describeError(error));
    throw unavailable({ cause: error });
  }
}

const isDeep = (c: Context<AppEnv>) => c.req.query("deep") === "1";

export const healthRoutes = new Hono<AppEnv>()
  .get(
    "/",
    describeRoute("getService", "Returns the paths of the console, the API and the documentation.", () => ({
      200: dataOf(pointers),
    })),
    (c) => c.json({ data: POINTERS }),
  )
  .get(
    "/health",
    describeRoute("getHealth", "Reports that the service is running.", () => ({
      200: dataOf(
        z.object({
          status: z.literal("ok"),
          refusedSettings: z
            .array(z.string())
            .optional()
            .meta({
              description: "With `deep`: optional settings that are wrong. What they set up is off.",
              examples: [["METRICS_TOKEN"]],
            }),
          unexpectedIssuer: z
            .string()
            .optional()
            .meta({
              description:
                "With `deep`: what the provider at `OIDC_ISSUER` calls itself, if not so but for a trailing " +
                "slash. People sign in all the same, as people of this issuer.",
              examples: ["https://login.example.com/"],
            }),
        }),
      ),
      query: z.object({
        deep: z
          .string()
          .optional()
          .meta({ description: "`1` also checks the database and that the sweep runs.", examples: ["1"] }),
      }),
      errors: ["SERVICE_UNAVAILABLE"],
      description: "The limit applies to `?deep=1` only.",
    })),
    limit("deepHealth", "IP address", { when: isDeep }),
    async (c) => {
      if (isDeep(c)) {
        const deps = c.get("deps");
        await checkDeeply(deps);
        const refusedSettings = deps.config.refused.map((problem) => problem.split(" ", 1)[0]);
        const issuer = await unexpectedIssuer(deps);
        const data = {
          status: "ok",
          ...(refusedSettings.length > 0 ? { refusedSettings } : {}),
          ...(issuer === null ? {} : { unexpectedIssuer: issuer }),
        };
        return c.json({ data });
      }
      return c.json({ data: { status: "ok" } });
    },
  );
