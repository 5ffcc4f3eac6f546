/** The delivery log of one subscription: filters, rows and a link to older rows. */

import type { TextKey } from "../../base/texts/en";
import type { Language } from "../../base/texts/texts";
import { outcomeOf } from "../../webhooks/log/outcome";
import { withQuery } from "../components/address";
import { ActionButton, GetForm, SubmitButton } from "../components/buttons";
import { Badge, EmptyState, LiveIndicator, Time, type Tone } from "../components/display";
import { Select, TextField } from "../components/fields";
import { A, type Choices, Say, useChoices, useHref, useTexts } from "../components/mount";
import { Table } from "../components/table";

export interface LogRow {
  id: string;
  deliveryId: string;
  /** Whether another attempt of the delivery follows. */
  goesOn: 0 | 1;
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
  mayRetry: boolean;
}

const TONES: Record<LogRow["status"], Tone> = { success: "ok", failed: "bad", pending: "wait" };
/** What a person has asked for. */
const KINDS: Partial<Record<LogRow["kind"], TextKey>> = {
  retry: "portal.kindRetry",
  replay: "portal.kindReplay",
  test: "portal.kindTest",
};
const STATUSES: Choices = [
  ["", "portal.any"],
  ["success", "portal.statusSuccess"],
  ["failed", "portal.statusFailed"],
  ["pending", "portal.statusPending"],
];

export const StatusBadge = ({ status }: { status: LogRow["status"] }) => (
  <Badge tone={TONES[status]}>
    <Say of={`state.${status}`} />
  </Badge>
);

const toMs = (time: number | string) => (typeof time === "string" ? Date.parse(time) : time);

interface Times {
  attemptedAt: number | string;
  completedAt?: number | string | null | undefined;
}

/** The duration of an attempt; empty while it is in progress. */
export function attemptDuration(texts: Language, row: Times): string {
  if (row.completedAt === null || row.completedAt === undefined) return "";
  return `${texts.number(toMs(row.completedAt) - toMs(row.attemptedAt))} ms`;
}

export function Log(view: LogView) {
  const href = useHref();
  const texts = useTexts();
  const { webhookId, query } = view;
  const here = `/webhooks/${webhookId}`;
  const isFirst = query.cursor === "";
  return (
    <section class="card" id="log" aria-labelledby="log-title">
      <div class="head">
        <h2 id="log-title">
          <Say of="portal.log" />
        </h2>
        {isFirst && <LiveIndicator />}
      </div>
      <GetForm class="filters" action={`${here}#log`}>
        <Select name="status" label={texts.say("portal.status")} value={query.status} options={useChoices(STATUSES)} />
        <TextField name="eventType" label={texts.say("portal.eventType")} value={query.eventType} />
        {query.period !== "" && <input type="hidden" name="period" value={query.period} />}
        <SubmitButton kind="plain">
          <Say of="portal.filter" />
        </SubmitButton>
      </GetForm>
      <div {...(isFirst ? { "data-live": href(withQuery(`${here}/log`, { ...query })) } : {})}>
        <LogRows {...view} />
      </div>
      {!isFirst && (
        <p>
          <A to={`${withQuery(here, { ...query, cursor: "" })}#log`}>
            <Say of="portal.newest" />
          </A>
        </p>
      )}
    </section>
  );
}

/** The part of the page that the script refreshes. */
export function LogRows(view: LogView) {
  const { webhookId, query, rows, nextCursor } = view;
  if (rows.length === 0) {
    return query.status || query.eventType || query.cursor ? (
      <EmptyState title={<Say of="portal.noAttempt" />}>
        {nextCursor !== null && <Older webhookId={webhookId} query={query} nextCursor={nextCursor} />}
      </EmptyState>
    ) : (
      <EmptyState title={<Say of="portal.nothingSent" />}>
        <p class="muted">
          <Say of="portal.nothingSentText" />
        </p>
      </EmptyState>
    );
  }
  return (
    <>
      <Table
        label={useTexts().say("portal.deliveries")}
        columns={[
          <Say of="portal.when" />,
          <Say of="portal.status" />,
          <Say of="portal.event" />,
          [<Say of="portal.outcome" />, "wide"],
          [<Say of="portal.attemptsColumn" />, "wide"],
          [<Say of="portal.duration" />, "wide num"],
          "",
        ]}
        opens
      >
        {[...Map.groupBy(rows, ({ deliveryId }) => deliveryId).values()].map((attempts) => (
          <DeliveryRow {...view} attempts={attempts} />
        ))}
      </Table>
      {nextCursor !== null && <Older webhookId={webhookId} query={query} nextCursor={nextCursor} />}
    </>
  );
}

/** A delivery with those of its attempts that are on the page, newest first. */
function DeliveryRow({ webhookId, mayRetry, attempts }: LogView & { attempts: readonly LogRow[] }) {
  const [newest, ...earlier] = attempts;
  const texts = useTexts();
  if (!newest) return null;
  const kind = KINDS[newest.kind];
  const pathOf = ({ id }: LogRow) => `/webhooks/${webhookId}/attempts/${id}`;
  return (
    <tr>
      <td class="small">
        <A to={pathOf(newest)}>
          <Time at={newest.attemptedAt} />
        </A>
      </td>
      <td>
        <StatusBadge status={newest.status} />
      </td>
      <td class="break">
        {newest.eventType} {kind && <Badge tone="calm">{texts.say(kind)}</Badge>}
        <div class="slim small muted">{outcomeOf(texts, newest)}</div>
      </td>
      <td class="wide small break">{outcomeOf(texts, newest)}</td>
      <td class="wide small">
        {earlier.length === 0 ? newest.attemptCount : <Earlier {...{ newest, earlier, pathOf }} />}
      </td>
      <td class="wide num small">{attemptDuration(texts, newest)}</td>
      <td class="num">
        {mayRetry && newest.status === "failed" && newest.goesOn === 0 && (
          <ActionButton
            action={`${pathOf(newest)}/retry`}
            kind="quiet"
            label={texts.say("portal.retryOf", { type: newest.eventType })}
          >
            <Say of="portal.retry" />
          </ActionButton>
        )}
      </td>
    </tr>
  );
}

interface EarlierProps {
  newest: LogRow;
  earlier: readonly LogRow[];
  pathOf: (attempt: LogRow) => string;
}

const Earlier = ({ newest, earlier, pathOf }: EarlierProps) => (
  <details>
    <summary>{newest.attemptCount}</summary>
    <ul class="plain-list">
      {earlier.map((attempt) => (
        <li>
          <A to={pathOf(attempt)}>
            {attempt.attemptCount}: {outcomeOf(useTexts(), attempt)}
          </A>
        </li>
      ))}
    </ul>
  </details>
);

const Older = ({ webhookId, query, nextCursor }: { webhookId: string; query: LogQuery; nextCursor: string }) => (
  <p class="after">
    <A to={`${withQuery(`/webhooks/${webhookId}`, { ...query, cursor: nextCursor })}#log`}>
      <Say of="portal.older" />
    </A>
  </p>
);
