/** The delivery log of one subscription: filters, rows and a link to older rows. */

import { withQuery } from "../components/address";
import { GetForm, SubmitButton } from "../components/buttons";
import { Badge, EmptyState, LiveIndicator, Time, type Tone } from "../components/display";
import { Select, TextField } from "../components/fields";
import { A, useHref } from "../components/mount";
import { outcomeOf } from "../components/outcome";
import { Table } from "../components/table";

export interface LogRow {
  id: string;
  eventType: string;
  status: "pending" | "success" | "failed";
  /** Why its delivery exists. */
  kind: "event" | "retry" | "test" | "replay";
  responseCode: number | null;
  error: string | null;
  attemptCount: number;
  /** Unix ms. */
  attemptedAt: number;
  completedAt: number | null;
}

/** The filter of the log, as in the page's address. */
export interface LogQuery {
  /** Empty for any. */
  status: string;
  eventType: string;
  /** The last row of the previous page; empty on the first page. */
  cursor: string;
  /** Of the chart on the same page; empty for the shortest one. */
  period: string;
}

export interface LogView {
  webhookId: string;
  query: LogQuery;
  rows: LogRow[];
  nextCursor: string | null;
}

const TONES: Record<LogRow["status"], Tone> = { success: "ok", failed: "bad", pending: "wait" };
/** What a person has asked for. */
const KINDS: Partial<Record<LogRow["kind"], string>> = { retry: "manual retry", replay: "replay", test: "test" };
const STATUSES = [
  ["", "Any"],
  ["success", "Success"],
  ["failed", "Failed"],
  ["pending", "Pending"],
] as const;

export const StatusBadge = ({ status }: { status: LogRow["status"] }) => <Badge tone={TONES[status]}>{status}</Badge>;

const toMs = (time: number | string) => (typeof time === "string" ? Date.parse(time) : time);

interface Times {
  attemptedAt: number | string;
  completedAt?: number | string | null | undefined;
}

/** The duration of an attempt; empty while it is in progress. */
export function attemptDuration(row: Times): string {
  if (row.completedAt === null || row.completedAt === undefined) return "";
  return `${(toMs(row.completedAt) - toMs(row.attemptedAt)).toLocaleString("en")} ms`;
}

export function Log(view: LogView) {
  const href = useHref();
  const { webhookId, query } = view;
  const here = `/webhooks/${webhookId}`;
  const isFirst = query.cursor === "";
  return (
    <section class="card" id="log" aria-labelledby="log-title">
      <div class="head">
        <h2 id="log-title">Log</h2>
        {isFirst && <LiveIndicator />}
      </div>
      <GetForm class="filters" action={`${here}#log`}>
        <Select name="status" label="Status" value={query.status} options={STATUSES} />
        <TextField name="eventType" label="Event type" value={query.eventType} />
        {query.period !== "" && <input type="hidden" name="period" value={query.period} />}
        <SubmitButton kind="plain">Filter</SubmitButton>
      </GetForm>
      <div {...(isFirst ? { "data-live": href(withQuery(`${here}/log`, { ...query })) } : {})}>
        <LogRows {...view} />
      </div>
      {!isFirst && (
        <p>
          <A to={`${withQuery(here, { ...query, cursor: "" })}#log`}>Newest</A>
        </p>
      )}
    </section>
  );
}

/** The part of the page that the script refreshes. */
export function LogRows({ webhookId, query, rows, nextCursor }: LogView) {
  if (rows.length === 0) {
    return query.status || query.eventType || query.cursor ? (
      <EmptyState title="No attempt matches">
        {nextCursor !== null && <Older webhookId={webhookId} query={query} nextCursor={nextCursor} />}
      </EmptyState>
    ) : (
      <EmptyState title="Nothing sent yet">
        <p class="muted">Send a test, or publish an event of one of its types. Attempts appear here as they happen.</p>
      </EmptyState>
    );
  }
  return (
    <>
      <Table
        label="Attempts"
        columns={["When", "Status", "Event", ["Outcome", "wide"], ["Attempt", "wide num"], ["Duration", "wide num"]]}
      >
        {rows.map((row) => (
          <tr>
            <td class="small">
              <A to={`/webhooks/${webhookId}/attempts/${row.id}`}>
                <Time at={row.attemptedAt} />
              </A>
            </td>
            <td>
              <StatusBadge status={row.status} />
            </td>
            <td class="break">
              {row.eventType} {KINDS[row.kind] && <Badge tone="calm">{KINDS[row.kind]}</Badge>}
              <div class="slim small muted">{outcomeOf(row)}</div>
            </td>
            <td class="wide small break">{outcomeOf(row)}</td>
            <td class="wide num">{row.attemptCount}</td>
            <td class="wide num small">{attemptDuration(row)}</td>
          </tr>
        ))}
      </Table>
      {nextCursor !== null && <Older webhookId={webhookId} query={query} nextCursor={nextCursor} />}
    </>
  );
}

const Older = ({ webhookId, query, nextCursor }: { webhookId: string; query: LogQuery; nextCursor: string }) => (
  <p class="after">
    <A to={`${withQuery(`/webhooks/${webhookId}`, { ...query, cursor: nextCursor })}#log`}>Older</A>
  </p>
);
