/** Whether directories have left work for a minute, in D1, across tenants. */
import { queryFirst } from "../../base/db/client";
import type { Deps } from "../../base/deps";

/** The kinds of work, each with whether there is some. */
export interface DueWork {
  /** Jobs of any kind. */
  jobs: boolean;
  /** People who were held, and are to be judged again. */
  held: boolean;
}

/** While nothing is due, it finds two indexes empty. */
export async function findDueWork({ db }: Pick<Deps, "db">, nowMs: number): Promise<DueWork> {
  const found = await queryFirst<Record<keyof DueWork, 0 | 1>>(db)`SELECT
      EXISTS (SELECT 1 FROM directory_jobs WHERE due_at <= ${nowMs}) AS jobs,
      EXISTS (SELECT 1 FROM directory_users d INDEXED BY directory_users_to_judge WHERE d.state = 'held'
        AND d.reason IS NULL AND (d.connection_id, d.id) > ('', '') LIMIT 1) AS held`;
  return { jobs: found?.jobs === 1, held: found?.held === 1 };
}
