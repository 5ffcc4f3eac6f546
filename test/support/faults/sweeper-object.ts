/**
 * The Sweeper of one schedule: the real class, with storage and an alarm on the schedule's clock, and with faults in
 * its calls.
 */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { Sweeper } from "../../../src/sweeper";
import type { Faults } from "./faults";
import { invocationNow } from "./invocation";
import type { VirtualClock } from "./virtual-clock";

/** The class requires a real state, which nothing uses. */
const objectState = runInDurableObject(env.SWEEPER.get(env.SWEEPER.idFromName("")), (_, state) => state);

/** Runs `work` as an invocation of its own. */
export type Invoke = (name: string, work: () => Promise<unknown>) => Promise<unknown>;

/** The platform repeats an alarm that has thrown. */
const ALARM_AGAIN_MS = 2_000;

/**
 * The namespace through which the cron starts sweepers. `faultyEnv` is the object's own environment; its alarms are
 * late by `lateMs`.
 */
export async function sweeperNamespace(
  clock: VirtualClock,
  faults: Faults,
  faultyEnv: Env,
  lateMs: () => number,
  invoke: Invoke,
): Promise<DurableObjectNamespace<Sweeper>> {
  const sweeper = new Sweeper(await objectState, faultyEnv);
  const stored = new Map<string, unknown>();
  let alarmMs: number | null = null;
  const setAlarm = (timeMs: number) => {
    alarmMs = timeMs;
    clock.after(timeMs - clock.nowMs + lateMs(), () => ring(timeMs));
  };
  const ring = (setTo: number) => {
    if (alarmMs !== setTo) return;
    alarmMs = null;
    invoke("sweep", () => sweeper.alarm()).catch(() => setAlarm(clock.nowMs + ALARM_AGAIN_MS));
  };
  const call = <T>(name: string, effect: () => T) => faults.call(`Sweeper ${name}`, async () => effect(), ERRORS);
  const storage = {
    get: (key: string) => call("get", () => stored.get(key)),
    put: (key: string, value: unknown) => call("put", () => stored.set(key, value)),
    delete: (key: string) => call("delete", () => stored.delete(key)),
    getAlarm: () => call("getAlarm", () => alarmMs),
    setAlarm: (timeMs: number) => call("setAlarm", () => setAlarm(timeMs)),
  };
  const waitUntil = (work: Promise<unknown>) => invocationNow()?.work.push(work);
  Object.defineProperty(sweeper, "ctx", { value: { storage, waitUntil } });
  const stub = { start: (shard: number) => call("start", () => sweeper.start(shard)) };
  return { idFromName: () => ({}), get: () => stub } as unknown as DurableObjectNamespace<Sweeper>;
}

const ERRORS = ["Durable Object storage operation exceeded timeout which caused object to be reset."] as const;
