/** The subscriptions of a tenant for operators: their hosts, states and last errors. */
import type { OperatedTenant } from "../../operations/operators/schemas";
import { Badge, EmptyState, ScrollArea, Time, type Tone } from "../components/display";
import { errorText } from "../components/outcome";

type Subscription = OperatedTenant["subscriptionStates"][number];

const STATES: Readonly<Record<Subscription["state"], readonly [tone: Tone, label: string]>> = {
  active: ["ok", "Active"],
  failing: ["bad", "Failing"],
  paused: ["calm", "Paused"],
  disabled: ["bad", "Disabled"],
};

export function TenantSubscriptions({
  tenant: { subscriptionStates: listed, subscriptions },
}: {
  tenant: OperatedTenant;
}) {
  return (
    <section class="card" aria-labelledby="subscriptions">
      <h2 id="subscriptions">Subscriptions</h2>
      {listed.length === 0 ? <EmptyState title="It has no subscriptions" /> : <Rows listed={listed} />}
      {listed.length < subscriptions.total && (
        <p class="hint">
          {listed.length} of {subscriptions.total.toLocaleString("en")}, those that fail first.
        </p>
      )}
    </section>
  );
}

const Rows = ({ listed }: { listed: readonly Subscription[] }) => (
  <ScrollArea label="Subscriptions of the tenant">
    <table>
      <thead>
        <tr>
          <th scope="col">Name and host</th>
          <th scope="col">State</th>
          <th scope="col">Last error</th>
          <th scope="col" class="wide num">
            Failures in a row
          </th>
          <th scope="col" class="wide">
            Last sent
          </th>
        </tr>
      </thead>
      <tbody>
        {listed.map(({ id, name, host, state, failureCount, error, lastTriggeredAt }) => (
          <tr>
            <td class="break">
              {name}
              <div class="small">{host}</div>
              <div class="small muted">{id}</div>
            </td>
            <td>
              <Badge tone={STATES[state][0]}>{STATES[state][1]}</Badge>
            </td>
            <td class="small break">{error === null ? "–" : errorText(error)}</td>
            <td class="wide num">{failureCount.toLocaleString("en")}</td>
            <td class="wide small">{lastTriggeredAt === null ? "never" : <Time at={lastTriggeredAt} />}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </ScrollArea>
);
