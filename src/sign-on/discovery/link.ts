/**
 * A mailed link that starts a sign-on. It goes to whoever has the mailbox, so that nobody else learns whether the
 * domain of an address is a customer's.
 */
import { newIdAt, timeOfId } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import { AppError } from "../../base/errors";
import { queueMail } from "../../base/mail/queue";
import type { Cookies } from "../../base/operation";
import { ACCOUNT_PATH } from "../../base/paths";
import type { ClientContext } from "../../base/schemas/client-context";
import { MINUTE_MS } from "../../base/time";
import { seal, unseal } from "../../identity/providers/sealed";
import { startSignOn } from "../flow/start";
import { domainOf } from "../people/world-store";
import type { Leaving } from "./discover";
import { takeOnce } from "./link-store";
import { listByDomain } from "./store";

const LIFETIME_MS = 15 * MINUTE_MS;

/** Queues a mail for any address. The consumer of the queue looks it up, where no caller can measure it. */
export function requestLink(deps: Deps, { email, to, isForApps }: Leaving, { device }: ClientContext): Promise<void> {
  const { kind, location, ipAddress } = device;
  const asker = { device: kind, location, ipAddress };
  return queueMail(deps, { kind: "signOnLink", id: newIdAt(deps.now()), email, to, isForApps, asker });
}

/** What a link stands for. Each of the links of one mail has its `useId`, so one of them starts a sign-on. */
interface SignOnLink extends Leaving {
  connection: string;
  useId: string;
  expiresAt: number;
}

/** The address of the page that a mail links to; null for a domain of nobody, and for a mail that is late. */
export async function linkFor(deps: Deps, mailId: string, leaving: Leaving): Promise<string | null> {
  const expiresAt = timeOfId(mailId) + LIFETIME_MS;
  if (expiresAt <= deps.now()) return null;
  // Of several, the oldest one.
  const [connection] = await listByDomain(deps, domainOf(leaving.email));
  if (!connection) return null;
  const link: SignOnLink = { ...leaving, connection: connection.id, useId: `${expiresAt}:${mailId}`, expiresAt };
  const { publicUrl, tokenIssuer } = deps.config;
  const query = new URLSearchParams({ token: await seal(deps, "sign-on link", link) });
  return `${publicUrl ?? tokenIssuer}${ACCOUNT_PATH}/sign-on?${query}`;
}

/** Starts the sign-on of a link, once. Returns the provider's page. Throws INVALID_TOKEN. */
export async function followLink(deps: Deps, token: string, clientIp: string, cookies: Cookies): Promise<string> {
  const link = await unseal<SignOnLink>(deps, "sign-on link", token);
  if (!link || !(await takeOnce(deps, link.useId))) throw new AppError("INVALID_TOKEN");
  const { connection, to, isForApps, email } = link;
  return startSignOn(deps, { connection, to, isForApps, login_hint: email }, clientIp, cookies);
}
