/** The tenant's events, newest first: what became of each, and a search by id, type and period. */
import type { Permission } from "../../base/schemas/roles";
import type { OutcomeCounts } from "../../webhooks/events/counts-store";
import type { EventSummary } from "../../webhooks/events/schemas";
import { withQuery } from "../components/address";
import { GetForm, LinkButton, SubmitButton } from "../components/buttons";
import { Badge, EmptyState, LiveIndicator, Time } from "../components/display";
import { Select, TextField } from "../components/fields";
import { A, type Choices, Say, useChoices, useHref, useTexts } from "../components/mount";
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
const PERIODS: Choices = [
  ["", "portal.anyTime"],
  ["1", "portal.lastHour"],
  ["24", "portal.last24"],
  ["168", "portal.last7"],
  ["720", "portal.last30"],
];

const KINDS: Choices = [
  ["", "portal.published"],
  ["all", "portal.alsoOperational"],
];

export function EventList(view: EventListView) {
  const { query, nextCursor, permissions } = view;
  const href = useHref();
  const texts = useTexts();
  const mayPublish = permissions.has("event.publish");
  const isFirst = query.cursor === "";
  return (
    <>
      <div class="head">
        <div class="row">
          <h1>
            <Say of="portal.events" />
          </h1>
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
          <TextField name="q" label={texts.say("portal.idOrCorrelation")} type="search" value={query.q} />
          <TextField name="type" label={texts.say("portal.type")} value={query.type} />
          <Select name="period" label={texts.say("portal.period")} value={query.period} options={useChoices(PERIODS)} />
          <Select name="kind" label={texts.say("portal.kind")} value={query.kind} options={useChoices(KINDS)} />
          <SubmitButton kind="plain">
            <Say of="portal.search" />
          </SubmitButton>
        </GetForm>
      </search>
      <div class="card" {...(isFirst ? { "data-live": href(withQuery(`${HERE}/rows`, { ...query })) } : {})}>
        <EventRows {...view} />
      </div>
      <p class="row">
        {!isFirst && (
          <A to={withQuery(HERE, { ...query, cursor: "" })}>
            <Say of="portal.newest" />
          </A>
        )}
        {nextCursor !== null && (
          <A to={withQuery(HERE, { ...query, cursor: nextCursor })}>
            <Say of="portal.older" />
          </A>
        )}
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
      <EmptyState title={<Say of="portal.noneSearched" />}>
        <p class="muted">
          <Say of="portal.olderFollow" />
        </p>
      </EmptyState>
    );
  }
  if (Object.values(query).some((value) => value !== "")) {
    return (
      <EmptyState title={<Say of="portal.noEvent" />}>
        <p>
          <A to={HERE}>
            <Say of="portal.showAll" />
          </A>
        </p>
      </EmptyState>
    );
  }
  return (
    <EmptyState title={<Say of="portal.noEvents" />}>
      <p class="muted">
        <Say of="portal.noEventsText" />
      </p>
      {mayPublish && <LinkButton to={`${HERE}/new`}>Publish your first event</LinkButton>}
    </EmptyState>
  );
}

const Rows = ({ events, counts }: EventListView) => (
  <Table
    label={useTexts().say("portal.events")}
    columns={[
      <Say of="portal.type" />,
      <Say of="portal.outcome" />,
      [<Say of="portal.correlationId" />, "wide"],
      <Say of="portal.published" />,
    ]}
    opens
  >
    {events.map((event) => (
      <tr>
        <td class="break">
          <A to={`${HERE}/${event.id}`}>{event.type}</A>{" "}
          {event.test && (
            <Badge tone="calm">
              <Say of="portal.kindTest" />
            </Badge>
          )}
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
  const texts = useTexts();
  if (!counts) {
    const none = event.filtered
      ? texts.say("portal.filteredCount", { count: texts.number(event.filtered) })
      : texts.say("portal.nobody");
    return <span class="small muted">{event.deliveries === 0 ? none : texts.say("portal.noneLeft")}</span>;
  }
  const said = (state: "failed" | "waiting" | "delivered") =>
    texts.say(`portal.${state}Count`, { count: texts.number(counts[state]) });
  return (
    <span class="row tight">
      {counts.failed > 0 && <Badge tone="bad">{said("failed")}</Badge>}
      {counts.waiting > 0 && <Badge tone="wait">{said("waiting")}</Badge>}
      {counts.delivered > 0 && <Badge tone="ok">{said("delivered")}</Badge>}
    </span>
  );
}
