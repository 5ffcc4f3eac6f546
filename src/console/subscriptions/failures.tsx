/** Why a subscription fails, what helps, and sending again what has failed. */
import type { ReplayPreview } from "../../webhooks/resend/replays/schemas";
import { LinkButton, PostForm, SubmitButton } from "../components/buttons";
import { Banner } from "../components/display";
import { A } from "../components/mount";
import { errorText } from "../components/outcome";
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
        <strong>
          {failureCount} failed {failureCount === 1 ? "attempt" : "attempts"} since the last success.
        </strong>{" "}
        {last?.error && (
          <>
            Last error: <A to={`/webhooks/${id}/attempts/${last.id}`}>{errorText(last.error)}</A>.{" "}
            {adviceOn(last.error).text}
          </>
        )}
      </p>
      <Outlook {...subscription} />
      {last && <Remedies id={id} attemptId={last.id} error={last.error} mayUpdate={mayUpdate} />}
    </Banner>
  );
}

/**
 * How many deliveries of the last days have failed for good, and the button that sends them again; nothing if there are
 * none.
 */
export function FailedDeliveries({ subscription, failed, mayUpdate }: NoticeProps & { failed: ReplayPreview }) {
  const { id, enabled, releasedTo } = subscription;
  const { matched, isPartial } = failed;
  if (matched === 0 && !isPartial) return null;
  const many = matched.toLocaleString("en");
  const canReplay = mayUpdate && (enabled || releasedTo !== null);
  return (
    <Banner kind="note">
      <p>
        {isPartial
          ? "Deliveries of the last 7 days may have failed for good. There are too many attempts to count them here."
          : `${many} ${matched === 1 ? "delivery" : "deliveries"} of the last 7 days failed and will not be tried ` +
            "again."}
      </p>
      {canReplay && isPartial && (
        <LinkButton to={`/webhooks/${id}/replays/preview?which=failed&period=${FAILED_HOURS}`}>
          Count failed deliveries
        </LinkButton>
      )}
      {canReplay && !isPartial && (
        <PostForm action={`/webhooks/${id}/replays`} class="inline">
          {Object.entries({ which: "failed", period: FAILED_HOURS, rate: PER_MINUTE }).map(([name, value]) => (
            <input type="hidden" name={name} value={value} />
          ))}
          <SubmitButton kind="plain">Send {many} failed again</SubmitButton>
        </PostForm>
      )}
    </Banner>
  );
}
