/** What several pages of operators share: links to tenants and runbooks. */
import { A } from "../components/mount";

export const HERE = "/operator";

export const tenantLink = (id: string, name: string) => <A to={`${HERE}/tenants/${id}`}>{name}</A>;

export const Unreachable = ({ shards }: { shards: readonly number[] }) => (
  <p>No answer from the databases: {shards.join(", ")}.</p>
);

/** The pages and sections of the documentation that say what to do. */
const RUNBOOKS = {
  "runbooks/attempts-fail": "Many attempts fail",
  "runbooks/abuse": "A tenant abuses the service",
  "runbooks/lost-factor": "A lost second factor",
  "runbooks/account-taken": "An account was taken over",
  "runbooks/leaked-api-key": "An API key has leaked",
  "runbooks/leaked-keys": "SECRET_KEYS has leaked",
  "runbooks/dead-letters": "Dead letters",
  "runbooks/database-full": "A database is full",
  "runbooks/restore": "Restore data",
  "runbooks/down": "The service is down",
  "operations#move-a-tenant-to-another-database": "Move a tenant to another database",
} as const;

type Runbook = keyof typeof RUNBOOKS;

/** Links to what to do, below what may need it. */
export const Runbooks = ({ of }: { of: readonly Runbook[] }) => (
  <p class="small muted">
    What to do:{" "}
    {of.map((page, index) => (
      <>
        {index > 0 && ", "}
        <a href={`/docs/${page}`}>{RUNBOOKS[page]}</a>
      </>
    ))}
  </p>
);
