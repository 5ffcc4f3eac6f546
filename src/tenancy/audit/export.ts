/** The audit log as a file: streamed page by page, so that its size does not matter. */
import { utf8 } from "../../base/crypto/encoding";
import type { Deps } from "../../base/deps";
import { invalidField } from "../../base/errors";
import { describeError, log } from "../../base/log/log";
import type { TenantRef } from "../../base/schemas/tenant-ref";
import { DAY_MS } from "../../base/time";
import { CSV_HEADER, csvLine } from "./csv";
import { auditPage } from "./log";
import type { AuditEvent, ExportFormat } from "./schemas";

/**
 * An invocation may make 1,000 calls of D1: enough for 2.5 million events, which is more than the default
 * `AUDIT_MAX_ROWS` allows.
 */
const PAGE_EVENTS = 5_000;
const MAX_PERIOD_MS = 31 * DAY_MS;

/** Times are Unix ms. */
export interface ExportRequest {
  format: ExportFormat;
  /** 31 days before `until` unless given. */
  since?: number | undefined;
  /** Exclusive; now unless given. */
  until?: number | undefined;
}

export const EXPORT_TYPES = { ndjson: "application/x-ndjson", csv: "text/csv" } as const satisfies Record<
  ExportFormat,
  string
>;

export const exportHeaders = ({ format }: Pick<ExportRequest, "format">) => ({
  "Content-Type": `${EXPORT_TYPES[format]}; charset=utf-8`,
  "Content-Disposition": `attachment; filename="audit.${format}"`,
});

const asNdjson = (event: AuditEvent) => `${JSON.stringify(event)}\n`;

/**
 * Returns the events of a period, newest first. A fault aborts the stream. Throws VALIDATION_FAILED for a period of
 * more than 31 days.
 */
export function auditExport(deps: Deps, tenant: TenantRef, request: ExportRequest): ReadableStream<Uint8Array> {
  const { until = deps.now() } = request;
  const { format, since = until - MAX_PERIOD_MS } = request;
  if (since >= until || until - since > MAX_PERIOD_MS) {
    const message = "Must be before until, by at most 31 days";
    throw invalidField("since", message);
  }
  const lineOf = format === "csv" ? csvLine : asNdjson;
  let text = format === "csv" ? CSV_HEADER : "";
  let cursor: string | undefined;
  return new ReadableStream({
    async pull(controller) {
      try {
        const page = await auditPage(deps, tenant, { since, until, cursor, limit: PAGE_EVENTS });
        text += page.data.map(lineOf).join("");
        if (text !== "") controller.enqueue(utf8(text));
        text = "";
        cursor = page.nextCursor ?? undefined;
        if (page.nextCursor === null) controller.close();
      } catch (error) {
        log("error", "audit export failed", { tenantId: tenant.tenantId, ...describeError(error) });
        throw error;
      }
    },
  });
}
