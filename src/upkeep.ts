/** The jobs of the upkeep objects. Each works on one delivery database at a time. */

import { noteFirstKey } from "./base/db/first-keys-store";
import { noteShardSizes } from "./base/db/shard-sizes";
import type { Deps } from "./base/deps";
import type { PagedMaintenance } from "./base/maintenance";
import { whenDue } from "./directory/due/when-due";
import { endDirectories } from "./directory/ending/end";
import { continueRoles } from "./directory/groups/jobs";
import { tellOfDirectories } from "./directory/notices/daily";
import { judgeHeldAgain } from "./directory/users/judge-again";
import { deleteExpired } from "./identity/expire";
import { removeAbandoned } from "./lifecycle/deletion/abandoned";
import { removeLeftAccounts } from "./lifecycle/deletion/left-accounts";
import { removeLeftPeople } from "./lifecycle/deletion/left-people";
import { continuePurges } from "./lifecycle/deletion/purge";
import { removeEndedGrants } from "./oauth/clients/endings";
import { removeUnlistedApps } from "./oauth/clients/unlisted/forget";
import { clearImports } from "./service/imports/clear";
import { continueImports } from "./service/imports/run";
import { countTotals } from "./service/metrics/totals";
import { continueMoves } from "./service/moves/continue";
import { reencrypt, reencryptAfterChange } from "./service/reencryption/reencrypt";
import type { Job, Jobs, Period } from "./service/upkeep/run-jobs";
import { countUsage } from "./service/usage/count";
import { checkDomains } from "./sign-on/domains/daily";
import { beginSignOn } from "./sign-on/policy/begin";
import { renewConnections } from "./sign-on/renewal/renew";
import { removeOldAudit } from "./tenancy/audit/retention";
import { reviewFailing } from "./webhooks/auto-disable/review";
import { releaseHeld } from "./webhooks/delivery/lanes/release";
import { completeCopies } from "./webhooks/event-types/platform-store";
import { endIdleListeners } from "./webhooks/listen/idle";
import { ATTEMPTS_REMOVED_EVERY_HOURS } from "./webhooks/plane/timing";
import { continuePlatformFeed } from "./webhooks/platform-events/feed";
import {
  removeEmptySubscriptions,
  removeOldAttempts,
  removeOldEntries,
  removeOldEvents,
  removeOldHours,
  removeOldKeys,
  removeOldNumbers,
  removeOldRetries,
} from "./webhooks/retention/remove";
import { endExpiredKeys } from "./webhooks/signing/expiry";
import { countStoredBytes } from "./webhooks/stats/stored-bytes";
import { publishAudit } from "./webhooks/subscriptions/audit-feed";

/** A job without a cursor. It is called with one database only. */
const whole =
  (work: (deps: Deps) => Promise<void>): PagedMaintenance =>
  async (deps, shard) => {
    await work({ ...deps, shards: { ...deps.shards, numbers: [shard] } });
    return null;
  };

const jobsOf = (every: Period, runs: Record<string, PagedMaintenance>, more: Partial<Job> = {}): Jobs =>
  Object.fromEntries(Object.entries(runs).map(([name, run]) => [name, { every, run, ...more }]));

export const JOBS: Jobs = {
  ...jobsOf("minute", {
    reviewFailing,
    releaseHeld,
    publishAudit,
    continuePurges,
    // Under its former name, by which its progress is stored.
    rekeyAfterChange: reencryptAfterChange,
  }),
  ...jobsOf("minute", { noteFirstKey: whole(noteFirstKey), continuePlatformFeed }, { isForControlPlane: true }),
  ...jobsOf("minute", { continueMoves, continueImports, beginSignOn }, { isForControlPlane: true }),
  ...jobsOf(
    "minute",
    {
      completeCopies,
      continueRoles: whenDue("jobs", continueRoles),
      judgeHeldAgain: whenDue("held", judgeHeldAgain),
      endDirectories: whenDue("jobs", endDirectories),
    },
    { isForControlPlane: true },
  ),
  ...jobsOf("hour", {
    noteShardSizes: whole(noteShardSizes),
    endExpiredKeys: whole(endExpiredKeys),
    endIdleListeners,
    countTotals,
    countStoredBytes,
    removeOldEntries,
    removeOldEvents,
    // Likewise.
    rekey: reencrypt,
  }),
  // It writes a row for each tenant that has published.
  ...jobsOf("hour", { countUsage }, { everyHours: 6 }),
  // They look at every subscription or tenant. The period of a log has days.
  ...jobsOf("hour", { removeOldAttempts }, { everyHours: ATTEMPTS_REMOVED_EVERY_HOURS }),
  ...jobsOf("hour", { removeEmptySubscriptions }),
  ...jobsOf("hour", { removeOldHours, removeOldAudit }, { everyHours: 24 }),
  // They go through a whole table. A key counts for 24 hours, however long its row stays.
  ...jobsOf("hour", { removeOldKeys }, { everyHours: 6 }),
  ...jobsOf("hour", { removeOldNumbers, removeOldRetries }, { everyHours: 24 }),
  ...jobsOf("hour", { checkDomains }, { everyHours: 24, isForControlPlane: true }),
  // It asks each provider.
  ...jobsOf("hour", { renewConnections }, { everyHours: 24, isForControlPlane: true }),
  // It goes through everybody whom a connection knows.
  ...jobsOf("hour", { removeLeftAccounts }, { everyHours: 24, isForControlPlane: true }),
  ...jobsOf("hour", { removeLeftPeople, tellOfDirectories }, { everyHours: 24, isForControlPlane: true }),
  ...jobsOf("hour", { deleteExpired, removeAbandoned, clearImports, removeEndedGrants }, { isForControlPlane: true }),
  ...jobsOf("hour", { removeUnlistedApps }, { everyHours: 24, isForControlPlane: true }),
};
