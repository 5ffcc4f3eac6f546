/** The state of a subscription in one or two words. */
import { Badge, type Tone } from "../components/display";
import type { PlainSubscription } from "./store";

type State = Pick<
  PlainSubscription,
  "enabled" | "disabledReason" | "failureCount" | "isFailing" | "isRetrying" | "isSlow"
>;

export function stateOf({ enabled, disabledReason, failureCount, isFailing, isRetrying, isSlow }: State): {
  tone: Tone;
  label: string;
} {
  if (disabledReason !== null) return { tone: "bad", label: "Disabled" };
  if (!enabled) return { tone: "calm", label: "Paused" };
  if (isFailing) return { tone: "bad", label: "Failing" };
  if (failureCount === 0) return isSlow ? { tone: "wait", label: "Slow" } : { tone: "ok", label: "Active" };
  return isRetrying ? { tone: "wait", label: "Retrying" } : { tone: "bad", label: "Last delivery failed" };
}

export function Health(state: State) {
  const { tone, label } = stateOf(state);
  return <Badge tone={tone}>{label}</Badge>;
}
