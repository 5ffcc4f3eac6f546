/** Events as lines of CSV (RFC 4180). */
import type { AuditEvent } from "./schemas";

const COLUMNS: Readonly<Record<string, (event: AuditEvent) => string | null | undefined>> = {
  id: ({ id }) => id,
  at: ({ at }) => at,
  action: ({ action }) => action,
  actorKind: ({ actor }) => actor.kind,
  actorId: ({ actor }) => actor.id,
  actorName: ({ actor }) => actor.name,
  targetKind: ({ target }) => target?.kind,
  targetId: ({ target }) => target?.id,
  ip: ({ ip }) => ip,
  userAgent: ({ userAgent }) => userAgent,
  requestId: ({ requestId }) => requestId,
  sessionId: ({ sessionId }) => sessionId,
  meta: ({ meta }) => (meta === null ? null : JSON.stringify(meta)),
};

export const CSV_HEADER = `${Object.keys(COLUMNS).join(",")}\r\n`;

export const csvLine = (event: AuditEvent): string =>
  `${Object.values(COLUMNS)
    .map((cellOf) => cell(cellOf(event) ?? ""))
    .join(",")}\r\n`;

/**
 * A spreadsheet runs a cell that begins like this as a formula (OWASP, "CSV Injection"). The last four are full-width
 * signs.
 */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

const cell = (text: string) => `"${(FORMULA.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
