/** An audit event as the API and the operational event `postern.audit` show it. */
import { timeOfId } from "../../base/db/ids";
import { iso } from "../../base/time";
import type { AuditRow } from "./read-store";
import type { AuditEvent } from "./schemas";

export const auditView = (row: AuditRow): AuditEvent => ({
  id: row.id,
  at: iso(timeOfId(row.id)),
  action: row.action,
  actor: { kind: row.actorKind, id: row.actorId, name: row.actorName },
  target: row.targetKind && row.targetId ? { kind: row.targetKind, id: row.targetId } : null,
  ip: row.ip,
  userAgent: row.userAgent,
  requestId: row.requestId,
  sessionId: row.sessionId,
  meta: row.meta === null ? null : (JSON.parse(row.meta) as Record<string, unknown>),
});
