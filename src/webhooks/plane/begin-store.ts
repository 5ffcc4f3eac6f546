/** The beginning of the feed that publishes the events of the platform. */
import { type SQL, sql } from "drizzle-orm";
import { READERS_OF_PLATFORM } from "./patterns-store";

/** Begins the feed at `nowMs` if a subscription receives it. The feed is in the database of the platform's tenant. */
export const beginPlatformFeed = (nowMs: number): SQL =>
  sql`INSERT INTO platform_feed (id, published_to) SELECT 1, ${nowMs} WHERE EXISTS (${READERS_OF_PLATFORM})
    ON CONFLICT DO NOTHING`;
