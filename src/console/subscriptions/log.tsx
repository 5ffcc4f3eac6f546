/** The delivery log of one subscription: filters, rows, the way to older ones. */
import { Badge, Empty, Scroll, Select, TextField, Time, type Tone } from "../parts";

export interface LogRow {
  id: string;
  eventType: string;
  status: "pending" | "success" | "failed";
  responseCode: number | null;
  error: string | null;
  attemptCount: number;
  /** Unix ms. */
  attemptedAt: number;
  completedAt: number | null;
}

export interface LogFilter {
  /** "" for any. */
  status: string;
  eventType: string;
  /** Where the page before this one ended; "" for the newest. */
  cursor: string;
}

export interface LogView {
  webhookId: string;
  filter: LogFilter;
  rows: LogRow[];
  next: string | null;
}

const TONES: Record<LogRow["status"], Tone> = { success: "ok", failed: "bad", pending: "wait" };
const STATUSES = [
  ["", "Any"],
  ["success", "Success"],
  ["failed", "Failed"],
  ["pending", "Pending"],
] as const;

export const StatusBadge = ({ status }: { status: LogRow["status"] }) => <Badge tone={TONES[status]}>{status}</Badge>;

/** How it ended, in a word or two. */
export const outcomeOf = ({ status, responseCode, error }: Pick<LogRow, "status" | "responseCode" | "error">): string =>
  error ?? (responseCode === null ? (status === "pending" ? "under way" : "") : `status ${responseCode}`);

export const duration = (row: Pick<LogRow, "attemptedAt" | "completedAt">): string =>
  row.completedAt === null ? "" : `${(row.completedAt - row.attemptedAt).toLocaleString("en")} ms`;

const queryOf = ({ status, eventType, cursor }: LogFilter) => {
  const given = Object.entries({ status, eventType, cursor }).filter(([, value]) => value !== "");
  return given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
};

export function Log(view: LogView) {
  const { webhookId, filter } = view;
  const here = `/console/webhooks/${webhookId}`;
  const isFirst = filter.cursor === "";
  return (
    <section class="card" id="log" aria-labelledby="log-title">
      <h2 id="log-title">Log</h2>
      <form class="filters" method="get" action={`${here}#log`}>
        <Select name="status" label="Status" value={filter.status} options={STATUSES} />
        <TextField name="eventType" label="Event type" value={filter.eventType} />
        <button type="submit" class="button plain">
          Filter
        </button>
      </form>
      <div {...(isFirst ? { "data-live": `${here}/log${queryOf(filter)}` } : {})}>
        <LogRows {...view} />
      </div>
      {!isFirst && (
        <p>
          <a href={`${here}${queryOf({ ...filter, cursor: "" })}#log`}>Newest</a>
        </p>
      )}
    </section>
  );
}

/** What the script asks for again. */
export function LogRows({ webhookId, filter, rows, next }: LogView) {
  if (rows.length === 0) {
    return filter.status || filter.eventType || filter.cursor ? (
      <Empty title="No attempt matches" />
    ) : (
      <Empty title="Nothing sent yet">
        <p class="muted">
          Send a test, or publish an event of a type that it gets. Attempts appear here as they happen.
        </p>
      </Empty>
    );
  }
  return (
    <>
      <Scroll label="Attempts">
        <table>
          <thead>
            <tr>
              <th scope="col">When</th>
              <th scope="col">Status</th>
              <th scope="col">Event</th>
              <th scope="col" class="wide">
                Outcome
              </th>
              <th scope="col" class="wide num">
                Attempt
              </th>
              <th scope="col" class="wide num">
                Took
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr>
                <td class="small">
                  <a href={`/console/webhooks/${webhookId}/attempts/${row.id}`}>
                    <Time at={row.attemptedAt} />
                  </a>
                </td>
                <td>
                  <StatusBadge status={row.status} />
                </td>
                <td class="break">{row.eventType}</td>
                <td class="wide small break">{outcomeOf(row)}</td>
                <td class="wide num">{row.attemptCount}</td>
                <td class="wide num small">{duration(row)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {next !== null && (
        <p class="after">
          <a href={`/console/webhooks/${webhookId}${queryOf({ ...filter, cursor: next })}#log`}>Older</a>
        </p>
      )}
    </>
  );
}
