/** The connections and domains of a tenant as operators see them, in D1. At most its caps. */
import { sql } from "drizzle-orm";
import { rows } from "../../base/db/client";
import type { ConnectionKind, ConnectionState } from "../../base/schemas/connection-settings";
import { iso } from "../../base/time";
import type { OperatedTenant } from "./schemas";

interface ConnectionRow {
  id: string;
  name: string;
  kind: ConnectionKind;
  state: ConnectionState;
  lastSignOnAt: number | null;
  failingSince: number | null;
  active: number;
  inactive: number;
  held: number;
  groups: number;
  /** When its directory last called, to the hour; null: never. */
  lastRequestAt: number | null;
}

interface ScimTokenRow {
  connectionId: string;
  createdAt: number;
  lastUsedAt: number | null;
  expiresAt: number | null;
}

interface JobRow {
  connectionId: string;
  kind: DirectoryJob["kind"];
  parts: number;
  since: number;
}

type DirectoryJob = NonNullable<OperatedTenant["signOn"]>["jobs"][number];
type DomainRow = NonNullable<OperatedTenant["signOn"]>["domains"][number];

/** The connections of a tenant with their SCIM tokens, and its domains. */
export interface SignOnRows {
  connections: ConnectionRow[];
  domains: DomainRow[];
  tokens: ScimTokenRow[];
  jobs: JobRow[];
}

/** What `signOnView` shows. */
export const signOnRows = (tenantId: string) => ({
  connections: rows<ConnectionRow>(sql`SELECT id, name, kind, state, last_sign_on_at AS lastSignOnAt,
    failing_since AS failingSince, directory_active AS active, directory_inactive AS inactive,
    directory_held AS held, directory_groups AS groups, directory_requested_at AS lastRequestAt
    FROM connections WHERE tenant_id = ${tenantId} ORDER BY id`),
  domains: rows<DomainRow>(sql`SELECT domain, state, proved_by AS provedBy FROM domains
    WHERE tenant_id = ${tenantId} ORDER BY domain`),
  tokens: rows<ScimTokenRow>(sql`SELECT connection_id AS connectionId, created_at AS createdAt,
    last_used_at AS lastUsedAt, expires_at AS expiresAt FROM scim_tokens WHERE tenant_id = ${tenantId}
    ORDER BY id DESC`),
  jobs: rows<JobRow>(sql`SELECT connection_id AS connectionId, iif(kind LIKE 'removed/%', 'removed', kind) AS kind,
    count(*) AS parts, min(created_at) AS since FROM directory_jobs WHERE tenant_id = ${tenantId}
    GROUP BY 1, 2 ORDER BY 4`),
});

/** A tenant's connections and domains in the API. */
export const signOnView = ({
  connections,
  domains,
  tokens,
  jobs,
}: SignOnRows): NonNullable<OperatedTenant["signOn"]> => ({
  connections: connections.map(({ lastSignOnAt, failingSince, ...row }) => ({
    ...{ id: row.id, name: row.name, kind: row.kind, state: row.state },
    lastSignOnAt: iso(lastSignOnAt),
    failingSince: iso(failingSince),
    scimTokens: tokens.filter(({ connectionId }) => connectionId === row.id).map(tokenView),
    ...(row.lastRequestAt === null ? {} : { directory: directoryView(row) }),
  })),
  domains,
  jobs: jobs.map(({ since, ...job }) => ({ ...job, since: iso(since) })),
});

type Counted = Pick<ConnectionRow, "active" | "inactive" | "held" | "groups" | "lastRequestAt">;

const directoryView = ({ active, inactive, held, groups, lastRequestAt }: Counted) => ({
  ...{ active, inactive, held, groups },
  lastRequestAt: iso(lastRequestAt),
});

const tokenView = ({ createdAt, lastUsedAt, expiresAt }: ScimTokenRow) => ({
  createdAt: iso(createdAt),
  lastUsedAt: iso(lastUsedAt),
  expiresAt: iso(expiresAt),
});
