/** Asking for a code by mail. */
import { newIdAt } from "../../platform/db/ids";
import type { Deps } from "../../platform/deps";
import { queueMail } from "../../platform/mail/queue";
import { sealState } from "./state";

/**
 * Queues a mail with a code, at most a few per address, and returns the state that the code needs. Does the same
 * whether or not the account exists: only the consumer of the queue looks it up, where no caller can measure how long
 * it takes.
 */
export async function requestCode(deps: Deps, email: string): Promise<string> {
  const verdict = await deps.limiter.consume("codeMail", email);
  const isMailed = verdict?.allowed !== false;
  const mailId = newIdAt(deps.now());
  if (isMailed) await queueMail(deps, { kind: "mailCode", id: mailId, email });
  return sealState(deps, { mailId, email, isMailed });
}
