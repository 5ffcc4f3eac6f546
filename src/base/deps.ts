/** The dependencies of domain functions. Every entry point builds them in the same way from `env`. */
import { type Config, parseConfig, refusedSetting, SETTING_NAMES } from "./config/config";
import { ConfigError } from "./config/config-error";
import { deriveKeyRing, type KeyRing } from "./crypto/keys";
import { readRsaPem } from "./crypto/rsa-key";
import { createDb, type Db, type TripCount } from "./db/client";
import { createShards, findDatabases, type Shards } from "./db/shards";
import { createDeliveryQueues, type DeliveryQueues } from "./delivery-queues";
import { createGuesses, type Guesses } from "./limits/guesses";
import { createLimiter, type Leases, type Limiter, noLeases } from "./limits/limiter";
import { describeError, log, setLogLevel } from "./log/log";
import type { MailJob } from "./mail/job";
import type { AlarmMessage } from "./messages";
import { CONSOLE_PATH } from "./paths";
import { setRolesOfProduct } from "./schemas/roles";
import { emptySignerCache, type SignerCache } from "./signers/readings";
import { createSigners, type Signers } from "./signers/signers";

export interface Deps {
  config: Config;
  keys: KeyRing;
  /** Who signs the tokens of sessions. */
  signers: Signers;
  /** The control plane. */
  db: Db;
  /** The delivery plane. */
  shards: Shards;
  /** Counts the D1 round trips of this request or batch. */
  trips: TripCount;
  limiter: Limiter;
  guesses: Guesses;
  deliveryQueues: DeliveryQueues;
  mailQueue: Queue<MailJob>;
  /** For alarms about the service; null if it is not bound. */
  alertsQueue: Queue<AlarmMessage> | null;
  mailer: SendEmail;
  /** The files beside the code of the Worker. */
  assets: Fetcher;
  sweepers: Env["SWEEPER"];
  /**
   * The known hosts of this service, with ports: the host of the request, that of PUBLIC_URL, and that of APP_URL if it
   * is our console.
   */
  ownHosts: readonly string[];
  /** One object per limited subscription, by its id. */
  throttles: Env["SUBSCRIPTION_GATE"];
  /** One object per tenant whose feeds are polled, by its id. */
  feedPolls: Env["FEED_LEASE"];
  /** One object per listener, by its id. */
  listenSockets: Env["LISTEN_SOCKET"];
  /** One object per device that asks for a sign-in, by its user code. */
  deviceRequests: Env["DEVICE_REQUEST"];
  /** Lets `work` continue after the response. A failure is logged under the name `what`. */
  background(what: string, work: Promise<unknown>): void;
  /** When this request, batch or job began, in Unix ms. */
  startedAt: number;
  /** The current time in Unix ms. */
  now(): number;
  /** Resolves after so many ms on the clock of `now`. */
  wait(ms: number): Promise<void>;
}

interface Settings {
  config: Config;
  keys: KeyRing;
  leases: Leases;
  signerCache: SignerCache;
  /** Those of `ownHosts` that do not depend on the request. */
  configuredHosts: readonly string[];
}

/** What does not change from one invocation to the next. */
interface Known {
  env: Env;
  fingerprint: string;
  settings: Promise<Settings>;
  queues: DeliveryQueues;
  databases: ReadonlyMap<number, D1Database>;
}

/** Parsed once per isolate, and again when a setting changes. A failure is cached too. */
let cache: Known | undefined;

/** Forgets everything, so that test files can share an isolate. */
export function forgetSettings(): void {
  cache = undefined;
}

async function loadSettings(env: Env): Promise<Settings> {
  try {
    const config = parseConfig({ ...env });
    if (config.refused.length > 0) log("error", "optional settings refused", { reason: config.refused.join("; ") });
    const keys = await deriveKeyRing(config.secretKeys);
    const rsaKey = config.tokenRsaKey === undefined ? null : await readRsaPem(config.tokenRsaKey);
    if (config.tokenRsaKey !== undefined && !rsaKey) throw refusedSetting("TOKEN_RSA_KEY");
    return {
      config,
      keys,
      leases: noLeases(),
      signerCache: emptySignerCache(rsaKey),
      configuredHosts: configuredHosts(config),
    };
  } catch (error) {
    if (error instanceof ConfigError) log("error", "configuration refused", { reason: error.message });
    throw error;
  }
}

/** The runtime passes the same `env` to all invocations of an isolate. */
function knownOf(env: Env): Known {
  if (cache?.env === env) return cache;
  const variables: Partial<Record<string, unknown>> = { ...env };
  const fingerprint = JSON.stringify(SETTING_NAMES.map((name) => variables[name]));
  const settings = cache?.fingerprint === fingerprint ? cache.settings : loadSettings(env);
  cache = { env, fingerprint, settings, queues: createDeliveryQueues(env), databases: findDatabases(env) };
  return cache;
}

/**
 * Builds the dependencies of one invocation; `requestUrl` is the URL of an HTTP request. Throws ConfigError when a
 * setting is missing or malformed.
 */
export async function createDeps(
  env: Env,
  ctx: Pick<ExecutionContext, "waitUntil">,
  requestUrl?: string,
): Promise<Deps> {
  const startedAt = Date.now();
  const { settings, queues, databases } = knownOf(env);
  const { config, keys, leases, signerCache, configuredHosts: hosts } = await settings;
  setLogLevel(config.logLevel);
  setRolesOfProduct(config.roles);
  const trips = { trips: 0, sqlMs: 0, rowsWritten: 0 };
  const background: Deps["background"] = (what, work) =>
    ctx.waitUntil(
      work.catch((error: unknown) => log("error", "background work failed", { what, ...describeError(error) })),
    );
  const objects = objectsIn(config.objectJurisdiction);
  const signerDb = createDb(env.DB, { trips: 0, sqlMs: 0, rowsWritten: 0 });
  return {
    config,
    keys,
    signers: createSigners({
      db: signerDb,
      config,
      signsAll: config.oauthServer === "on",
      keys,
      cache: signerCache,
      background,
      now: Date.now,
    }),
    db: createDb(env.DB, trips),
    shards: createShards(databases, trips),
    trips,
    limiter: createLimiter({
      namespace: objects(env.RATE_LIMITER),
      rules: config.rules,
      leases,
      background,
      now: Date.now,
    }),
    guesses: createGuesses(objects(env.ACCOUNT_LOCK)),
    deliveryQueues: queues,
    mailQueue: env.MAIL_QUEUE,
    alertsQueue: (env as { ALERTS_QUEUE?: Queue<AlarmMessage> }).ALERTS_QUEUE ?? null,
    mailer: env.EMAIL,
    assets: env.ASSETS,
    sweepers: objects(env.SWEEPER),
    // Few requests need it.
    get ownHosts() {
      return requestUrl === undefined ? hosts : [...hosts, new URL(requestUrl).host];
    },
    throttles: objects(env.SUBSCRIPTION_GATE),
    feedPolls: objects(env.FEED_LEASE),
    listenSockets: objects(env.LISTEN_SOCKET),
    deviceRequests: objects(env.DEVICE_REQUEST),
    background,
    startedAt,
    now: Date.now,
    wait: (ms) => scheduler.wait(ms),
  };
}

/** Objects within a jurisdiction are others than those without one, even with the same name. */
const objectsIn =
  (jurisdiction: Config["objectJurisdiction"]) =>
  <Class extends Rpc.DurableObjectBranded | undefined>(
    namespace: DurableObjectNamespace<Class>,
  ): DurableObjectNamespace<Class> =>
    jurisdiction === "" ? namespace : namespace.jurisdiction(jurisdiction as DurableObjectJurisdiction);

/** APP_URL may belong to a separate client, whose host may receive deliveries. */
function configuredHosts({ appUrl, publicUrl }: Config): string[] {
  const app = new URL(appUrl);
  return [
    ...(app.pathname === CONSOLE_PATH ? [app.host] : []),
    ...(publicUrl === undefined ? [] : [new URL(publicUrl).host]),
  ];
}
