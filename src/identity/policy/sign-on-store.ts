/** Refusals of a tenant that requires its own sign-on, in D1. */
import { sql } from "drizzle-orm";
import { jsonList, queryFirst } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { AuthMethod } from "../../base/schemas/principal";
import { isSessionRefused } from "../tokens/sign-on-due-store";
import { IS_OPEN } from "./open-connection-store";

/** Whether the tenant refuses a session that these methods would open for its member. */
export async function refuses(
  { db, config, now }: Deps,
  { tenantId, userId }: { tenantId: string; userId: string },
  methods: readonly AuthMethod[],
): Promise<boolean> {
  const session = { tenantId, userId, methods: sql`${jsonList(methods)}` };
  const found = await queryFirst<{ is: 0 | 1 }>(db)`SELECT ${isSessionRefused(config, session, now())} AS "is"`;
  return found?.is === 1;
}

/** The open connection through which the person signs on: one that knows them, or the one used last. */
export async function findWayIn(
  { db }: Pick<Deps, "db">,
  { tenantId, userId }: { tenantId: string; userId: string },
): Promise<string | undefined> {
  const found = await queryFirst<{ id: string }>(db)`SELECT c.id FROM connections c
    WHERE c.tenant_id = ${tenantId} AND ${IS_OPEN}
    ORDER BY EXISTS (SELECT 1 FROM connection_identities i WHERE i.user_id = ${userId} AND i.connection_id = c.id
        AND i.generation = c.generation) DESC, c.last_sign_on_at DESC, c.id LIMIT 1`;
  return found?.id;
}
