/** The audit log of the tenant with its filters, and the user's own activity. */
import { ACTION_GROUPS, ACTION_NAMES } from "../../base/schemas/audit-actions";
import { sentenceWithoutValues } from "../../base/schemas/audit-sentences";
import type { AuditEvent } from "../../tenancy/audit/schemas";
import { withQuery } from "../components/address";
import { GetForm, SubmitButton } from "../components/buttons";
import { Card, EmptyState } from "../components/display";
import { FailureBanner } from "../components/failure";
import { Select, TextField } from "../components/fields";
import { A } from "../components/mount";
import { Trail } from "../components/trail";
import { Events } from "./events";

/** The filter of the log, as in the page's address. Empty: any. */
export interface ActivityQuery {
  action: string;
  actor: string;
  /** The id of what was changed. */
  target: string;
  ip: string;
  /** A day in UTC, `2026-11-21`. */
  since: string;
  /** The last day. */
  until: string;
  cursor: string;
}

export interface ActivityView {
  query: ActivityQuery;
  events: readonly AuditEvent[];
  /** The current names of what the events are about, by id. */
  names: ReadonlyMap<string, string>;
  nextCursor: string | null;
}

const HERE = "/activity";
const ACTIONS = [
  ["", "Any"],
  ...ACTION_GROUPS.map((group) => [group, `All ${group}`] as const),
  ...ACTION_NAMES.map((name) => [name, capitalized(sentenceWithoutValues(name))] as const),
] as const;

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function Activity(view: ActivityView) {
  const { query } = view;
  return (
    <>
      <h1>Activity</h1>
      <FailureBanner />
      <Card id="events" title="Who changed what">
        <GetForm class="filters" action={HERE}>
          <Select name="action" label="Action" value={query.action} options={ACTIONS} />
          <TextField name="actor" label="Who (email, key or ID)" value={query.actor} />
          <TextField name="target" label="What (ID)" value={query.target} />
          <TextField name="ip" label="IP address" value={query.ip} />
          <TextField name="since" label="From (UTC)" type="date" value={query.since} />
          <TextField name="until" label="To (UTC)" type="date" value={query.until} />
          <SubmitButton kind="plain">Filter</SubmitButton>
        </GetForm>
        <EventTable {...view} />
        {query.cursor !== "" && (
          <p>
            <A to={withQuery(HERE, { ...query, cursor: "" })}>Newest</A>
          </p>
        )}
      </Card>
      <Export query={query} />
    </>
  );
}

function EventTable({ query, events, names, nextCursor }: ActivityView) {
  const older = nextCursor !== null && (
    <p class="after">
      <A to={withQuery(HERE, { ...query, cursor: nextCursor })}>Older</A>
    </p>
  );
  if (events.length === 0) return <EmptyState title="No event matches">{older}</EmptyState>;
  return (
    <>
      <Events events={events} names={names} />
      {older}
    </>
  );
}

const Export = ({ query: { since, until } }: { query: ActivityQuery }) => (
  <Card id="export" title="Export">
    <p class="muted">
      {since || until ? "The days above, at most 31." : "The last 31 days. Choose other days above."} Other filters do
      not apply.
    </p>
    <p class="row">
      {(["csv", "ndjson"] as const).map((format) => (
        <A class="button plain" to={withQuery(`${HERE}/export`, { since, until, format })}>
          {format === "csv" ? "CSV" : "NDJSON"}
        </A>
      ))}
    </p>
  </Card>
);

/** The events of the user's own account. */
export const OwnActivity = ({ events }: { events: readonly AuditEvent[] }) => (
  <>
    <Trail to={{ "/security": "My security" }} />
    <h1>My activity</h1>
    <Card id="events" title="The last 100 events">
      <p class="muted">
        What you did, and what others did to your account without being signed in. If something was not you, change your
        password and sign out everywhere.
      </p>
      {events.length === 0 ? <EmptyState title="No events" /> : <Events events={events} names={null} />}
    </Card>
  </>
);

/** What the operators of the service did; `older` is the path of the next page. */
export const OperatorsActivity = ({ events, older }: { events: readonly AuditEvent[]; older: string | null }) => (
  <>
    <Trail to={{ "/operator": "Operator" }} />
    <h1>What operators did</h1>
    <Card id="events" title="Events">
      {events.length === 0 ? <EmptyState title="No events" /> : <Events events={events} names={new Map()} />}
      {older && (
        <p class="after">
          <A to={older}>Older</A>
        </p>
      )}
    </Card>
  </>
);
