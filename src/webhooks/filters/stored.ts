/** Filters as they are stored. */
import { describeError, log } from "../../base/log/log";
import type { Filter } from "./filter";
import { parseFilter } from "./parse";

/** Whose filter it is. */
interface Owner {
  tenantId: string;
  webhookId: string;
}

/**
 * Parses a stored filter; null for one that cannot be read, of which the log has a line. Such a subscription gets every
 * event of its types: too much can be mended, a loss cannot. And it is no reason to refuse the events of others.
 */
export function readFilter(stored: string, owner: Owner): Filter | null {
  try {
    return parseFilter(JSON.parse(stored));
  } catch (error) {
    log("error", "stored filter not read", { ...owner, ...describeError(error) });
    return null;
  }
}
