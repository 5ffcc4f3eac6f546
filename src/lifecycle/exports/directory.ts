/** The records of directories, as exports have them. */
import type { Deps } from "../../base/deps";
import { listConnections } from "../../sign-on/connections/store";
import { type ExportedRecordRow, readRecords } from "./directory-store";
import type { ExportedRecord } from "./schemas";

/** A record has 8 KiB at most. */
const PAGE_ROWS = 500;

/** The records of all directories of a tenant, page by page, as long as `takePage` gives one. */
export async function* recordPages(deps: Deps, tenantId: string, takePage: () => boolean) {
  for (const { id: connectionId } of await listConnections(deps, tenantId)) {
    for (let after = ""; takePage(); ) {
      const found = await readRecords(deps, { tenantId, connectionId }, after, PAGE_ROWS);
      yield found.map(recordView);
      if (found.length < PAGE_ROWS) break;
      after = found.at(-1)?.id ?? "";
    }
  }
}

/** A record as it is sent. */
export const recordView = ({ groups, attributes, ...row }: ExportedRecordRow): ExportedRecord => ({
  ...row,
  groups: JSON.parse(groups) as string[],
  attributes: JSON.parse(attributes) as Record<string, unknown>,
});
