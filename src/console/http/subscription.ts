/** The subscription that a page is about. */
import type { Context } from "hono";
import { notFound } from "../../base/errors";
import type { AppEnv } from "../../base/http/env";
import { pathParam } from "../../base/http/operation";
import { findSubscription } from "../../webhooks/subscriptions/store";

/** The subscription whose id is in the path. Throws NOT_FOUND. */
export async function requireSubscription(c: Context<AppEnv>) {
  const row = await findSubscription(c.get("deps"), c.get("principal"), pathParam(c, "id"));
  if (!row) throw notFound("Webhook");
  return row;
}
