/** The subscriptions of a tenant for operators: their hosts, states and last errors. */
import type { OperatedTenant } from "../../service/operators/schemas";
import { Badge, Card, EmptyState, Time, type Tone } from "../components/display";
import { errorText } from "../components/outcome";
import { Table } from "../components/table";

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
    <Card id="subscriptions" title="Subscriptions">
      {listed.length === 0 ? <EmptyState title="It has no subscriptions" /> : <Rows listed={listed} />}
      {listed.length < subscriptions.total && (
        <p class="hint">
          {listed.length} of {subscriptions.total.toLocaleString("en")}, those that fail first.
        </p>
      )}
    </Card>
  );
}

const Rows = ({ listed }: { listed: readonly Subscription[] }) => (
  <Table
    label="Subscriptions of the tenant"
    columns={["Name and host", "State", "Last error", ["Failures in a row", "wide num"], ["Last sent", "wide"]]}
  >
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
  </Table>
);
