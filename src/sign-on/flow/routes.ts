/** `/.well-known/connections/:id/jwks.json`: the public keys with which a connection proves itself to its provider. */
import { Hono } from "hono";
import { notFound } from "../../base/errors";
import type { AppEnv } from "../../base/http/env";
import { pathParam, requires } from "../../base/http/operation";
import { limit } from "../../base/http/rate-limit";
import { describeRoute } from "../../base/http/route-docs";
import { lookUp } from "../../base/limits/unknown";
import { PUBLIC_DOCUMENT } from "../../base/operation";
import { keySet } from "../../identity/tokens/schemas";
import { publicKeysOf } from "../connections/keys";
import { findById } from "./connection-store";

const CACHE_CONTROL = "public, max-age=300";

export const connectionKeyRoutes = new Hono<AppEnv>().get(
  "/:id/jwks.json",
  describeRoute(
    "getConnectionKeys",
    "Returns the public keys with which a connection proves itself to its identity provider, newest first.",
    () => ({
      200: keySet,
      errors: ["NOT_FOUND"],
      description: "For `private_key_jwt`. A new key is published 20 minutes before it signs.",
    }),
  ),
  requires(PUBLIC_DOCUMENT),
  limit("webhookKeys", "IP address"),
  async (c) => {
    const [deps, id] = [c.get("deps"), pathParam(c, "id")];
    const clientIp = c.get("clientIp");
    const mark = `sign-on:${id}`;
    const found = await lookUp(deps, "unknownApiKey", { clientIp, mark }, () => findById(deps, id));
    if (!found || found.kind === "directory") throw notFound("Public keys");
    c.header("Cache-Control", CACHE_CONTROL);
    return c.json({ keys: await publicKeysOf(deps, id) });
  },
);
