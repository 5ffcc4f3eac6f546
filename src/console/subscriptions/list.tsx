/** The tenant's subscriptions, searchable by name and URL, each with a chart of its last 24 hours. */
import type { Permission } from "../../base/schemas/roles";
import type { TextKey } from "../../base/texts/en";
import { withQuery } from "../components/address";
import { GetForm, LinkButton, SubmitButton } from "../components/buttons";
import type { Bar } from "../components/chart-periods";
import { Sparkline } from "../components/charts";
import { EmptyState, Time } from "../components/display";
import { Select, TextField } from "../components/fields";
import { A, Say, useChoices, useTexts } from "../components/mount";
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
  ["", "portal.any"],
  ["active", "state.active"],
  ["failing", "state.failing"],
  ["slow", "state.slow"],
  ["paused", "state.paused"],
  ["disabled", "state.disabled"],
] as const satisfies readonly (readonly [ListedState | "", TextKey])[];

export function SubscriptionList({ search, state, rows, next, permissions }: ListView) {
  const mayCreate = permissions.has("webhook.create");
  const isAll = search === "" && state === undefined;
  const texts = useTexts();
  return (
    <>
      <div class="head">
        <h1>
          <Say of="portal.subscriptions" />
        </h1>
        {mayCreate && (
          <LinkButton to="/webhooks/new" kind="main">
            <Say of="portal.newSubscription" />
          </LinkButton>
        )}
      </div>
      {(rows.length > 0 || !isAll) && (
        <search>
          <GetForm class="filters" action="/webhooks">
            <TextField name="q" label={texts.say("portal.nameOrUrl")} type="search" value={search} />
            <Select name="state" label={texts.say("portal.state")} value={state ?? ""} options={useChoices(STATES)} />
            <SubmitButton kind="plain">
              <Say of="portal.search" />
            </SubmitButton>
          </GetForm>
        </search>
      )}
      <div class="card">{rows.length === 0 ? <NoRows {...{ search, isAll, mayCreate }} /> : <Rows rows={rows} />}</div>
      {next !== null && (
        <p>
          <A to={withQuery("/webhooks", { q: search, state: state ?? "", from: String(next) })}>
            <Say of="portal.nextPage" />
          </A>
        </p>
      )}
    </>
  );
}

const NoRows = ({ search, isAll, mayCreate }: { search: string; isAll: boolean; mayCreate: boolean }) =>
  isAll ? (
    <EmptyState title={<Say of="portal.noSubscriptions" />}>
      <p class="muted">
        <Say of="portal.whatItDoes" />
      </p>
      {mayCreate && (
        <LinkButton to="/webhooks/new">
          <Say of="portal.firstSubscription" />
        </LinkButton>
      )}
    </EmptyState>
  ) : (
    <EmptyState title={<Say of={search === "" ? "portal.noMatch" : "portal.noMatchFor"} values={{ search }} />}>
      <p>
        <A to="/webhooks">
          <Say of="portal.showAll" />
        </A>
      </p>
    </EmptyState>
  );

const Rows = ({ rows }: { rows: ListedSubscription[] }) => (
  <Table
    label={useTexts().say("portal.subscriptions")}
    columns={[
      <Say of="portal.name" />,
      <Say of="portal.state" />,
      [<Say of="portal.last24" />, "wide"],
      [<Say of="portal.lastSent" />, "wide"],
    ]}
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
        <td class="wide small">
          {row.lastTriggeredAt ? <Time at={row.lastTriggeredAt} /> : <Say of="portal.never" />}
        </td>
      </tr>
    ))}
  </Table>
);
