/** What several pages of operators share: links to tenants and runbooks. */

export const HERE = "/console/operator";

export const tenantLink = (id: string, name: string) => <a href={`${HERE}/tenants/${id}`}>{name}</a>;

export const Unreachable = ({ shards }: { shards: readonly number[] }) => (
  <p>No answer from the databases: {shards.join(", ")}.</p>
);

/** The sections of the operations page that say what to do, by their anchors. */
const RUNBOOKS = {
  "a-user-has-lost-the-second-factor": "A user has lost the second factor",
  "a-session-was-stolen": "A session was stolen",
  "secret_keys-has-leaked": "SECRET_KEYS has leaked",
  "an-api-key-has-leaked": "An API key has leaked",
  "a-tenant-abuses-the-service": "A tenant abuses the service",
  "move-a-tenant-to-another-database": "Move a tenant to another database",
  "dead-letters": "Dead letters",
  "delivery-databases": "Delivery databases",
  "restoring-d1": "Restoring D1",
} as const;

type Runbook = keyof typeof RUNBOOKS;

/** Links to what to do, below what may need it. */
export const Runbooks = ({ of }: { of: readonly Runbook[] }) => (
  <p class="small muted">
    What to do:{" "}
    {of.map((anchor, index) => (
      <>
        {index > 0 && ", "}
        <a href={`/docs/operations#${anchor}`}>{RUNBOOKS[anchor]}</a>
      </>
    ))}
  </p>
);
