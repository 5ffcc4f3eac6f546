/** Filters as they are stored. */
import { describeError, log } from "../../base/log/log";
import type { Filter } from "./filter";
import { parseFilter } from "./parse";

/** Whose filter it is. */
interface Owner {
  tenantId: string;
  webhookId: string;
}

/** What every event fits. */
const ANYTHING: Filter = { kind: "all", filters: [] };

/**
 * Parses a stored filter. One that cannot be read lets every event through, and the log has a line about it: too much
 * can be mended, a loss cannot, and it is no reason to refuse what is published.
 */
export function readFilter(stored: string, owner: Owner): Filter {
  try {
    return parseFilter(JSON.parse(stored));
  } catch (error) {
    log("error", "stored filter not read", { ...owner, ...describeError(error) });
    return ANYTHING;
  }
}
