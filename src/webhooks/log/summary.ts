/** One attempt of a delivery in short, as the log and the outcomes of an event show it. */
import { iso } from "../../base/time";
import type { AttemptDetail } from "./schemas";
import type { ChainRow } from "./store";

export const attemptSummaryView = (row: ChainRow): AttemptDetail["attempts"][number] => ({
  _id: row.id,
  status: row.status,
  ...(row.responseCode === null ? {} : { responseCode: row.responseCode }),
  ...(row.error === null ? {} : { error: row.error }),
  attemptCount: row.attemptCount,
  attemptedAt: iso(row.attemptedAt),
  ...(row.completedAt === null ? {} : { completedAt: iso(row.completedAt) }),
});
