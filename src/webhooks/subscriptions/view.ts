/** The subscription as the API returns it. Each field is picked by name, so a new column is never sent by accident. */
import { decrypt } from "../../base/crypto/encryption";
import type { Deps } from "../../base/deps";
import type { ErrorDetail } from "../../base/errors";
import { iso } from "../../base/time";
import { deliveryView } from "../options/delivery-options";
import { viewOfHeaders } from "../options/header-options";
import { openHeaders } from "../options/headers";
import { secretOwner } from "../signing/keys";
import type { Subscription } from "./schemas";
import type { SubscriptionRow } from "./store";

/** Returns the subscription with its secret in plaintext, as the specification requires. */
export async function subscriptionView(
  deps: Deps,
  row: SubscriptionRow & { warnings?: ErrorDetail[]; secret?: string },
): Promise<Subscription> {
  const delivery = deliveryView(row.options, viewOfHeaders(await openHeaders(deps, row)));
  return {
    _id: row.id,
    ...(row.externalId === null ? {} : { externalId: row.externalId }),
    name: row.name,
    url: row.url,
    events: row.events,
    secret: row.secret ?? (await decrypt(deps.keys, secretOwner(row.id), row.secretSealed)),
    enabled: row.enabled,
    ...(row.disabledReason === null || row.disabledAt === null || row.failingSince === null
      ? {}
      : {
          disabled: { reason: row.disabledReason, at: iso(row.disabledAt), failingSince: iso(row.failingSince) },
        }),
    ...(delivery === null ? {} : { delivery }),
    ...(row.lastTriggeredAt === null ? {} : { lastTriggeredAt: iso(row.lastTriggeredAt) }),
    failureCount: row.failureCount,
    tenantId: row.tenantId,
    isDeleted: false,
    version: row.version,
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
    ...(row.warnings?.length ? { warnings: row.warnings } : {}),
  };
}
