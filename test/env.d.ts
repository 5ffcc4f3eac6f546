declare namespace Cloudflare {
  interface Env {
    /** Of the schedules in faults.isolated.test.ts: the first and the last, as in "1-1000". */
    FAULT_SEEDS: string;
    /** How many oauth/interleavings.test.ts tries. */
    INTERLEAVINGS: string;
    /** How many sign-on/saml-fuzz.test.ts tries. */
    MUTATIONS: string;
    /** "1": test/base/upgrade.test.ts records this version. */
    RECORD_VERSION: string;
    METRICS_TOKEN: string;
    TEST_MIGRATIONS: import("cloudflare:test").D1Migration[];
    RECEIVER: Fetcher;
    PUBLISHER: Fetcher;
    SHARD_1: D1Database;
    MIGRATED: D1Database;
    RECEIVER_DB: D1Database;
    UPGRADED: D1Database;
  }
}

/** Vite's, as far as the tests use it. */
interface ImportMeta {
  glob(
    pattern: string | string[],
    options: { query: "?raw" | "?url"; import: "default"; eager: true },
  ): Record<string, string>;
  /** The modules with what they export. */
  glob(pattern: string, options: { eager: true }): Record<string, object>;
  /** For the names of files: nothing is loaded. */
  glob(pattern: string): Record<string, () => Promise<unknown>>;
}

/** As far as the tests use it; the runtime has it without the types of Node. */
declare module "node:async_hooks" {
  export class AsyncLocalStorage<T> {
    run<R>(store: T, work: () => R): R;
    getStore(): T | undefined;
  }
}

/** The package's own function, beside test/support/remembered-argon2id.ts; see vitest.config.ts. */
declare module "argon2id-of-the-package" {
  export { default } from "argon2id/lib/argon2id.js";
}

/** The plugin's own module, as far as test/support/loaded-worker.ts uses it. */
declare module "cloudflare:test-internal" {
  export function maybeHandleRunRequest(request: { cf: object }): Promise<Response | undefined>;
}
