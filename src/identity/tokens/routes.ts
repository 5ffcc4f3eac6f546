/**
 * What another service needs to verify access tokens, below `/.well-known`: the public keys, where they are, and what
 * was revoked.
 */
import { type Context, Hono } from "hono";
import * as z from "zod";
import type { AppEnv } from "../../base/http/env";
import { namesTag } from "../../base/http/etag";
import { requires } from "../../base/http/operation";
import { describeRoute } from "../../base/http/route-docs";
import { PUBLIC_DOCUMENT } from "../../base/operation";
import { API_PATH } from "../../base/paths";
import { PERMISSIONS } from "../../base/schemas/roles";
import { discoveryDocument } from "./discovery";
import { revokedList } from "./revocations";
import { discovery, keySet, resourceMetadata } from "./schemas";

const MAX_AGE_SECONDS = 300;
const LIST_MAX_AGE_SECONDS = 1;
const CACHED = `public, max-age=${MAX_AGE_SECONDS}`;

const DISCOVERY = {
  200: discovery,
  errors: ["NOT_FOUND"],
  description: "404 if the issuer is not an origin.",
} as const;

async function serveDiscovery(c: Context<AppEnv>) {
  const document = await discoveryDocument(c.get("deps"));
  c.header("Cache-Control", CACHED);
  return c.json(document);
}

export const tokenRoutes = new Hono<AppEnv>()
  .get(
    "/jwks.json",
    describeRoute("getKeys", "Returns the public keys that verify access tokens, newest first (RFC 7517).", () => ({
      200: keySet,
    })),
    requires(PUBLIC_DOCUMENT),
    async (c) => {
      const keys = await c.get("deps").signers.published();
      c.header("Cache-Control", CACHED);
      return c.json({ keys });
    },
  )
  .get(
    "/openid-configuration",
    describeRoute(
      "getConfiguration",
      "Says who issues access tokens and where their keys are (OpenID Discovery).",
      () => DISCOVERY,
    ),
    requires(PUBLIC_DOCUMENT),
    serveDiscovery,
  )
  .get(
    "/oauth-authorization-server",
    describeRoute("getServerMetadata", "The same document under the name of RFC 8414.", () => DISCOVERY),
    requires(PUBLIC_DOCUMENT),
    serveDiscovery,
  )
  .get(
    "/oauth-protected-resource/api/v1",
    describeRoute("getResourceMetadata", "Says how apps get tokens for this API (RFC 9728).", () => ({
      200: resourceMetadata,
    })),
    requires(PUBLIC_DOCUMENT),
    (c) => {
      const { config } = c.get("deps");
      c.header("Cache-Control", CACHED);
      return c.json({
        resource: `${config.tokenIssuer}${API_PATH}`,
        authorization_servers: [config.tokenIssuer],
        scopes_supported: [...PERMISSIONS],
        bearer_methods_supported: ["header"],
        resource_name: config.brand.name,
      });
    },
  )
  .get(
    "/revoked",
    describeRoute(
      "getRevoked",
      "Returns the signed list of the access tokens that were revoked before they expired.",
      () => ({
        200: { body: z.string(), mediaType: "application/jwt" },
        304: {},
        headers: z.object({ "If-None-Match": z.string().optional() }),
        description:
          "A JWS of the type `revoked+jwt`. [What it says](/docs/tokens#revoked-tokens). It is at most two " +
          "seconds old, and has no limit.",
      }),
    ),
    requires(PUBLIC_DOCUMENT),
    async (c) => {
      const { jws, etag } = await revokedList(c.get("deps"));
      c.header("Cache-Control", `public, max-age=${LIST_MAX_AGE_SECONDS}`);
      c.header("ETag", etag);
      if (namesTag(c.req.header("if-none-match") ?? "", etag)) return c.body(null, 304);
      return c.body(jws, 200, { "Content-Type": "application/jwt" });
    },
  );
