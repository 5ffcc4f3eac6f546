/** A poll that is open: one of a consumer at a time, and woken by the events that its tenant publishes. */
import type { Deps } from "../../base/deps";
import { AppError, unavailable } from "../../base/errors";
import { withRetry } from "../../base/limits/limiter";
import type { FeedRef } from "./page-store";

/** Names the consumer that a poll is of; without it, the poll only waits. */
export const CONSUMER_HEADER = "Postern-Consumer";

export interface OpenPoll {
  /** Waits until events are published, but not longer than so many ms. Returns whether that is why it ended. */
  isWokenWithin(ms: number): Promise<boolean>;
  /** Whether events still wake it: its object may have been restarted, for example by a deployment. */
  isOpen(): boolean;
}

/** Opens a poll, of a consumer unless that is null, and ends it after the work. Throws CONFLICT for a second one. */
export async function duringPoll<T>(
  deps: Deps,
  { tenant, feedId }: FeedRef,
  consumer: string | null,
  work: (poll: OpenPoll) => Promise<T>,
): Promise<T> {
  const headers = {
    Upgrade: "websocket",
    ...(consumer === null ? {} : { [CONSUMER_HEADER]: `${feedId} ${consumer}` }),
  };
  const answer = await withRetry(() => deps.feedPolls.getByName(tenant.tenantId).fetch("https://feed/", { headers }));
  if (answer.status === 409) {
    throw new AppError("CONFLICT", {
      message: "This consumer is being polled. Poll it once at a time.",
      retryAfterSeconds: Number(answer.headers.get("Retry-After")),
    });
  }
  const socket = answer.webSocket;
  if (!socket) throw unavailable({ cause: new Error(`a poll was answered with ${answer.status}`) });
  try {
    return await work(listenTo(socket));
  } finally {
    socket.close();
  }
}

/** What comes before the first wait wakes too. */
function listenTo(socket: WebSocket): OpenPoll {
  let isWoken = false;
  let isOpen = true;
  let tell = () => {};
  socket.addEventListener("message", () => {
    isWoken = true;
    tell();
  });
  for (const end of ["close", "error"] as const) {
    socket.addEventListener(end, () => {
      isOpen = false;
      tell();
    });
  }
  socket.accept();
  return {
    async isWokenWithin(ms) {
      const timer = new AbortController();
      const told = new Promise<void>((resolve) => {
        tell = resolve;
      });
      if (!isWoken && isOpen) {
        await Promise.race([told, scheduler.wait(ms, { signal: timer.signal }).catch(() => undefined)]);
        timer.abort();
      }
      const was = isWoken;
      isWoken = false;
      return was;
    },
    isOpen: () => isOpen,
  };
}
