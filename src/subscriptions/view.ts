/** What goes out: the contract's fields, picked one by one. */
import { decrypt } from "../crypto/encryption";
import type { Deps } from "../deps";
import { iso } from "../time";
import type { Subscription } from "./schemas";
import { secretOwner } from "./secret";
import type { SubscriptionRow } from "./store";

/** The subscription with its secret in plaintext, as the contract says. */
export async function subscriptionView(deps: Deps, row: SubscriptionRow): Promise<Subscription> {
  return {
    _id: row.id,
    name: row.name,
    url: row.url,
    events: row.events,
    secret: await decrypt(deps.keys, secretOwner(row.id), row.secretSealed),
    enabled: row.enabled,
    ...(row.lastTriggeredAt === null ? {} : { lastTriggeredAt: iso(row.lastTriggeredAt) }),
    failureCount: row.failureCount,
    tenantId: row.tenantId,
    isDeleted: false,
    version: row.version,
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
  };
}
