/** The tenant's subscriptions, searchable by name and URL, each with a chart of its last 24 hours. */
import type { Permission } from "../../base/schemas/roles";
import { withQuery } from "../components/address";
import { GetForm, LinkButton, SubmitButton } from "../components/buttons";
import type { Bar } from "../components/chart-periods";
import { Sparkline } from "../components/charts";
import { EmptyState, Time } from "../components/display";
import { Select, TextField } from "../components/fields";
import { A, useWording, Worded } from "../components/mount";
import { Table } from "../components/table";
import type { ListedState } from "./list-store";
import { Health } from "./state";
import type { PlainSubscription } from "./store";

type ListedSubscription = PlainSubscription & { bars: Bar[] };

interface ListView {
  search: string;
  /** Undefined: any. */
  state: ListedState | undefined;
  rows: ListedSubscription[];
  /** The offset of the next page; null on the last page. */
  next: number | null;
  permissions: ReadonlySet<Permission>;
}

const STATES = [
  ["", "Any"],
  ["active", "Active"],
  ["failing", "Failing"],
  ["slow", "Slow"],
  ["paused", "Paused"],
  ["disabled", "Disabled"],
] as const satisfies readonly (readonly [ListedState | "", string])[];

export function SubscriptionList({ search, state, rows, next, permissions }: ListView) {
  const mayCreate = permissions.has("webhook.create");
  const isAll = search === "" && state === undefined;
  return (
    <>
      <div class="head">
        <h1>
          <Worded>Subscriptions</Worded>
        </h1>
        {mayCreate && (
          <LinkButton to="/webhooks/new" kind="main">
            <Worded>New subscription</Worded>
          </LinkButton>
        )}
      </div>
      {(rows.length > 0 || !isAll) && (
        <search>
          <GetForm class="filters" action="/webhooks">
            <TextField name="q" label="Name or URL" type="search" value={search} />
            <Select name="state" label="State" value={state ?? ""} options={STATES} />
            <SubmitButton kind="plain">Search</SubmitButton>
          </GetForm>
        </search>
      )}
      <div class="card">{rows.length === 0 ? <NoRows {...{ search, isAll, mayCreate }} /> : <Rows rows={rows} />}</div>
      {next !== null && (
        <p>
          <A to={withQuery("/webhooks", { q: search, state: state ?? "", from: String(next) })}>Next page</A>
        </p>
      )}
    </>
  );
}

const NoRows = ({ search, isAll, mayCreate }: { search: string; isAll: boolean; mayCreate: boolean }) =>
  isAll ? (
    <EmptyState title={<Worded>No subscriptions yet</Worded>}>
      <p class="muted">
        <Worded>A subscription sends the events that you choose to your URL, each as a signed POST request.</Worded>
      </p>
      {mayCreate && (
        <LinkButton to="/webhooks/new">
          <Worded>Create your first subscription</Worded>
        </LinkButton>
      )}
    </EmptyState>
  ) : (
    <EmptyState title={search === "" ? "Nothing matches" : `Nothing matches “${search}”`}>
      <p>
        <A to="/webhooks">Show all</A>
      </p>
    </EmptyState>
  );

const Rows = ({ rows }: { rows: ListedSubscription[] }) => (
  <Table
    label={useWording()("Subscriptions")}
    columns={["Name", "State", ["Last 24 hours", "wide"], ["Last sent", "wide"]]}
    opens
  >
    {rows.map((row) => (
      <tr>
        <td class="break">
          <A to={`/webhooks/${row.id}`}>{row.name}</A>
          <div class="small muted">{row.url.length > 100 ? `${row.url.slice(0, 100)}…` : row.url}</div>
        </td>
        <td>
          <Health {...row} />
        </td>
        <td class="wide">
          <Sparkline bars={row.bars} label={row.name} />
        </td>
        <td class="wide small">{row.lastTriggeredAt ? <Time at={row.lastTriggeredAt} /> : "never"}</td>
      </tr>
    ))}
  </Table>
);
