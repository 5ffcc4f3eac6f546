/** Asking for a code by mail. */
import { newIdAt } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import { queueMail } from "../../base/mail/queue";
import type { ClientContext } from "../../base/schemas/client-context";
import { sealState } from "./state";

/**
 * Queues a mail with a code, at most a few per address, and returns the state that the code needs. Does the same
 * whether or not the account exists: only the consumer of the queue looks it up, where no caller can measure how long
 * it takes.
 */
export const requestCode = (deps: Deps, email: string, client: ClientContext): Promise<string> =>
  request(deps, email, client, false);

/** As `requestCode`, for an address that needs no account: the code proves that the mailbox is the caller's. */
export const requestProof = (deps: Deps, email: string, client: ClientContext): Promise<string> =>
  request(deps, email, client, true);

async function request(deps: Deps, email: string, { device }: ClientContext, proves: boolean): Promise<string> {
  const verdict = await deps.limiter.consume("codeMail", email);
  const isMailed = verdict?.allowed !== false;
  const mailId = newIdAt(deps.now());
  const { kind, location, ipAddress } = device;
  const asker = { device: kind, location, ipAddress };
  if (isMailed) await queueMail(deps, { kind: "mailCode", id: mailId, email, asker, proves });
  return sealState(deps, { mailId, email, isMailed });
}
