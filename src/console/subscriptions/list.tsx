/** The tenant's subscriptions, searchable by name and URL, each with a chart of its last 24 hours. */
import type { Permission } from "../../base/schemas/roles";
import { GetForm, LinkButton, SubmitButton } from "../components/buttons";
import type { Bar } from "../components/chart-periods";
import { Sparkline } from "../components/charts";
import { EmptyState, Time } from "../components/display";
import { TextField } from "../components/fields";
import { A, useWording, Worded } from "../components/mount";
import { Table } from "../components/table";
import { Health } from "./state";
import type { PlainSubscription } from "./store";

type ListedSubscription = PlainSubscription & { bars: Bar[] };

interface ListView {
  search: string;
  rows: ListedSubscription[];
  /** The offset of the next page; null on the last page. */
  next: number | null;
  permissions: ReadonlySet<Permission>;
}

export function SubscriptionList({ search, rows, next, permissions }: ListView) {
  const mayCreate = permissions.has("webhook.create");
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
      {(rows.length > 0 || search !== "") && (
        <search>
          <GetForm class="filters" action="/webhooks">
            <TextField name="q" label="Name or URL" type="search" value={search} />
            <SubmitButton kind="plain">Search</SubmitButton>
          </GetForm>
        </search>
      )}
      <div class="card">
        {rows.length === 0 ? <NoRows search={search} mayCreate={mayCreate} /> : <Rows rows={rows} />}
      </div>
      {next !== null && (
        <p>
          <A to={`/webhooks?${new URLSearchParams({ q: search, from: String(next) })}`}>Next page</A>
        </p>
      )}
    </>
  );
}

const NoRows = ({ search, mayCreate }: { search: string; mayCreate: boolean }) =>
  search === "" ? (
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
    <EmptyState title={`Nothing matches “${search}”`}>
      <p>
        <A to="/webhooks">Show all</A>
      </p>
    </EmptyState>
  );

const Rows = ({ rows }: { rows: ListedSubscription[] }) => (
  <Table
    label={useWording()("Subscriptions")}
    columns={["Name", "State", ["Last 24 hours", "wide"], ["Last sent", "wide"]]}
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
