/** Putting mails into the queue. Only its consumer asks the email provider. */
import { newId } from "../db/ids";
import { unavailable } from "../errors";
import { describeError, log } from "../log/log";
import type { MailJob } from "./job";

/** A job without an id gets one here. Some mails need their id earlier, to derive a token from it. */
type NewMail = MailJob extends infer Job ? (Job extends MailJob ? Omit<Job, "id"> & { id?: string } : never) : never;

interface MailQueue {
  mailQueue: Queue<MailJob>;
}

const withId = (mail: NewMail): MailJob => ({ ...mail, id: mail.id ?? newId() });

/** Queues a mail. Throws SERVICE_UNAVAILABLE when the queue is down. */
export async function queueMail(deps: MailQueue, mail: NewMail): Promise<void> {
  try {
    await deps.mailQueue.send(withId(mail));
  } catch (error) {
    log("error", "mail not queued", { mailKind: mail.kind, ...describeError(error) });
    throw unavailable({ cause: error });
  }
}

/** Queues a mail about a change that has been made and stands even if the queue is down. Never throws. */
export async function queueMailIfPossible(deps: MailQueue, mail: NewMail): Promise<void> {
  try {
    await queueMail(deps, mail);
  } catch {
    // `queueMail` has logged it.
  }
}
