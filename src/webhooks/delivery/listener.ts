/** Sends one attempt over the socket of a listener, in place of `fetch`. */
import type { Deps } from "../../base/deps";
import { describeError, log } from "../../base/log/log";
import { inTime } from "../../base/time";
import { TIMED_OUT } from "../plane/reasons";
import { RETRY_AFTER_RUNTIME_FAULT_MS, SEND_TIMEOUT_MS } from "../plane/timing";
import { eventFrame, type ListenerAnswer } from "./frames";
import { answered, failure, headersOf, type NotSent, type Outbound, type SendOutcome } from "./send";

/** What became of a delivery that went to a listener's object. */
export type Passed = ListenerAnswer | "timeout" | "lost" | "held" | "full";

/** How long an attempt waits that would be one too many without an answer. */
const FULL_MS = 1_000;
/** How much longer than the other end the object may take. */
const OBJECT_MARGIN_MS = 3_000;

/**
 * Sends an attempt that starts at `nowMs`. It is not sent if its socket is lost, or there is none, and if the object
 * cannot take it now.
 */
export async function sendToListener(
  deps: Deps,
  { attemptId, listenerId }: { attemptId: string; listenerId: string },
  outbound: Omit<Outbound, "url">,
  nowMs: number,
): Promise<SendOutcome | NotSent> {
  const headers = { ...outbound.headers, ...(await headersOf(outbound, nowMs)) };
  const frame = eventFrame(attemptId, headers, outbound.body);
  const passed = await pass(deps, listenerId, attemptId, frame);
  if (passed === null) return { retryInMs: RETRY_AFTER_RUNTIME_FAULT_MS };
  if (passed === "lost" || passed === "held") return { retryInMs: null };
  if (passed === "full") return { retryInMs: FULL_MS };
  if (passed === "timeout") return failure(TIMED_OUT);
  if ("error" in passed) return failure(passed.error);
  return answered(passed.status, passed.body, Object.entries(passed.headers), outbound.headers);
}

/** Null if the object cannot be reached. */
async function pass(deps: Deps, listenerId: string, attemptId: string, frame: string): Promise<Passed | null> {
  try {
    const socket = deps.listenSockets.getByName(listenerId);
    const passed: Promise<Passed> = socket.pass(attemptId, frame);
    return await inTime(SEND_TIMEOUT_MS + OBJECT_MARGIN_MS, passed);
  } catch (error) {
    log("warn", "listener not reached", { webhookId: listenerId, ...describeError(error) });
    return null;
  }
}
