/** What is wrong with a subscription, what happens next and when, what waits, and the button that helps. */

import { HOUR_MS } from "../../base/time";
import { MIN_FAILURES_TO_DISABLE } from "../../webhooks/plane/stages";
import { ActionButton } from "../components/buttons";
import { Banner, Moment } from "../components/display";
import { Worded } from "../components/mount";
import type { SubscriptionView } from "./view";

interface NoticeProps {
  health: SubscriptionView;
  mayUpdate: boolean;
  /** Whether a test has succeeded since the service disabled it. */
  hasPassedTest: boolean;
}

const count = (held: number) => `${held.toLocaleString("en")} ${held === 1 ? "delivery is" : "deliveries are"}`;

/** Whether it is off and has a banner that says more than "Paused" and can enable it. */
export const isOff = ({ enabled, disabledReason, releasedTo }: SubscriptionView): boolean =>
  !enabled && (disabledReason !== null || releasedTo !== null);

/** The banner of a subscription that is off or that is still sending what it held; nothing for any other. */
export function HealthNotice({ health, mayUpdate, hasPassedTest }: NoticeProps) {
  const { enabled, disabledReason, releasedTo, releaseRate, toSend } = health;
  if (enabled && toSend > 0) {
    return (
      <Banner kind="note">
        {count(toSend)} still to be sent, oldest first
        {releasedTo !== null && `, about ${releaseRate.toLocaleString("en")} per minute`}. New events are sent after
        them.
      </Banner>
    );
  }
  if (!isOff(health)) return null;
  return (
    <Banner kind={disabledReason === null ? "note" : "bad"}>
      {disabledReason === null ? <strong>Paused.</strong> : <Disabled {...health} hasPassedTest={hasPassedTest} />}
      <Waiting {...health} />
      {mayUpdate && <Enable {...health} />}
    </Banner>
  );
}

const Disabled = ({
  disabledAt,
  disabledReason,
  failingSince,
  hasPassedTest,
}: SubscriptionView & { hasPassedTest: boolean }) => (
  <p>
    <strong>
      Disabled
      {disabledAt !== null && (
        <>
          {" "}
          on <Moment at={disabledAt} />
        </>
      )}
      .
    </strong>{" "}
    {disabledReason === "gone" ? (
      "Its URL answered 410 (Gone) twice."
    ) : (
      <>
        No delivery has succeeded
        {failingSince !== null && (
          <>
            {" "}
            since <Moment at={failingSince} />
          </>
        )}
        .
      </>
    )}{" "}
    {hasPassedTest ? "A test has succeeded since then, so you can enable it." : "Send a test when its URL works again."}
  </p>
);

const Waiting = ({ releasedTo, held, probeAt }: SubscriptionView) => (
  <p>
    {releasedTo === null ? "No new events are sent to it." : `${count(held)} held. New events are held too.`}
    {probeAt !== null && held > 0 && (
      <>
        {" "}
        We will try the oldest one on <Moment at={probeAt} />.{" "}
        <Worded>If it succeeds, we enable the subscription and send the rest.</Worded>
      </>
    )}
  </p>
);

function Enable({ id, releasedTo, held }: SubscriptionView) {
  const resume = `/webhooks/${id}/resume`;
  if (releasedTo === null || held === 0) {
    return (
      <ActionButton action={resume} kind="main">
        Enable
      </ActionButton>
    );
  }
  return (
    <div class="row">
      <ActionButton action={resume} kind="main">
        Enable and send {held.toLocaleString("en")} held
      </ActionButton>
      <ActionButton action={`${resume}?held=drop`} kind="danger">
        Enable and drop {held.toLocaleString("en")} held
      </ActionButton>
    </div>
  );
}

/** Since when it fails, and when that disables it. After that time, only the number of failures is still missing. */
export function Outlook({ failingSince, disabledAfterHours, enabled, nowMs }: SubscriptionView) {
  if (failingSince === null || !enabled) return null;
  const disablesAt = disabledAfterHours === null ? null : failingSince + disabledAfterHours * HOUR_MS;
  return (
    <p>
      Failing since <Moment at={failingSince} />.{" "}
      {disablesAt !== null && disablesAt <= nowMs && (
        <>It will be disabled once {MIN_FAILURES_TO_DISABLE} attempts have failed, unless a delivery succeeds first.</>
      )}
      {disablesAt !== null && disablesAt > nowMs && (
        <>
          It will be disabled on <Moment at={disablesAt} /> if no delivery succeeds before then and at least{" "}
          {MIN_FAILURES_TO_DISABLE} attempts have failed.
        </>
      )}
    </p>
  );
}
