declare namespace Cloudflare {
  interface Env {
    TEST_MIGRATIONS: import("cloudflare:test").D1Migration[];
    RECEIVER: Fetcher;
    PUBLISHER: Fetcher;
    SHARD_1: D1Database;
    MIGRATED: D1Database;
  }
}

/** Vite's, as far as the tests use it. */
interface ImportMeta {
  glob(pattern: string | string[], options: { query: "?raw"; import: "default"; eager: true }): Record<string, string>;
}
