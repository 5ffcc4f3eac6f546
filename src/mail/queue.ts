/** Mails that only tell of something done: the doing stands, even when the queue is down. */
import type { Deps } from "../deps";
import { describeError, log } from "../log";
import type { MailJob } from "./job";

/** Queues a mail; a failure is logged and costs the mail only. */
export async function queueMail(deps: Deps, job: MailJob): Promise<void> {
  try {
    await deps.mailQueue.send(job);
  } catch (error) {
    log("error", "mail not queued", { mailKind: job.kind, ...describeError(error) });
  }
}
