/** The replays of a subscription: choosing what to send again, with its count, and how far each has come. */
import type { Language } from "../../base/texts/texts";
import type { ReplayOutcome } from "../../webhooks/resend/replays/outcome-store";
import type { Replay, ReplayPreview } from "../../webhooks/resend/replays/schemas";
import { ActionButton, GetForm, PostForm, SubmitButton } from "../components/buttons";
import { Badge, Banner, EmptyState, LiveIndicator, Moment, type Tone } from "../components/display";
import { FailureBanner } from "../components/failure";
import { Select, TextField } from "../components/fields";
import { A, type Choices, Say, useChoices, useHref, useTexts } from "../components/mount";
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

const WHICH: Choices = [
  ["missing", "portal.which.missing"],
  ["failed", "portal.which.failed"],
  ["all", "portal.which.all"],
];
const PERIODS: Choices = [
  ["1", "portal.lastHour"],
  ["24", "portal.last24"],
  ["168", "portal.last7"],
  ["all", "portal.asFar"],
];
const RATES = [60, 600, 6_000];

export function Replays({ webhookName, values, preview, ...list }: ReplaysProps) {
  const here = `/webhooks/${list.webhookId}`;
  const texts = useTexts();
  const rateOf = (rate: number) =>
    [String(rate), texts.say("portal.perMinute", { count: texts.number(rate) })] as const;
  return (
    <>
      <Trail to={subscriptionTrail({ id: list.webhookId, name: webhookName })} />
      <h1>
        <Say of="portal.replay" />
      </h1>
      <p class="muted">
        <Say of="portal.replayText" />
      </p>
      <FailureBanner />
      {list.mayUpdate && (
        <section class="card" aria-label={texts.say("portal.newReplay")}>
          <GetForm action={`${here}/replays/preview`}>
            <Select name="which" label={texts.say("portal.events")} value={values.which} options={useChoices(WHICH)} />
            <Select
              name="period"
              label={texts.say("portal.period")}
              value={values.period}
              options={useChoices(PERIODS)}
            />
            <TextField
              name="types"
              label={texts.say("portal.typesOptional")}
              value={values.types}
              hint={texts.say("portal.typesOptionalHint")}
            />
            <Select name="rate" label={texts.say("portal.speed")} value={values.rate} options={RATES.map(rateOf)} />
            <SubmitButton kind={preview ? "plain" : "main"}>
              <Say of="portal.preview" />
            </SubmitButton>
          </GetForm>
          {preview && <Preview here={here} values={values} preview={preview} />}
        </section>
      )}
      <section class="card" aria-labelledby="replays">
        <div class="head">
          <h2 id="replays">
            <Say of="portal.replays" />
          </h2>
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
    <p>{useTexts().count(preview.isPartial ? "portal.wouldSendAtLeast" : "portal.wouldSend", preview.matched)}</p>
    {(preview.matched > 0 || preview.isPartial) && (
      <PostForm action={`${here}/replays`} class="inline">
        {Object.entries(values).map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <SubmitButton>
          <Say of="portal.startReplay" />
        </SubmitButton>
      </PostForm>
    )}
  </Banner>
);

const TONES: Record<Replay["status"], Tone> = { running: "wait", finished: "ok", stopped: "calm" };

/** The part of the page that the script refreshes. */
export const ReplayRows = ({ webhookId, replays, nextCursor, mayUpdate, outcome }: ReplayList) =>
  replays.length === 0 ? (
    <EmptyState title={<Say of="portal.noReplays" />}>
      <p class="muted">
        <Say of="portal.noReplaysText" />
      </p>
    </EmptyState>
  ) : (
    <>
      <ul class="list">
        {replays.map((replay, place) => (
          <li>
            <div>
              <Queued {...replay} />
              {place === 0 && outcome !== null && `, ${outcomeText(useTexts(), replay, outcome)}`}
              <div class="small muted">
                <Line replay={replay} />
              </div>
            </div>
            <div class="row">
              {replay.status === "running" && mayUpdate && (
                <ActionButton action={`/webhooks/${webhookId}/replays/${replay.id}/stop`}>
                  <Say of="portal.stop" />
                </ActionButton>
              )}
              <Badge tone={TONES[replay.status]}>
                <Say of={`state.${replay.status}`} />
              </Badge>
            </div>
          </li>
        ))}
      </ul>
      {nextCursor !== null && (
        <p>
          <A to={`/webhooks/${webhookId}/replays?cursor=${nextCursor}`}>
            <Say of="portal.older" />
          </A>
        </p>
      )}
    </>
  );

const Queued = ({ which, queued }: Replay) => {
  const texts = useTexts();
  return texts.count("portal.queued", queued, { name: texts.say(`portal.name.${which}`) });
};

const Line = ({ replay }: { replay: Replay }) => (
  <Say
    of="portal.replayLine"
    values={{
      since: <Moment at={replay.since} />,
      until: <Moment at={replay.until} />,
      percent: progressOf(replay),
      rate: useTexts().number(replay.ratePerMinute),
    }}
  />
);

/** Such as "6 delivered", or "4 delivered, 1 failed, 1 waiting". */
function outcomeText(texts: Language, { queued }: Replay, { delivered, failed, isPartial }: ReplayOutcome): string {
  const waiting = isPartial ? 0 : Math.max(0, queued - delivered - failed);
  const counts = [
    ["delivered", delivered],
    ["failed", failed],
    ["waiting", waiting],
  ] as const;
  const parts = counts.flatMap(([state, count]) =>
    count > 0 || state === "delivered" ? [texts.say(`portal.${state}Count`, { count: texts.number(count) })] : [],
  );
  const what = parts.join(", ");
  return isPartial ? texts.say("portal.atLeast", { what }) : what;
}

function progressOf({ since, until, reached }: Replay): number {
  const [from, to, at] = [since, until, reached].map((time) => Date.parse(time)) as [number, number, number];
  return Math.floor((100 * (at - from)) / (to - from));
}
