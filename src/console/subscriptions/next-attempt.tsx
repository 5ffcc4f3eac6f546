/** "Next attempt in 4 h 12 min (5 of 10)": what a delivery waits for, with a button that ends the wait. */
import { DEFAULT_SCHEDULE } from "../../webhooks/plane/timing";
import { ActionButton } from "../components/buttons";
import { Say, useTexts } from "../components/mount";
import { duration } from "./schedule";

/** What the delivery waits for. */
export interface NextAttempt {
  /** 0 when the attempt is due. */
  waitSeconds: number;
  number: number;
  /** How many attempts there will be at most. */
  of: number;
}

interface Wait {
  /** When the next attempt is due, in Unix ms. */
  dueAt: number;
  /** How many attempts have ended. */
  attempts: number;
}

/**
 * Returns what a wait looks like at `nowMs` (Unix ms). `schedule` is the subscription's own; undefined for the default.
 */
export function nextAttemptOf(
  { dueAt, attempts }: Wait,
  schedule: readonly number[] = DEFAULT_SCHEDULE,
  nowMs: number,
): NextAttempt {
  const number = attempts + 1;
  return {
    waitSeconds: Math.max(0, Math.ceil((dueAt - nowMs) / 1000)),
    number,
    // A schedule that was shortened can allow fewer attempts than there have been.
    of: Math.max(schedule.length + 1, number),
  };
}

interface LineProps extends NextAttempt {
  /** The console's address of the last attempt. */
  attemptPath: string;
  mayStart: boolean;
}

export const NextAttemptLine = ({ waitSeconds, number, of, attemptPath, mayStart }: LineProps) => (
  <div class="row">
    <span>
      <Say
        of={waitSeconds > 0 ? "portal.next" : "portal.nextSoon"}
        values={{ wait: duration(waitSeconds), number, of }}
      />
    </span>
    {mayStart && (
      <ActionButton action={`${attemptPath}/now`} label={useTexts().say("portal.nowLabel")}>
        <Say of="portal.now" />
      </ActionButton>
    )}
  </div>
);
