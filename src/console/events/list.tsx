/** The tenant's events, newest first: what became of each, and a search by id, type and period. */
import type { Permission } from "../../base/schemas/roles";
import type { OutcomeCounts } from "../../webhooks/events/counts-store";
import type { EventSummary } from "../../webhooks/events/schemas";
import { withQuery } from "../components/address";
import { GetForm, LinkButton, SubmitButton } from "../components/buttons";
import { Badge, EmptyState, LiveIndicator, Time } from "../components/display";
import { Select, TextField } from "../components/fields";
import { A, useHref } from "../components/mount";
import { Table } from "../components/table";

/** The search, as in the page's address. Empty: any. */
export interface EventQuery {
  /** The id of an event, a delivery or an attempt, or a correlation id. */
  q: string;
  type: string;
  /** In hours. */
  period: string;
  /** "all" with operational events, which are left out unless something is searched for. */
  kind: string;
  /** The last event of the previous page; empty on the first page. */
  cursor: string;
}

export interface EventListView {
  query: EventQuery;
  events: readonly EventSummary[];
  /** By the id of the event. */
  counts: ReadonlyMap<string, OutcomeCounts>;
  nextCursor: string | null;
  permissions: ReadonlySet<Permission>;
}

const HERE = "/events";
const PERIODS = [
  ["", "Any time"],
  ["1", "Last hour"],
  ["24", "Last 24 hours"],
  ["168", "Last 7 days"],
  ["720", "Last 30 days"],
] as const;

const KINDS = [
  ["", "Published"],
  ["all", "Also operational"],
] as const;

export function EventList(view: EventListView) {
  const { query, nextCursor, permissions } = view;
  const href = useHref();
  const mayPublish = permissions.has("event.publish");
  const isFirst = query.cursor === "";
  return (
    <>
      <div class="head">
        <div class="row">
          <h1>Events</h1>
          {isFirst && <LiveIndicator />}
        </div>
        {mayPublish && (
          <LinkButton to={`${HERE}/new`} kind="main">
            Publish an event
          </LinkButton>
        )}
      </div>
      <search>
        <GetForm class="filters" action={HERE}>
          <TextField name="q" label="ID or correlation ID" type="search" value={query.q} />
          <TextField name="type" label="Type" value={query.type} />
          <Select name="period" label="Period" value={query.period} options={PERIODS} />
          <Select name="kind" label="Kind" value={query.kind} options={KINDS} />
          <SubmitButton kind="plain">Search</SubmitButton>
        </GetForm>
      </search>
      <div class="card" {...(isFirst ? { "data-live": href(withQuery(`${HERE}/rows`, { ...query })) } : {})}>
        <EventRows {...view} />
      </div>
      <p class="row">
        {!isFirst && <A to={withQuery(HERE, { ...query, cursor: "" })}>Newest</A>}
        {nextCursor !== null && <A to={withQuery(HERE, { ...query, cursor: nextCursor })}>Older</A>}
      </p>
    </>
  );
}

/** The part of the first page that the script refreshes. */
export const EventRows = (view: EventListView) =>
  view.events.length === 0 ? (
    <NoEvents {...view} mayPublish={view.permissions.has("event.publish")} />
  ) : (
    <Rows {...view} />
  );

function NoEvents({ query, nextCursor, mayPublish }: EventListView & { mayPublish: boolean }) {
  if (nextCursor !== null) {
    return (
      <EmptyState title="None of the events that were searched matches">
        <p class="muted">Older events follow.</p>
      </EmptyState>
    );
  }
  if (Object.values(query).some((value) => value !== "")) {
    return (
      <EmptyState title="No event matches">
        <p>
          <A to={HERE}>Show all</A>
        </p>
      </EmptyState>
    );
  }
  return (
    <EmptyState title="No events yet">
      <p class="muted">Your services publish events with an API key. You can also publish one by hand.</p>
      {mayPublish && <LinkButton to={`${HERE}/new`}>Publish your first event</LinkButton>}
    </EmptyState>
  );
}

const Rows = ({ events, counts }: EventListView) => (
  <Table label="Events" columns={["Type", "Outcome", ["Correlation ID", "wide"], "Published"]} opens>
    {events.map((event) => (
      <tr>
        <td class="break">
          <A to={`${HERE}/${event.id}`}>{event.type}</A> {event.test && <Badge tone="calm">test</Badge>}
        </td>
        <td>
          <Counts counts={counts.get(event.id)} event={event} />
        </td>
        <td class="wide small break">{event.correlationId}</td>
        <td class="small">
          <Time at={event.createdAt} />
        </td>
      </tr>
    ))}
  </Table>
);

/** How many deliveries of an event have each outcome. */
function Counts({ counts, event }: { counts: OutcomeCounts | undefined; event: EventSummary }) {
  if (!counts) {
    const [none, left] = [event.filtered ? `${event.filtered} filtered` : "nobody subscribed", "no delivery is left"];
    return <span class="small muted">{event.deliveries === 0 ? none : left}</span>;
  }
  return (
    <span class="row tight">
      {counts.failed > 0 && <Badge tone="bad">{counts.failed} failed</Badge>}
      {counts.waiting > 0 && <Badge tone="wait">{counts.waiting} waiting</Badge>}
      {counts.delivered > 0 && <Badge tone="ok">{counts.delivered} delivered</Badge>}
    </span>
  );
}
