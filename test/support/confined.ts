/** Sessions that the tenant's own sign-on has opened, as it stores them. */
import { env } from "cloudflare:workers";
import { decodeJwt } from "jose";
import type { Person } from "./client";

const HOUR_MS = 3_600_000;

/** Makes the person's session a confined one. Returns the id of its connection. */
export async function confine({ token }: Person, { methods = ["sign-on"], acr = null as string | null } = {}) {
  const connectionId = crypto.randomUUID();
  const endsAt = Date.now() + 12 * HOUR_MS;
  await env.DB.prepare(
    "UPDATE sessions SET connection_id = ?1, amr = ?2, idp_acr = ?3, ends_at = ?5, expires_at = ?5 WHERE id = ?4",
  )
    .bind(connectionId, JSON.stringify(methods), acr, decodeJwt(token)["sid"], endsAt)
    .run();
  return { connectionId, endsAt };
}
