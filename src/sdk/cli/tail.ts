/** `postern tail`: prints attempts of deliveries as they end, until it is interrupted. */
import { setTimeout as wait } from "node:timers/promises";
import type { Attempt, Client } from "../client";
import type { Command } from "./command";
import { receiveExactly, stringifyExactly } from "./exact";
import { usage } from "./failure";
import { tell } from "./output";

const POLL_MS = 2_000;
/** How far back each poll looks for attempts that were still in progress in the one before. */
const LOOK_BACK_MS = 60_000;
const STATUSES = ["success", "failed"] as const;

export const tail: Command = {
  summary: "Print deliveries as they are attempted",
  options: {
    webhook: { value: "ID", help: "only of this subscription; of all of them unless given" },
    status: { value: "STATUS", help: "only success or failed" },
  },
  run: async ({ args, options: { webhook, status }, json, client }) => {
    if (args.length > 0) throw usage("postern tail takes no arguments.");
    const wanted = STATUSES.find((one) => one === status);
    if (status !== undefined && !wanted) throw usage("--status is success or failed.");
    const api = client(receiveExactly);
    tell("Waiting for deliveries. Press Ctrl-C to stop.");
    for (let seen: Set<string> | undefined; ; ) {
      const attempts = await recentAttempts(api, webhook);
      const fresh = seen ? attempts.filter(({ _id }) => !seen?.has(_id)) : [];
      for (const attempt of fresh) {
        if (!wanted || attempt.status === wanted) process.stdout.write(`${lineOf(attempt, json)}\n`);
      }
      seen = new Set(attempts.map(({ _id }) => _id));
      await wait(POLL_MS);
    }
  },
};

/** The attempts of the last minute that have ended, oldest first. */
async function recentAttempts(client: Client, webhook: string | undefined): Promise<Attempt[]> {
  const ids = webhook ? [webhook] : (await client.webhooks.list()).map(({ _id }) => _id);
  const since = new Date(Date.now() - LOOK_BACK_MS).toISOString();
  const found: Attempt[] = [];
  for (const id of ids) {
    for await (const attempt of client.webhooks.logPage(id, { limit: 100, since })) {
      if (attempt.status !== "pending") found.push(attempt);
    }
  }
  return found.sort((a, b) => (a.attemptedAt < b.attemptedAt ? -1 : 1));
}

function lineOf(attempt: Attempt, json: boolean): string {
  if (json) return stringifyExactly(attempt);
  const { attemptedAt, eventType, status, responseCode, error, attemptCount, webhookId } = attempt;
  const outcome = status === "success" ? `${responseCode}` : (error ?? "failed");
  return `${attemptedAt}  ${status.padEnd(7)}  ${eventType}  ${outcome}  attempt ${attemptCount} to ${webhookId}`;
}
