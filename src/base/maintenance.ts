/** Regular work on the databases. */
import type { Deps } from "./deps";

/**
 * A recurring piece of work on one database. It begins at `cursor` ("" is the beginning) and stops between two pages
 * once `isOver` says so. Returns the cursor at which the next run continues; null when nothing is left.
 */
export type PagedMaintenance = (
  deps: Deps,
  shard: number,
  cursor: string,
  isOver: () => boolean,
) => Promise<string | null>;
