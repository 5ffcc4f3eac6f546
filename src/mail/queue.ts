/** Mails about something that has been done already: that stands even if the queue is down. */
import type { Deps } from "../deps";
import { describeError, log } from "../log";
import type { MailJob } from "./job";

/** Queues a mail. A failure is logged and loses only the mail. */
export async function queueMail(deps: Deps, job: MailJob): Promise<void> {
  try {
    await deps.mailQueue.send(job);
  } catch (error) {
    log("error", "mail not queued", { mailKind: job.kind, ...describeError(error) });
  }
}
