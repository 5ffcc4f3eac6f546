/** The operator's own apps that say where a sign-in to them begins, in D1. Clients belong to no tenant. */
import { query } from "../../base/db/client";
import type { Deps } from "../../base/deps";

export interface StartedApp {
  name: string;
  /** Begins a sign-in there (OpenID Connect Core section 4). */
  initiateLoginUrl: string;
}

const MAX_LISTED = 20;

/** Apps that ask nobody, by name. Others are not ours to recommend. */
export const listStartedApps = ({ db }: Deps): Promise<StartedApp[]> =>
  query<StartedApp>(db)`SELECT c.name, c.settings ->> '$.initiateLoginUrl' AS initiateLoginUrl FROM oauth_clients c
    WHERE c.enabled = 1 AND c.settings ->> '$.consent' = 'skip' AND initiateLoginUrl IS NOT NULL
    ORDER BY c.name, c.id LIMIT ${MAX_LISTED}`;
