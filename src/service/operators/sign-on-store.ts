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
}

interface ScimTokenRow {
  connectionId: string;
  createdAt: number;
  lastUsedAt: number | null;
  expiresAt: number | null;
}

type DomainRow = NonNullable<OperatedTenant["signOn"]>["domains"][number];

/** The connections of a tenant with their SCIM tokens, and its domains. */
export interface SignOnRows {
  connections: ConnectionRow[];
  domains: DomainRow[];
  tokens: ScimTokenRow[];
}

/** What `signOnView` shows. */
export const signOnRows = (tenantId: string) => ({
  connections: rows<ConnectionRow>(sql`SELECT id, name, kind, state, last_sign_on_at AS lastSignOnAt,
    failing_since AS failingSince FROM connections WHERE tenant_id = ${tenantId} ORDER BY id`),
  domains: rows<DomainRow>(sql`SELECT domain, state, proved_by AS provedBy FROM domains
    WHERE tenant_id = ${tenantId} ORDER BY domain`),
  tokens: rows<ScimTokenRow>(sql`SELECT connection_id AS connectionId, created_at AS createdAt,
    last_used_at AS lastUsedAt, expires_at AS expiresAt FROM scim_tokens WHERE tenant_id = ${tenantId}
    ORDER BY id DESC`),
});

/** A tenant's connections and domains in the API. */
export const signOnView = ({ connections, domains, tokens }: SignOnRows): NonNullable<OperatedTenant["signOn"]> => ({
  connections: connections.map(({ lastSignOnAt, failingSince, ...row }) => ({
    ...row,
    lastSignOnAt: iso(lastSignOnAt),
    failingSince: iso(failingSince),
    scimTokens: tokens.filter(({ connectionId }) => connectionId === row.id).map(tokenView),
  })),
  domains,
});

const tokenView = ({ createdAt, lastUsedAt, expiresAt }: ScimTokenRow) => ({
  createdAt: iso(createdAt),
  lastUsedAt: iso(lastUsedAt),
  expiresAt: iso(expiresAt),
});
