/** Callers who may not read the audit log must not have it sent to a subscription either. */
import { AppError } from "../../base/errors";
import { ALL_OPERATIONAL, AUDIT_TYPE } from "../../base/schemas/event-type";
import type { Principal } from "../../base/schemas/principal";

/** Somebody's permissions. */
export type Permitted = Pick<Principal, "permissions">;

/** Whether a subscription to these types receives the audit log. */
export const receivesAudit = (events: readonly string[]) =>
  events.includes(AUDIT_TYPE) || events.includes(ALL_OPERATIONAL);

/** Throws FORBIDDEN if a new subscription would receive the audit log and the caller may not read it. */
export function refuseNewReader({ permissions }: Permitted, events: readonly string[]): void {
  if (receivesAudit(events) && !permissions.has("audit.read")) throw refused();
}

/** Throws FORBIDDEN if the change would send the audit log to a new receiver and the caller may not read it. */
export function refuseNewReceiver(
  { permissions }: Permitted,
  before: { url: string; events: readonly string[] },
  { url = before.url, events = before.events }: { url?: string | undefined; events?: readonly string[] | undefined },
): void {
  if (permissions.has("audit.read") || !receivesAudit(events)) return;
  if (!receivesAudit(before.events) || url !== before.url) throw refused();
}

const refused = () =>
  new AppError("FORBIDDEN", {
    message: `${AUDIT_TYPE} and ${ALL_OPERATIONAL} send the audit log, which needs the permission audit.read.`,
  });
