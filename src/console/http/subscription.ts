/** The subscription that a page is about. */
import type { Context } from "hono";
import { notFound } from "../../platform/errors";
import type { AppEnv } from "../../platform/http/env";
import { pathParam } from "../../platform/http/operation";
import { findSubscription } from "../../webhooks/subscriptions/store";

/** The subscription whose id is in the path. Throws NOT_FOUND. */
export async function requireSubscription(c: Context<AppEnv>) {
  const row = await findSubscription(c.get("deps"), c.get("principal"), pathParam(c, "id"));
  if (!row) throw notFound("Webhook");
  return row;
}
