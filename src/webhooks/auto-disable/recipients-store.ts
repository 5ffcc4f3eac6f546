/** Who gets the mails about failing subscriptions, in the control plane. */
import { sql } from "drizzle-orm";
import { atomically, jsonList, rows } from "../../platform/db/client";
import type { Deps } from "../../platform/deps";

export interface NoticeRecipient {
  tenantId: string;
  tenantName: string;
  userId: string;
}

/** Returns the owners and admins of these tenants who have not turned the mails off. */
export async function findNoticeRecipients({ db }: Deps, tenantIds: readonly string[]): Promise<NoticeRecipient[]> {
  const { found } = await atomically(db, {
    found: rows<NoticeRecipient>(sql`SELECT m.tenant_id AS tenantId, t.name AS tenantName, m.user_id AS userId
      FROM json_each(${jsonList(tenantIds)}) j CROSS JOIN memberships m ON m.tenant_id = j.value CROSS
        JOIN tenants t ON t.id = m.tenant_id
      WHERE m.role IN ('owner', 'admin') AND m.alerts = 1`),
  });
  return found;
}
