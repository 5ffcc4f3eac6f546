/**
 * Removes what has ended: sessions, mailed tokens, invitations, API keys, portal links, and devices that were not seen
 * again.
 */

import { log } from "../base/log/log";
import type { PagedMaintenance } from "../base/maintenance";
import { ACCEPTED_MS } from "../base/signers/choose";
import { DAY_MS, HOUR_MS } from "../base/time";
import { deleteEnded } from "./expire-store";
import { KNOWN_DEVICE_MS } from "./sessions/known-devices-store";
import { REVOCABLE_SECONDS } from "./tokens/revocations-store";

/** An expired token is reported as expired for this long, and as unknown afterwards. */
const KEEP_ENDED_MS = 30 * DAY_MS;
/** A state is refused once it has expired; clocks may differ. */
const KEEP_USED_STATES_MS = HOUR_MS;
const KEEP_PORTAL_LINKS_MS = 7 * DAY_MS;
/** Longer than any grant that could be made without another sign-in. */
const KEEP_UNUSED_CONSENTS_MS = 400 * DAY_MS;
const PAGE_ROWS = 500;

/** Deletes ended rows page by page. */
export const deleteExpired: PagedMaintenance = async (deps, _shard, _cursor, isOver) => {
  const endedBefore = deps.now() - KEEP_ENDED_MS;
  const oldest = {
    linkEndedAt: deps.now(),
    endedAt: endedBefore,
    // Keys are kept as long as their audit events, which the purge of the owner finds through them.
    keyEndedAt: Math.min(endedBefore, deps.now() - deps.config.auditRetentionDays * DAY_MS),
    deviceSeenAt: deps.now() - KNOWN_DEVICE_MS,
    consentUsedAt: deps.now() - KEEP_UNUSED_CONSENTS_MS,
    stateExpiredAt: deps.now() - KEEP_USED_STATES_MS,
    portalEndedAt: deps.now() - KEEP_PORTAL_LINKS_MS,
    revokedAt: deps.now() - REVOCABLE_SECONDS * 1000,
    signerRetiredAt: deps.now() - ACCEPTED_MS,
  };
  let removed = 0;
  let isDone = false;
  while (!isDone && !isOver()) {
    const deleted = await deleteEnded(deps, oldest, PAGE_ROWS);
    removed += deleted;
    isDone = deleted < PAGE_ROWS;
  }
  if (removed > 0) log("info", "expired rows removed", { count: removed });
  return isDone ? null : "";
};
