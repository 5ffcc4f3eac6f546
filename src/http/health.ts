/** What answers outside `/api/v1`: liveness, the public keys, and a pointer for people. */
import { Hono } from "hono";
import { pingDatabase } from "../db/ping";
import { AppError } from "../errors";
import type { AppEnv } from "./env";

const JWKS_MAX_AGE_SECONDS = 300;
const RETRY_WHEN_DOWN_SECONDS = 5;

export const healthRoutes = new Hono<AppEnv>()
  .get("/", (c) =>
    c.json({ data: { name: "Postern", api: "/api/v1", health: "/health", keys: "/.well-known/jwks.json" } }),
  )
  .get("/health", async (c) => {
    if (c.req.query("deep") === "1") {
      try {
        await pingDatabase(c.get("deps"));
      } catch (error) {
        throw new AppError("SERVICE_UNAVAILABLE", { retryAfterSeconds: RETRY_WHEN_DOWN_SECONDS, cause: error });
      }
    }
    return c.json({ data: { status: "ok" } });
  })
  .get("/.well-known/jwks.json", (c) => {
    c.header("Cache-Control", `public, max-age=${JWKS_MAX_AGE_SECONDS}`);
    return c.json({ keys: c.get("deps").keys.map((key) => key.signing.publicJwk) });
  });
