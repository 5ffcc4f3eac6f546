/** What another service needs to verify access tokens, below `/.well-known`: the public keys, and where they are. */
import { Hono } from "hono";
import type { AppEnv } from "../../platform/http/env";
import { describeRoute } from "../../platform/http/route-docs";
import { discoveryDocument } from "./discovery";
import { discovery, keySet } from "./schemas";

const MAX_AGE_SECONDS = 300;
const CACHED = `public, max-age=${MAX_AGE_SECONDS}`;

export const tokenRoutes = new Hono<AppEnv>()
  .get(
    "/jwks.json",
    describeRoute("getKeys", "Returns the public keys that verify access tokens, newest first (RFC 7517).", {
      200: keySet,
    }),
    async (c) => {
      const keys = await c.get("deps").signers.published();
      c.header("Cache-Control", CACHED);
      return c.json({ keys });
    },
  )
  .get(
    "/openid-configuration",
    describeRoute("getConfiguration", "Says who issues access tokens and where their keys are (OpenID Discovery).", {
      200: discovery,
      errors: ["NOT_FOUND"],
      description: "404 if the issuer is not an origin.",
    }),
    async (c) => {
      const document = await discoveryDocument(c.get("deps"));
      c.header("Cache-Control", CACHED);
      return c.json(document);
    },
  )
  .get(
    "/oauth-authorization-server",
    describeRoute("getServerMetadata", "The same document under the name of RFC 8414.", {
      200: discovery,
      errors: ["NOT_FOUND"],
      description: "404 if the issuer is not an origin.",
    }),
    async (c) => {
      const document = await discoveryDocument(c.get("deps"));
      c.header("Cache-Control", CACHED);
      return c.json(document);
    },
  );
