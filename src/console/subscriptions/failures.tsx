/** Why a subscription fails, what helps, and sending again what has failed. */

import { errorText } from "../../webhooks/log/outcome";
import type { ReplayPreview } from "../../webhooks/resend/replays/schemas";
import { LinkButton, PostForm, SubmitButton } from "../components/buttons";
import { Banner } from "../components/display";
import { A, Say, useTexts } from "../components/mount";
import { adviceOn, Remedies } from "./advice";
import { Outlook } from "./health";
import type { LogView } from "./log";
import type { SubscriptionView } from "./view";

/** How far back failed deliveries are counted and sent again, in hours. */
export const FAILED_HOURS = 168;
const PER_MINUTE = 600;

interface NoticeProps {
  subscription: SubscriptionView;
  mayUpdate: boolean;
}

export function FailureNotice({ subscription, log, mayUpdate }: NoticeProps & { log: LogView }) {
  const { id, failureCount } = subscription;
  const last = log.rows.find((row) => row.status === "failed");
  return (
    <Banner kind={subscription.isFailing || !subscription.isRetrying ? "bad" : "note"}>
      <p>
        <strong>{useTexts().count("portal.failedSince", failureCount)}</strong>{" "}
        {last?.error && (
          <>
            <Say
              of="portal.lastError"
              values={{ error: <LastError id={id} attemptId={last.id} error={last.error} /> }}
            />{" "}
            <Say of={adviceOn(last.error).text} />
          </>
        )}
      </p>
      <Outlook {...subscription} />
      {last && <Remedies id={id} attemptId={last.id} error={last.error} mayUpdate={mayUpdate} />}
    </Banner>
  );
}

const LastError = ({ id, attemptId, error }: { id: string; attemptId: string; error: string }) => (
  <A to={`/webhooks/${id}/attempts/${attemptId}`}>{errorText(useTexts(), error)}</A>
);

/**
 * How many deliveries of the last days have failed for good, and the button that sends them again; nothing if there are
 * none.
 */
export function FailedDeliveries({ subscription, failed, mayUpdate }: NoticeProps & { failed: ReplayPreview }) {
  const { id, enabled, releasedTo } = subscription;
  const { matched, isPartial } = failed;
  if (matched === 0 && !isPartial) return null;
  const texts = useTexts();
  const canReplay = mayUpdate && (enabled || releasedTo !== null);
  return (
    <Banner kind="note">
      <p>{isPartial ? texts.say("portal.failedMany") : texts.count("portal.failedWeek", matched)}</p>
      {canReplay && isPartial && (
        <LinkButton to={`/webhooks/${id}/replays/preview?which=failed&period=${FAILED_HOURS}`}>
          <Say of="portal.countFailed" />
        </LinkButton>
      )}
      {canReplay && !isPartial && (
        <PostForm action={`/webhooks/${id}/replays`} class="inline">
          {Object.entries({ which: "failed", period: FAILED_HOURS, rate: PER_MINUTE }).map(([name, value]) => (
            <input type="hidden" name={name} value={value} />
          ))}
          <SubmitButton kind="plain">
            <Say of="portal.sendFailed" values={{ count: texts.number(matched) }} />
          </SubmitButton>
        </PostForm>
      )}
    </Banner>
  );
}
