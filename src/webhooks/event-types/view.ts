/** Event types as the API returns them. */
import { iso } from "../../base/time";
import type { Declared } from "./declaration";
import type { TypeRow, VersionRow } from "./rows";
import type { EventType, EventTypeSummary, EventTypeVersion } from "./schemas";

export const summaryView = (row: TypeRow): EventTypeSummary => ({
  name: row.name,
  scope: row.scope,
  ...(row.isShadowed ? { shadowed: true } : {}),
  ...(row.description === null ? {} : { description: row.description }),
  ...(row.heading === null ? {} : { group: row.heading }),
  enforce: row.enforce,
  archived: row.isArchived === 1,
  ...(row.deprecated === null ? {} : { deprecated: { ...row.deprecated, since: iso(row.deprecated.since) } }),
  latestVersion: row.latestVersion,
  ...(row.warnedAt === null ? {} : { warned: { count: row.warnedCount, lastAt: iso(row.warnedAt) } }),
  createdAt: iso(row.createdAt),
  updatedAt: iso(row.updatedAt),
});

export const typeView = ({ type, newest }: Declared, subscribers?: number): EventType => ({
  ...summaryView(type),
  ...(newest.schema === undefined ? {} : { schema: newest.schema }),
  ...(newest.examples === null ? {} : { examples: newest.examples }),
  ...(subscribers === undefined ? {} : { subscribers }),
});

export const versionSummaryView = ({
  version,
  breaks,
  createdAt,
}: Pick<VersionRow, "version" | "breaks" | "createdAt">) => ({
  version,
  compatible: breaks === null,
  ...(breaks === null ? {} : { breaks }),
  createdAt: iso(createdAt),
});

export const versionView = (row: VersionRow): EventTypeVersion => ({
  ...versionSummaryView(row),
  schema: row.schema,
  ...(row.examples === null ? {} : { examples: row.examples }),
});
