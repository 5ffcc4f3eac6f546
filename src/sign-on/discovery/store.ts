/** Connections by the domain of an address, in D1. Nobody is signed in: the domain leads to the tenant. */
import { query, queryFirst } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { ConnectionSettings } from "../../base/schemas/connection-settings";
import { IS_OPEN } from "../../identity/policy/open-connection-store";

interface OfferedConnection {
  id: string;
  discovery: ConnectionSettings["discovery"];
}

/** Those with which people of the domain sign on: active, it is proved, and neither waits for a review. */
export const listByDomain = ({ db }: Pick<Deps, "db">, domain: string): Promise<OfferedConnection[]> =>
  query<OfferedConnection>(db)`SELECT c.id, c.settings ->> '$.discovery' AS discovery
    FROM domains d INDEXED BY domains_proved CROSS JOIN connections c ON c.tenant_id = d.tenant_id
    WHERE d.domain = ${domain} AND d.state = 'proved' AND d.needs_review = 0
      AND ${IS_OPEN}
    ORDER BY c.id`;

/** Whether any tenant signs people on. */
export async function hasActiveConnection({ db }: Pick<Deps, "db">): Promise<boolean> {
  const found = await queryFirst(db)`SELECT 1 FROM connections INDEXED BY connections_active
    WHERE state = 'active' AND tenant_id > '' AND kind <> 'directory' LIMIT 1`;
  return found !== undefined;
}
