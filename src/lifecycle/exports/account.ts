/** The export of an account: everything that the service keeps about its user, in all tenants, without secrets. */

import type { Deps } from "../../base/deps";
import { queueMailIfPossible } from "../../base/mail/queue";
import type { SessionPrincipal } from "../../base/schemas/principal";
import { iso } from "../../base/time";
import { listPasskeysOfUser } from "../../identity/passkeys/store";
import { passkeyView } from "../../identity/passkeys/webauthn/view";
import { listIdentitiesOfUser } from "../../identity/providers/store";
import { listSessionsOfUser } from "../../identity/sessions/store";
import { sessionView } from "../../identity/sessions/view";
import { identityView } from "../../identity/sign-in/providers/view";
import { activityOf } from "../../tenancy/audit/log";
import { readAccount } from "./account-store";
import { recordView } from "./directory";
import { keyView } from "./key-view";
import type { AccountExport } from "./schemas";

/** More than a year of anybody's own activity. */
const MOST_EVENTS = 10_000;

/** Returns the caller's export, records that it was made, and tells the caller by mail. */
export async function exportAccount(deps: Deps, caller: SessionPrincipal): Promise<AccountExport> {
  const { userId, sessionId, account } = caller;
  const nowMs = deps.now();
  const [{ externalId, keys, memberships, apps, signOns, directory }, sessions, passkeys, identities, activity] =
    await Promise.all([
      readAccount(deps, caller, nowMs),
      listSessionsOfUser(deps, caller, nowMs),
      listPasskeysOfUser(deps, userId),
      listIdentitiesOfUser(deps, userId),
      activityOf(deps, caller, MOST_EVENTS),
    ]);
  await queueMailIfPossible(deps, { kind: "accountExported", userId });
  return {
    exportedAt: iso(nowMs),
    profile: {
      id: userId,
      externalId,
      email: account.email,
      name: account.name,
      emailVerified: account.emailVerifiedAt !== null,
      twoFactorEnabled: account.totpEnabledAt !== null,
      createdAt: iso(account.createdAt),
    },
    memberships: memberships.map(({ alerts, createdAt, ...membership }) => ({
      ...membership,
      alerts: alerts === 1,
      joinedAt: iso(createdAt),
    })),
    sessions: sessions.map((row) => sessionView(row, sessionId)),
    passkeys: passkeys.map(passkeyView),
    identities: identities.map(identityView),
    signOns: signOns.map((one) => ({ ...one, createdAt: iso(one.createdAt), lastUsedAt: iso(one.lastUsedAt) })),
    directory: directory.map(recordView),
    apiKeys: keys.map(keyView),
    apps: apps.map(({ createdAt, ...app }) => ({ ...app, connectedAt: iso(createdAt) })),
    activity,
  };
}
