/** `/.well-known/webhook-keys/:id`: the public keys of a subscription, for its subscriber. */
import { Hono } from "hono";
import type { AppEnv } from "../../base/http/env";
import { pathParam, requires } from "../../base/http/operation";
import { limit } from "../../base/http/rate-limit";
import { describeRoute } from "../../base/http/route-docs";
import { PUBLIC_DOCUMENT } from "../../base/operation";
import { publicKeysOf } from "./public-keys";
import { webhookKeySet } from "./schemas";

const CACHE_CONTROL = "public, max-age=600";

export const webhookKeyRoutes = new Hono<AppEnv>().get(
  "/:id",
  describeRoute(
    "getWebhookKeys",
    "Returns the public keys that verify the `v1a` signatures of a subscription, newest first.",
    () => ({
      200: webhookKeySet,
      errors: ["NOT_FOUND"],
      description:
        "For subscriptions whose `delivery.signature` is `v1+v1a`. Needs no credential. A new key is published 20 " +
        "minutes before it signs. The answer for an unknown subscription is the same as for one without public keys.",
    }),
  ),
  requires(PUBLIC_DOCUMENT),
  limit("webhookKeys", "IP address"),
  async (c) => {
    const url = new URL(c.req.url);
    // Without the query string, with which anybody could bypass the cache.
    const cacheKey = new Request(`${url.origin}${url.pathname}`);
    const cached = await caches.default.match(cacheKey);
    const text = cached ? await cached.text() : JSON.stringify(await publicKeysOf(c.get("deps"), pathParam(c, "id")));
    const headers = { "Content-Type": "application/json", "Cache-Control": CACHE_CONTROL };
    if (!cached) {
      c.get("deps").background("cache", caches.default.put(cacheKey, new Response(text, { headers })));
    }
    return c.body(text, 200, headers);
  },
);
