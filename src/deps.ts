/** What every domain function works with; each door builds it the same way from `env`. */
import { type Config, ConfigError, parseConfig } from "./config";
import { deriveKeyRing, type KeyRing } from "./crypto/keys";
import { createDb, type Db, type TripCount } from "./db/client";
import type { DeliveryJob, FanOutJob } from "./delivery/job";
import { describeError, log } from "./log";
import type { MailJob } from "./mail/job";
import { createLimiter, type Limiter } from "./ratelimit/limiter";

export interface Deps {
  config: Config;
  keys: KeyRing;
  db: Db;
  /** D1 round trips of this request or batch so far. */
  trips: TripCount;
  limiter: Limiter;
  deliveryQueue: Queue<DeliveryJob | FanOutJob>;
  slowDeliveryQueue: Queue<DeliveryJob>;
  mailQueue: Queue<MailJob>;
  mailer: SendEmail;
  /** Runs on after the answer; a failure is logged under `what`. */
  background(what: string, work: Promise<unknown>): void;
  /** Unix ms. */
  now(): number;
}

interface Settings {
  config: Config;
  keys: KeyRing;
}

/** Parsed once per isolate and settings, a failure included. */
let cache: { fingerprint: string; settings: Promise<Settings> } | undefined;

async function loadSettings(env: Env): Promise<Settings> {
  try {
    const config = parseConfig({ ...env });
    return { config, keys: await deriveKeyRing(config.secretKeys) };
  } catch (error) {
    if (error instanceof ConfigError) log("error", "configuration refused", { reason: error.message });
    throw error;
  }
}

/** Builds the dependencies of one invocation. Throws `ConfigError` when a setting is missing or malformed. */
export async function createDeps(env: Env, ctx: Pick<ExecutionContext, "waitUntil">): Promise<Deps> {
  const fingerprint = JSON.stringify([
    env.SECRET_KEYS,
    env.APP_URL,
    env.RATE_LIMITS,
    env.WEBHOOK_EGRESS,
    env.MAIL_FROM,
    env.RETENTION_DAYS,
  ]);
  if (cache?.fingerprint !== fingerprint) cache = { fingerprint, settings: loadSettings(env) };
  const { config, keys } = await cache.settings;
  const trips = { trips: 0 };
  return {
    config,
    keys,
    db: createDb(env.DB, trips),
    trips,
    limiter: createLimiter(env.RATE_LIMITER, config.rules),
    deliveryQueue: env.DELIVERY_QUEUE,
    slowDeliveryQueue: env.SLOW_DELIVERY_QUEUE,
    mailQueue: env.MAIL_QUEUE,
    mailer: env.EMAIL,
    background: (what, work) =>
      ctx.waitUntil(
        work.catch((error: unknown) => log("error", "background work failed", { what, ...describeError(error) })),
      ),
    now: Date.now,
  };
}
