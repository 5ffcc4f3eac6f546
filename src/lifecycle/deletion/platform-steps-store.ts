/** What a purge does about the events of the platform. */
import { sql } from "drizzle-orm";
import { query, queryFirst } from "../../base/db/client";
import { firstIdAt, timeOfId } from "../../base/db/ids";
import { PLATFORM_TENANT } from "../../base/schemas/tenant-ref";
import { MINUTE_MS } from "../../base/time";
import { deleting, searching } from "./pages-store";
import { SETTLED_AFTER_MS, type Step } from "./steps";

const MINUTES_UNTIL_NEXT_LOOK = 1;

/** Waits until the feed of the platform, if there is one, has published what the audit log says up to the deletion. */
export const PUBLISHED: Step = {
  name: "platform events",
  page: async ({ db, now }, { createdAt }) => {
    const feed = await queryFirst<{ publishedTo: number }>(db)`SELECT published_to AS publishedTo FROM platform_feed
      WHERE id = 1`;
    const publishedTo = feed?.publishedTo ?? Number.POSITIVE_INFINITY;
    const isPublished = publishedTo >= createdAt + SETTLED_AFTER_MS;
    return isPublished ? "done" : { notBefore: now() + MINUTES_UNTIL_NEXT_LOOK * MINUTE_MS };
  },
};

/** Run it after the last event of the subject, which would otherwise begin at 1 again. */
export const forgetSequence: Step = deleting(
  { table: "platform_sequences", key: ["subject_id"] },
  "control",
  ({ subjectId }) => sql`subject_id FROM platform_sequences WHERE subject_id = ${subjectId}`,
);

const SEARCH = searching("events of the platform", "control", ({ subjectId }) => ({
  table: "events",
  key: ["id"],
  // Its events are younger than the account.
  first: [firstIdAt(timeOfId(subjectId))],
  columns: ["tenant_id", "payload"],
  condition: sql`CASE WHEN tenant_id = ${PLATFORM_TENANT}
    THEN payload ->> '$.user.id' = ${subjectId} AND payload ->> '$.user.email' IS NOT NULL END`,
  set: sql`payload = json_replace(payload, '$.user', json_object('id', payload ->> '$.user.id', 'externalId',
    payload ->> '$.user.externalId'))`,
}));

/** Leaves only the ids in the published events about a person, which may still be sent again. */
export const CUT_PLATFORM_EVENTS: Step = {
  ...SEARCH,
  page: async (deps, purge, cursor) => {
    const made = await query<{ id: string }>(deps.db)`SELECT id FROM tenants WHERE id = ${PLATFORM_TENANT}`;
    return made.length === 0 ? "done" : SEARCH.page(deps, purge, cursor);
  },
};

/** Takes a tenant off the lists of the platform keys that see some tenants alone. An empty list shows none. */
export const LEAVE_PLATFORM_KEYS: Step = {
  name: "platform_keys, control",
  // Those that see some tenants have an index of their own, and are at most `MAX_PLATFORM_KEYS` and the ended ones.
  page: async ({ db }, { subjectId }) => {
    await query(db)`UPDATE platform_keys SET tenants = (SELECT json_group_array(value)
        FROM json_each(platform_keys.tenants) WHERE value <> ${subjectId})
      WHERE tenants IS NOT NULL AND id > '' AND EXISTS (SELECT 1 FROM json_each(tenants) WHERE value = ${subjectId})`;
    return "done";
  },
};
