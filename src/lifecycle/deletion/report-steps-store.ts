/** The reports of imports name people by their ids, within the JSON of fifty lines, to which no index leads. */
import { sql } from "drizzle-orm";
import { queryFirst } from "../../base/db/client";
import { timeOfId } from "../../base/db/ids";
import { searchPage } from "../../base/db/table-search";
import type { Deps } from "../../base/deps";
import { EXAMINED_ROWS, PAGE_ROWS } from "./pages-store";
import type { Step } from "./steps";

/** Where the search of a report goes on, and of which import it is. */
interface Place {
  importId: string;
  /** The cursor of `searchPage`. */
  after: string;
}

/** Takes a person out of the reports of imports. Only those that ended after the account was made can name it. */
export const LEAVE_REPORTS: Step = {
  name: "import_reports, control",
  page: async (deps, { subjectId }, cursor) => {
    const place = cursor === "" ? await nextImport(deps, subjectId, "") : (JSON.parse(cursor) as Place);
    if (place === null) return "done";
    const report = {
      table: "import_reports",
      key: ["import_id", "last_line"],
      first: [place.importId, -1],
      columns: ["entries"],
      condition: sql`instr(entries, ${subjectId}) > 0`,
      // It is never the first member.
      set: sql`entries = replace(entries, ${`,"userId":"${subjectId}"`}, '')`,
    };
    const { next } = await searchPage(deps.db, report, place.after, { examined: EXAMINED_ROWS, changed: PAGE_ROWS });
    // A page can reach into the report of the next import, which does no harm.
    const isSame = next !== null && (next === place.after || next.startsWith(`["${place.importId}"`));
    const following = isSame ? { ...place, after: next } : await nextImport(deps, subjectId, place.importId);
    return following === null ? "done" : { cursor: JSON.stringify(following) };
  },
};

/** The next import with a report that can name the person. */
async function nextImport({ db }: Deps, userId: string, after: string): Promise<Place | null> {
  const found = await queryFirst<{ id: string }>(db)`WITH RECURSIVE r(id) AS (
      SELECT min(import_id) FROM import_reports WHERE import_id > ${after}
      UNION ALL SELECT (SELECT min(n.import_id) FROM import_reports n WHERE n.import_id > r.id) FROM r
        WHERE r.id IS NOT NULL)
    SELECT r.id FROM r LEFT JOIN imports i ON i.id = r.id
    WHERE r.id IS NOT NULL AND (i.ended_at IS NULL OR i.ended_at >= ${timeOfId(userId)}) LIMIT 1`;
  return found ? { importId: found.id, after: "" } : null;
}
