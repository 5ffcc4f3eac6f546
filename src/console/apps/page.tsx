/** The page of connected apps: what the user has allowed them, and what the tenant says of them. */
import type * as z from "zod";
import type { connectedApp, tenantApp } from "../../oauth/apps/schemas";
import type { ClientRow } from "../../oauth/clients/store";
import type { ResourceRow } from "../../oauth/resources/store";
import { ActionButton } from "../components/buttons";
import { Badge, Card, Time } from "../components/display";
import { List } from "../components/list";
import { RegisteredApps } from "./registered";

type Own = z.infer<typeof connectedApp>;
type OfTenant = z.infer<typeof tenantApp>;

interface AppsProps {
  own: readonly Own[];
  /** Null for somebody who does not manage the tenant. */
  ofTenant: readonly OfTenant[] | null;
  /** What the tenant has registered itself; for the same people. */
  registered: { clients: readonly ClientRow[]; apis: readonly ResourceRow[] };
}

export const Apps = ({ own, ofTenant, registered }: AppsProps) => (
  <>
    <h1>Connected apps</h1>
    <p class="muted">
      Apps that you have allowed something when you signed in to them. <a href="/docs/sign-in-for-apps">How it works</a>
    </p>
    <Card id="own" title="Your apps">
      <List of={own} row={(app) => <OwnRow app={app} />} empty="No apps">
        What you allow an app stands here until you disconnect it.
      </List>
    </Card>
    {ofTenant && (
      <Card id="tenant" title="Apps in this tenant">
        <p class="muted">Nobody gets through to a blocked app in this tenant, and its access ends at once.</p>
        <List of={ofTenant} row={(app) => <TenantRow app={app} />} empty="No member has allowed an app anything" />
      </Card>
    )}
    {ofTenant && <RegisteredApps here="/apps" {...registered} />}
  </>
);

const OwnRow = ({ app: { id, client, tenant, scopes, connectedAt, lastUsedAt } }: { app: Own }) => (
  <li>
    <div>
      <strong>{client.name}</strong> in {tenant.name}
      <div class="small break">{scopes.map(({ description }) => description).join("; ")}</div>
      <div class="small muted">
        Connected <Time at={connectedAt} />
        {lastUsedAt !== null && (
          <>
            , last used <Time at={lastUsedAt} />
          </>
        )}
      </div>
    </div>
    <ActionButton
      action={`/apps/${encodeURIComponent(id)}/disconnect`}
      kind="danger"
      label={`Disconnect ${client.name} in ${tenant.name}`}
    >
      Disconnect
    </ActionButton>
  </li>
);

const TenantRow = ({ app: { client, members, state } }: { app: OfTenant }) => {
  const isBlocked = state === "blocked";
  const verb = isBlocked ? "Unblock" : "Block";
  return (
    <li>
      <div>
        <strong>{client.name}</strong> {isBlocked && <Badge tone="calm">Blocked</Badge>}
        <div class="small muted">
          Allowed by {members.toLocaleString("en")} {members === 1 ? "member" : "members"}
        </div>
      </div>
      <ActionButton
        action={`/apps/of-tenant/${encodeURIComponent(client.id)}/${verb.toLowerCase()}`}
        kind={isBlocked ? "plain" : "danger"}
        label={`${verb} ${client.name}`}
      >
        {verb}
      </ActionButton>
    </li>
  );
};
