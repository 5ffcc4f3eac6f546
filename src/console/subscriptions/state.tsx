/** The state of a subscription in one or two words. */
import { Badge, type Tone } from "../components/display";

interface State {
  enabled: boolean;
  disabledReason: "failing" | "gone" | null;
  /** Failed attempts since the last success. */
  failureCount: number;
  /** Whether it has failed so often that mails and metrics count it as failing. */
  isFailing: boolean;
  /** Whether another attempt follows the last failed one. */
  isRetrying: boolean;
}

export function stateOf({ enabled, disabledReason, failureCount, isFailing, isRetrying }: State): {
  tone: Tone;
  label: string;
} {
  if (disabledReason !== null) return { tone: "bad", label: "Disabled" };
  if (!enabled) return { tone: "calm", label: "Paused" };
  if (isFailing) return { tone: "bad", label: "Failing" };
  if (failureCount === 0) return { tone: "ok", label: "Active" };
  return isRetrying ? { tone: "wait", label: "Retrying" } : { tone: "bad", label: "Last delivery failed" };
}

export function Health(state: State) {
  const { tone, label } = stateOf(state);
  return <Badge tone={tone}>{label}</Badge>;
}
