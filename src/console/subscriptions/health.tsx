/** What is wrong with a subscription, what happens next and when, what waits, and the button that helps. */

import { HOUR_MS } from "../../base/time";
import { MIN_FAILURES_TO_DISABLE } from "../../webhooks/plane/stages";
import { ActionButton } from "../components/buttons";
import { Banner, Moment } from "../components/display";
import { Say, useTexts } from "../components/mount";
import type { SubscriptionView } from "./view";

interface NoticeProps {
  health: SubscriptionView;
  mayUpdate: boolean;
  /** Whether a test has succeeded since the service disabled it. */
  hasPassedTest: boolean;
}

/** Whether it is off and has a banner that says more than "Paused" and can enable it. */
export const isOff = ({ enabled, disabledReason, releasedTo }: SubscriptionView): boolean =>
  !enabled && (disabledReason !== null || releasedTo !== null);

/** The banner of a subscription that is off or that is still sending what it held; nothing for any other. */
export function HealthNotice({ health, mayUpdate, hasPassedTest }: NoticeProps) {
  const { enabled, disabledReason, releasedTo, releaseRate, toSend } = health;
  const texts = useTexts();
  if (enabled && toSend > 0) {
    return (
      <Banner kind="note">
        {releasedTo === null
          ? texts.count("portal.stillToSend", toSend)
          : texts.count("portal.releasing", toSend, { rate: texts.number(releaseRate) })}
      </Banner>
    );
  }
  if (!isOff(health)) return null;
  return (
    <Banner kind={disabledReason === null ? "note" : "bad"}>
      {disabledReason === null ? (
        <strong>{texts.say("portal.paused")}</strong>
      ) : (
        <Disabled {...health} hasPassedTest={hasPassedTest} />
      )}
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
      {disabledAt === null ? (
        <Say of="state.disabled" />
      ) : (
        <Say of="portal.disabledOn" values={{ time: <Moment at={disabledAt} /> }} />
      )}
    </strong>{" "}
    <WhyDisabled disabledReason={disabledReason} failingSince={failingSince} />{" "}
    <Say of={hasPassedTest ? "portal.testPassed" : "portal.testFirst"} />
  </p>
);

const WhyDisabled = ({ disabledReason, failingSince }: Pick<SubscriptionView, "disabledReason" | "failingSince">) => {
  if (disabledReason === "gone") return <Say of="portal.goneTwice" />;
  if (failingSince === null) return <Say of="portal.noneSucceeded" />;
  return <Say of="portal.noneSince" values={{ time: <Moment at={failingSince} /> }} />;
};

const Waiting = ({ releasedTo, held, probeAt }: SubscriptionView) => (
  <p>
    {releasedTo === null ? <Say of="portal.nothingNew" /> : useTexts().count("portal.held", held)}{" "}
    {probeAt !== null && held > 0 && <Say of="portal.probe" values={{ time: <Moment at={probeAt} /> }} />}
  </p>
);

function Enable({ id, releasedTo, held }: SubscriptionView) {
  const resume = `/webhooks/${id}/resume`;
  const count = useTexts().number(held);
  if (releasedTo === null || held === 0) {
    return (
      <ActionButton action={resume} kind="main">
        <Say of="portal.enable" />
      </ActionButton>
    );
  }
  return (
    <div class="row">
      <ActionButton action={resume} kind="main">
        <Say of="portal.enableSend" values={{ count }} />
      </ActionButton>
      <ActionButton action={`${resume}?held=drop`} kind="danger">
        <Say of="portal.enableDrop" values={{ count }} />
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
      <Say of="portal.failingSince" values={{ time: <Moment at={failingSince} /> }} />{" "}
      {disablesAt !== null && disablesAt <= nowMs && (
        <Say of="portal.disablesAfter" values={{ count: MIN_FAILURES_TO_DISABLE }} />
      )}
      {disablesAt !== null && disablesAt > nowMs && (
        <Say of="portal.disablesOn" values={{ time: <Moment at={disablesAt} />, count: MIN_FAILURES_TO_DISABLE }} />
      )}
    </p>
  );
}
