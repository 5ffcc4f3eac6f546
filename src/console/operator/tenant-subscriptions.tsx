/** The subscriptions of a tenant for operators: their hosts, states and last errors. */
import type { OperatedTenant } from "../../service/operators/schemas";
import { errorText } from "../../webhooks/log/outcome";
import { Badge, Card, EmptyState, Moment, Time, type Tone } from "../components/display";
import { useTexts } from "../components/mount";
import { Table } from "../components/table";

type Subscription = OperatedTenant["subscriptionStates"][number];

const STATES: Readonly<Record<Subscription["state"], readonly [tone: Tone, label: string]>> = {
  active: ["ok", "Active"],
  failing: ["bad", "Failing"],
  paused: ["calm", "Paused"],
  disabled: ["bad", "Disabled"],
};

export function TenantSubscriptions({
  tenant: { subscriptionStates: listed, subscriptions, published },
}: {
  tenant: OperatedTenant;
}) {
  return (
    <Card id="subscriptions" title="Subscriptions">
      <p class="muted">
        Published: {published.events.toLocaleString("en")} {published.events === 1 ? "event" : "events"} since{" "}
        <Moment at={published.since} />.
      </p>
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
    columns={["Name and host", "State", "Types", ["Matching events", "num"], "Last error", ["Last sent", "wide"]]}
  >
    {listed.map((subscription) => (
      <tr>
        <td class="break">
          {subscription.name}
          <div class="small">{subscription.host}</div>
          <div class="small muted">{subscription.id}</div>
        </td>
        <td>
          <State {...subscription} />
        </td>
        <td class="small break">
          <Types {...subscription} />
        </td>
        <td class="num">{subscription.matching.toLocaleString("en")}</td>
        <td class="small break">
          <LastError {...subscription} />
        </td>
        <td class="wide small">
          {subscription.lastTriggeredAt === null ? "never" : <Time at={subscription.lastTriggeredAt} />}
        </td>
      </tr>
    ))}
  </Table>
);

const State = ({ state, offSince }: Subscription) => (
  <>
    <Badge tone={STATES[state][0]}>{STATES[state][1]}</Badge>
    {offSince && (
      <div class="small muted">
        by {offSince.by}, <Time at={offSince.at} />
      </div>
    )}
  </>
);

const MAX_SHOWN_TYPES = 10;

/** The listed types, with the names that may be meant by those that nobody knows. */
const Types = ({ events, similar }: Subscription) => (
  <>
    {events.slice(0, MAX_SHOWN_TYPES).join(", ")}
    {events.length > MAX_SHOWN_TYPES && ` and ${events.length - MAX_SHOWN_TYPES} more`}
    {similar.map(({ type, meant }) => (
      <div class="error">
        Nobody publishes {type}. Is {meant} meant?
      </div>
    ))}
  </>
);

const LastError = ({ error, failureCount }: Subscription) => (
  <>
    {error === null ? "–" : errorText(useTexts(), error)}
    {failureCount > 0 && <div class="muted">{failureCount.toLocaleString("en")} failures in a row</div>}
  </>
);
