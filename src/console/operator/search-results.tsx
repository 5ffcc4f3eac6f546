/** What the operators' search has found. */
import type { SearchResult } from "../../service/operators/schemas";
import { Badge, EmptyState, Time } from "../components/display";
import { A } from "../components/mount";
import { HERE, tenantLink } from "./links";

const suspended = (isSuspended: boolean) => isSuspended && <Badge tone="bad">Suspended</Badge>;

export function Findings({ found: { tenants, people, subscriptions, events, deliveries } }: { found: SearchResult }) {
  const count = tenants.length + people.length + subscriptions.length + events.length + deliveries.length;
  if (count === 0) return <EmptyState title="Nothing found" />;
  return (
    <ul class="list">
      {tenants.map(({ id, externalId, name, isSuspended }) => (
        <li>
          <div>
            Tenant {tenantLink(id, name)} {suspended(isSuspended)}
            <div class="small muted break">{[id, externalId].filter(Boolean).join(", ")}</div>
          </div>
        </li>
      ))}
      {people.map(({ id, externalId, email, isSuspended }) => (
        <li>
          <div class="break">
            Person <A to={`${HERE}/people/${id}`}>{email}</A> {suspended(isSuspended)}
            {externalId && <div class="small muted">{externalId}</div>}
          </div>
        </li>
      ))}
      {subscriptions.map(({ id, name, host, tenantId, tenantName }) => (
        <li>
          <div class="break">
            Subscription {name} to {host}, of {tenantLink(tenantId, tenantName)}
            <div class="small muted">{id}</div>
          </div>
        </li>
      ))}
      {events.map(({ id, type, createdAt, tenantId, tenantName }) => (
        <li>
          <div class="break">
            Event {type} of {tenantLink(tenantId, tenantName)}, <Time at={createdAt} />
            <div class="small muted">{id}</div>
          </div>
        </li>
      ))}
      {deliveries.map(({ id, webhookId, eventId, tenantId, tenantName }) => (
        <li>
          <div class="break">
            Delivery {id} of {tenantLink(tenantId, tenantName)}
            <div class="small muted">
              subscription {webhookId}, event {eventId}
            </div>
          </div>
        </li>
      ))}
    </ul>
  );
}
