/** The payload of an event in its row: in the column `payload` or, if it is long, in the last one. */
import { type SQL, sql } from "drizzle-orm";
import { storedText } from "../../base/db/stored-text";

/** The payload of a row of `events`, to be read by `fromStored`. */
export const PAYLOAD = storedText(sql.raw("payload"), sql.raw("long_payload"));
/** The same for the alias `e`, which may be missing. */
export const PAYLOAD_OF_E = storedText(sql.raw("e.payload"), sql.raw("e.long_payload"));

/** The size of the payload as it was published, in bytes. */
export const PAYLOAD_BYTES = sql.raw("coalesce(long_bytes, octet_length(payload))");
export const PAYLOAD_BYTES_OF_E = sql.raw("coalesce(e.long_bytes, octet_length(e.payload))");

/** Whether a filter kept the event from the subscription, as SQL. A text search, which reads no row for each filter. */
export const isFilteredFrom = (subscriptionId: SQL, filtered: SQL): SQL =>
  sql`(coalesce(instr(${filtered}, ${subscriptionId}), 0) > 0)`;

/** How many subscriptions did not receive an event because of their filters. */
export const FILTERED_OF_EVENT = sql.raw("coalesce(json_array_length(filtered), 0)");
