/** Every minute: looks for what is wrong with the service, and reports it once when it begins and once when it ends. */

import { CLOSED_AT, MAX_SHARD_BYTES } from "../../base/db/shard-sizes-store";
import type { Deps } from "../../base/deps";
import { describeError, log } from "../../base/log/log";
import { queueMail } from "../../base/mail/queue";
import { isRole } from "../../base/schemas/roles";
import { HOUR_MS, iso, lastFullHour, MINUTE_MS } from "../../base/time";
import { formerService } from "../../identity/legacy-login/sign-in";
import { readControlPlane } from "../metrics/store";
import { readMissingKeys } from "../reencryption/store";
import { describeFinding, findingOf } from "./findings";
import { type Alarm, claimAlarms, type OldestDue, readAlarms, readOldestDue, settleAlarm } from "./store";

const LATE_AFTER_MS = 5 * MINUTE_MS;
/** A subscriber that is slow may be late by more. */
const SLOW_LANE_LATE_AFTER_MS = HOUR_MS;
/**
 * An alarm about late deliveries ends well below the limit, so that a delay that wavers around the limit is reported
 * once.
 */
const IN_TIME_WITHIN_MS = MINUTE_MS;
const FAILS_AFTER_MS = 10 * MINUTE_MS;
const FAILS_AFTER_TRIES = 3;

/**
 * Looks, and reports what has changed. Writes nothing while nothing is wrong. Throws when the control plane is down.
 */
export async function tellAlarms(deps: Deps): Promise<void> {
  const nowMs = deps.now();
  const { alarms, present, unknown } = await look(deps, nowMs);
  const open = new Map(alarms.map((alarm) => [alarm.finding, alarm]));
  const begun = [...present].filter(([finding]) => !open.has(finding)).map(([finding, since]) => ({ finding, since }));
  const ended = alarms
    .filter(({ finding, endedAt }) => endedAt === null && !present.has(finding) && !unknown.has(finding))
    .map(({ finding }) => finding);
  const isOwed = alarms.some(({ isTold, endedAt }) => isTold === 0 || endedAt !== null);
  if (begun.length === 0 && ended.length === 0 && !isOwed) return;
  for (const alarm of await claimAlarms(deps, { begun, ended }, nowMs)) await tell(deps, alarm);
}

/**
 * Returns the stored alarms; what is wrong now, and since when (Unix ms); and what cannot be known because a database
 * is down.
 */
async function look(
  deps: Deps,
  nowMs: number,
): Promise<{ alarms: Alarm[]; present: Map<string, number>; unknown: Set<string> }> {
  const [{ alarms, mail, legacyLogin, roles }, missing, { shards, dead }, dues] = await Promise.all([
    readAlarms(deps),
    readMissingKeys(deps),
    readControlPlane(deps, lastFullHour(nowMs)),
    Promise.all(deps.shards.numbers.map(async (shard) => ({ shard, due: await dueOf(deps, shard, nowMs) }))),
  ]);
  const isOpen = (finding: string) => alarms.some((one) => one.finding === finding && one.endedAt === null);
  const present = new Map<string, number>();
  const unknown = new Set<string>();
  for (const { queue, messages } of dead) if (messages > 0) present.set(findingOf("deadLetters", queue), nowMs);
  for (const { shard, due } of dues) {
    const [main, lanes] = [findingOf("deliveriesLate", shard), findingOf("lanesLate", shard)];
    if (due === "unknown") {
      unknown.add(main).add(lanes);
      continue;
    }
    const isLate = (finding: string, dueAt: number | null, afterMs: number): dueAt is number =>
      dueAt !== null && nowMs - dueAt > (isOpen(finding) ? IN_TIME_WITHIN_MS : afterMs);
    if (isLate(main, due.main, LATE_AFTER_MS)) present.set(main, due.main);
    if (isLate(lanes, due.slowLanes, SLOW_LANE_LATE_AFTER_MS)) present.set(lanes, due.slowLanes);
    if (isLate(lanes, due.quickLanes, LATE_AFTER_MS)) present.set(lanes, due.quickLanes);
  }
  for (const { shard, bytes } of shards) {
    const isFull = deps.shards.numbers.includes(shard) && bytes > CLOSED_AT * MAX_SHARD_BYTES;
    if (isFull) present.set(findingOf("databaseFull", shard), nowMs);
  }
  if (hasFailed(mail, nowMs)) present.set(findingOf("mailFailing"), mail.since);
  if (formerService(deps) && hasFailed(legacyLogin, nowMs)) {
    present.set(findingOf("legacyLoginFailing"), legacyLogin.since);
  }
  const isPresent = (keyId: string) => deps.keys.some(({ id }) => id === keyId);
  for (const keyId of missing) if (!isPresent(keyId)) present.set(findingOf("keyMissing", keyId), nowMs);
  for (const role of roles) if (!isRole(role)) present.set(findingOf("roleMissing", role), nowMs);
  for (const problem of deps.config.refused) present.set(findingOf("settingRefused", problem.split(" ", 1)[0]), nowMs);
  return { alarms, present, unknown };
}

/** What fails: since when (Unix ms), and how often it was tried. */
interface Failing {
  since: number;
  tries: number;
}

const hasFailed = (failing: Failing | null, nowMs: number): failing is Failing =>
  failing !== null && failing.tries >= FAILS_AFTER_TRIES && nowMs - failing.since >= FAILS_AFTER_MS;

async function dueOf({ shards }: Deps, shard: number, nowMs: number): Promise<OldestDue | "unknown"> {
  try {
    return await readOldestDue(shards.db(shard), nowMs);
  } catch (error) {
    log("error", "delivery database not read", { shard, ...describeError(error) });
    return "unknown";
  }
}

/** Reports one change. If that fails, the next run tries again with the same id, so nobody is told twice. */
async function tell(deps: Deps, alarm: Alarm): Promise<void> {
  const { finding, since, endedAt } = alarm;
  const state = alarm.isTold === 1 ? "ended" : "began";
  // The sweep removes mail ids by the time at their start.
  const id = `${(state === "ended" && endedAt) || alarm.notedAt}:${finding}:${state}`;
  const times = { since, endedAt: state === "ended" ? endedAt : null };
  let wasSent = true;
  try {
    if (deps.config.alertMail !== null) await queueMail(deps, { kind: "alarm", id, finding, ...times });
    const { title, what, advice } = describeFinding(finding);
    const told = { since: iso(since), endedAt: iso(times.endedAt) };
    await deps.alertsQueue?.send({ id, state, finding, title, what, advice, ...told });
    if (state === "began") log("error", "alarm began", { finding });
    else log("info", "alarm ended", { finding });
  } catch (error) {
    wasSent = false;
    log("error", "alarm not sent", { finding, ...describeError(error) });
  }
  await settleAlarm(deps, alarm, wasSent);
}
