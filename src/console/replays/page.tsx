/** The replays of a subscription: choosing what to send again, with its count, and how far each has come. */
import type { ReplayOutcome } from "../../webhooks/resend/replays/outcome-store";
import type { Replay, ReplayPreview } from "../../webhooks/resend/replays/schemas";
import { ActionButton, GetForm, PostForm, SubmitButton } from "../components/buttons";
import { Badge, Banner, EmptyState, LiveIndicator, Moment, type Tone } from "../components/display";
import { FailureBanner } from "../components/failure";
import { Select, TextField } from "../components/fields";
import { A, useHref, Worded } from "../components/mount";
import { subscriptionTrail, Trail } from "../components/trail";

/** The values of the form. */
export interface ReplayValues {
  which: string;
  /** Hours, or "all" for as long as events are kept. */
  period: string;
  /** Event types, separated by spaces or commas; empty for all. */
  types: string;
  rate: string;
}

export interface ReplayList {
  webhookId: string;
  replays: Replay[];
  nextCursor: string | null;
  mayUpdate: boolean;
  /** What has become of the deliveries of the newest replay; null where it is not shown. */
  outcome: ReplayOutcome | null;
}

interface ReplaysProps extends ReplayList {
  webhookName: string;
  values: ReplayValues;
  /** The count for these values; undefined before it is requested. */
  preview: ReplayPreview | undefined;
}

const WHICH = [
  ["missing", "Missing: never sent to it, because it was paused or did not list the type"],
  ["failed", "Failed: deliveries that never succeeded, with their old IDs"],
  ["all", "All: every event again, as new deliveries"],
] as const;
const PERIODS = [
  ["1", "the last hour"],
  ["24", "the last 24 hours"],
  ["168", "the last 7 days"],
  ["all", "as far back as events are kept"],
] as const;
const RATES = [
  ["60", "60 per minute"],
  ["600", "600 per minute"],
  ["6000", "6,000 per minute"],
] as const;

export function Replays({ webhookName, values, preview, ...list }: ReplaysProps) {
  const here = `/webhooks/${list.webhookId}`;
  return (
    <>
      <Trail to={subscriptionTrail({ id: list.webhookId, name: webhookName })} />
      <h1>Replay</h1>
      <p class="muted">
        <Worded>Sends past events to this subscription: those it missed, those that failed, or all.</Worded>
      </p>
      <FailureBanner />
      {list.mayUpdate && (
        <section class="card" aria-label="New replay">
          <GetForm action={`${here}/replays/preview`}>
            <Select name="which" label="Events" value={values.which} options={WHICH} />
            <Select name="period" label="Period" value={values.period} options={PERIODS} />
            <TextField
              name="types"
              label="Event types (optional)"
              value={values.types}
              hint="Separated by spaces. Leave empty for all types of the subscription."
            />
            <Select name="rate" label="Speed" value={values.rate} options={RATES} />
            <SubmitButton kind={preview ? "plain" : "main"}>Preview</SubmitButton>
          </GetForm>
          {preview && <Preview here={here} values={values} preview={preview} />}
        </section>
      )}
      <section class="card" aria-labelledby="replays">
        <div class="head">
          <h2 id="replays">Replays</h2>
          <LiveIndicator />
        </div>
        <div data-live={useHref()(`${here}/replays/list`)}>
          <ReplayRows {...list} />
        </div>
      </section>
    </>
  );
}

const Preview = ({ here, values, preview }: { here: string; values: ReplayValues; preview: ReplayPreview }) => (
  <Banner kind="note">
    <p>
      <strong>{countOf(preview)}</strong> would be sent.
    </p>
    {(preview.matched > 0 || preview.isPartial) && (
      <PostForm action={`${here}/replays`} class="inline">
        {Object.entries(values).map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <SubmitButton>Start the replay</SubmitButton>
      </PostForm>
    )}
  </Banner>
);

const deliveries = (count: number) => `${count.toLocaleString("en")} ${count === 1 ? "delivery" : "deliveries"}`;
const countOf = ({ matched, isPartial }: ReplayPreview) =>
  isPartial ? `At least ${deliveries(matched)}` : deliveries(matched);

const NAMES: Record<Replay["which"], string> = { missing: "Missing", failed: "Failed", all: "All" };
const TONES: Record<Replay["status"], Tone> = { running: "wait", finished: "ok", stopped: "calm" };

/** The part of the page that the script refreshes. */
export const ReplayRows = ({ webhookId, replays, nextCursor, mayUpdate, outcome }: ReplayList) =>
  replays.length === 0 ? (
    <EmptyState title="No replays yet">
      <p class="muted">A replay that you start appears here with its progress.</p>
    </EmptyState>
  ) : (
    <>
      <ul class="list">
        {replays.map((replay, place) => (
          <li>
            <div>
              {NAMES[replay.which]}: {deliveries(replay.queued)} queued
              {place === 0 && outcome !== null && `, ${outcomeText(replay, outcome)}`}
              <div class="small muted">
                <Moment at={replay.since} /> to <Moment at={replay.until} />, {progressOf(replay)} % done,{" "}
                {replay.ratePerMinute.toLocaleString("en")} per minute
              </div>
            </div>
            <div class="row">
              {replay.status === "running" && mayUpdate && (
                <ActionButton action={`/webhooks/${webhookId}/replays/${replay.id}/stop`}>Stop</ActionButton>
              )}
              <Badge tone={TONES[replay.status]}>{replay.status}</Badge>
            </div>
          </li>
        ))}
      </ul>
      {nextCursor !== null && (
        <p>
          <A to={`/webhooks/${webhookId}/replays?cursor=${nextCursor}`}>Older</A>
        </p>
      )}
    </>
  );

/** Such as "6 delivered", or "4 delivered, 1 failed, 1 waiting". */
function outcomeText({ queued }: Replay, { delivered, failed, isPartial }: ReplayOutcome): string {
  const waiting = Math.max(0, queued - delivered - failed);
  const parts = [`${delivered.toLocaleString("en")} delivered`];
  if (failed > 0) parts.push(`${failed.toLocaleString("en")} failed`);
  if (waiting > 0 && !isPartial) parts.push(`${waiting.toLocaleString("en")} waiting`);
  return `${isPartial ? "at least " : ""}${parts.join(", ")}`;
}

function progressOf({ since, until, reached }: Replay): number {
  const [from, to, at] = [since, until, reached].map((time) => Date.parse(time)) as [number, number, number];
  return Math.floor((100 * (at - from)) / (to - from));
}
