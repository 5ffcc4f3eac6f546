/**
 * The hidden subscriptions through which apps are told of sign-ins that end, in D1. They belong to the platform, and
 * have what any subscription has: the outbox, retries, the log, notices and being disabled. No list shows them, and
 * nobody changes them but with their client. The trigger `oauth_grants_log_out` writes the deliveries.
 */
import { type SQL, sql } from "drizzle-orm";
import { atomically } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { ClientSettings } from "../../base/schemas/client-settings";
import { PLATFORM_TENANT } from "../../base/schemas/tenant-ref";
import { assign, END_LANE, enable } from "../../webhooks/plane/lane-store";
import { LOGOUT_OPTIONS } from "../../webhooks/plane/logout-format";

export interface LogoutWebhook {
  id: string;
  /** Of the client. */
  name: string;
  url: string;
  secretSealed: string;
  secretDigest: string;
}

/** What its notices call it. */
const nameOf = (clientName: string): string => `Sign-outs of ${clientName}`;

/** Stores one, if the statement before it has changed a row. */
export const insertLogoutWebhook = (
  { id, name, url, secretSealed, secretDigest }: LogoutWebhook,
  nowMs: number,
): SQL => sql`INSERT INTO subscriptions (id, tenant_id, name, url, events, secret_sealed, secret_digest, enabled,
    options, created_at, updated_at)
  SELECT ${id}, ${PLATFORM_TENANT}, ${nameOf(name)}, ${url}, '[]', ${secretSealed}, ${secretDigest}, 1,
    ${JSON.stringify(LOGOUT_OPTIONS)}, ${nowMs}, ${nowMs} WHERE changes() > 0`;

interface ClientOfWebhook {
  name: string;
  settings: Pick<ClientSettings, "backchannelLogoutUrl">;
}

/** Lets it follow its client, if the statement before it has changed a row. Undefined if nothing differs. */
export function changeLogoutWebhook(
  before: ClientOfWebhook & { logoutWebhookId: string | null },
  { name, settings: { backchannelLogoutUrl: url } }: ClientOfWebhook,
  nowMs: number,
): SQL | undefined {
  const isOwn = sql`s.id = ${before.logoutWebhookId} AND changes() > 0`;
  const isSame = url === before.settings.backchannelLogoutUrl;
  if (before.logoutWebhookId === null || (isSame && name === before.name)) return undefined;
  if (url === null) return endLogoutWebhook(isOwn, nowMs);
  // Another URL is tried afresh.
  const lane = isSame ? sql`` : sql`${assign(enable("send", nowMs))}, `;
  return sql`UPDATE subscriptions AS s SET ${lane}name = ${nameOf(name)}, url = ${url}, version = version + 1,
    updated_at = ${nowMs} WHERE ${isOwn}`;
}

/** Ends the one for which `condition` holds. */
export const endLogoutWebhook = (condition: SQL, nowMs: number): SQL =>
  sql`UPDATE subscriptions AS s SET is_deleted = 1, secret_sealed = '', secret_digest = '', headers_sealed = NULL,
    ${assign(END_LANE)}, version = version + 1, updated_at = ${nowMs} WHERE s.is_deleted = 0 AND ${condition}`;

/** Ends those of a tenant's clients. */
export async function endLogoutWebhooksOf(deps: Deps, tenantId: string): Promise<void> {
  const isOfTenant = sql`s.id IN (SELECT c.logout_webhook_id FROM oauth_clients c
    WHERE c.tenant_id = ${tenantId} AND c.kind IN ('registered', 'listed') AND c.logout_webhook_id IS NOT NULL)`;
  await atomically(deps.db, { ended: endLogoutWebhook(isOfTenant, deps.now()) });
}
