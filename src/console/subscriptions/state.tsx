/** The state of a subscription in one or two words. */
import type { TextKey } from "../../base/texts/en";
import { Badge, type Tone } from "../components/display";
import { Say } from "../components/mount";
import type { PlainSubscription } from "./store";

type State = Pick<
  PlainSubscription,
  "enabled" | "disabledReason" | "failureCount" | "isFailing" | "isRetrying" | "isSlow"
>;

export function stateOf({ enabled, disabledReason, failureCount, isFailing, isRetrying, isSlow }: State): {
  tone: Tone;
  label: TextKey;
} {
  if (disabledReason !== null) return { tone: "bad", label: "state.disabled" };
  if (!enabled) return { tone: "calm", label: "state.paused" };
  if (isFailing) return { tone: "bad", label: "state.failing" };
  if (failureCount === 0) return isSlow ? { tone: "wait", label: "state.slow" } : { tone: "ok", label: "state.active" };
  return isRetrying ? { tone: "wait", label: "state.retrying" } : { tone: "bad", label: "state.lastFailed" };
}

export function Health(state: State) {
  const { tone, label } = stateOf(state);
  return (
    <Badge tone={tone}>
      <Say of={label} />
    </Badge>
  );
}
