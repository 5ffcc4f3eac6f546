import { fileURLToPath } from "node:url";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { makeDocs } from "./.scripts/make-docs.ts";
import { WaitingFirst } from "./test/support/sequencer.ts";
import { keepTemporaryFilesInMemory } from "./test/support/temporary-folder.ts";

keepTemporaryFilesInMemory();

/** Another Worker, which publishes over RPC; see test/support/publisher-worker.mjs. */
const publisher = "publisher";
/** Every `fetch` of the Worker under test reaches this Worker; see test/support/receiver-worker.mjs. */
const receiver = "receiver";

/** The sign-in providers, which the receiver passes requests on to. */
const providers = "providers";
/** The resolvers of tenants' domains, likewise. */
const resolvers = "resolvers";
/** Sign-in with the providers of test/support/provider-worker.mjs. */
const PROVIDERS = {
  PUBLIC_URL: "https://postern.test",
  OIDC_ISSUER: "https://id.issuer.example",
  ...Object.fromEntries(
    ["GOOGLE", "GITHUB", "MICROSOFT", "OIDC"].flatMap((name) => [
      [`${name}_CLIENT_ID`, "an-id"],
      [`${name}_CLIENT_SECRET`, "a-secret"],
    ]),
  ),
};

/** Each runtime would be sent several MB of the dependencies' source maps, which nobody reads. */
const withoutMapsOfDependencies = {
  name: "without-maps-of-dependencies",
  enforce: "post" as const,
  transform: (code: string, id: string) =>
    id.includes("/node_modules/") ? { code, map: { mappings: "" as const } } : null,
};

/** The plugin asks for this once for each worker, and does not run the `[build]` of wrangler.toml. */
let built: Promise<void> | undefined;
async function builtConfiguration() {
  built ??= makeDocs();
  await built;
  return { configPath: "./wrangler.toml" };
}

const fileOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/**
 * The schedules of test/webhooks/faults.isolated.test.ts: some that are always the same, and new ones, which are about
 * each of its 34 calls in either theme.
 */
const FRESH_SEED = 1001 + Math.floor(Math.random() * 9_000);
const FAULT_SEEDS = `1-34,${FRESH_SEED}-${FRESH_SEED + 67}`;

/**
 * The service in workerd. Each worker of vitest has one runtime, because starting one takes 3 s of CPU; what files of
 * the same worker share is in test/support/databases.ts. By the suffix of the file:
 *
 * - `.isolated.test.ts` needs a service for itself: it runs its jobs, fills or breaks its databases, or counts all
 * rows.
 * - `.jobs.test.ts` runs the jobs or turns the clock, but looks at its own tenants alone.
 * - `.test.ts` does neither.
 */
const service = {
  plugins: [
    cloudflareTest(async () => ({
      wrangler: await builtConfiguration(),
      miniflare: {
        // What goes between vitest and a runtime stays in this machine. Deflating it took a tenth of vitest's CPU time.
        compatibilityFlags: ["no_web_socket_compression"],
        bindings: {
          SECRET_KEYS: "b43da762eca10a9859f8c5faf3f80a24e2616dc4a1c8eae69957a976b72b8b7f",
          METRICS_TOKEN: "c0a4e61fdb6d8b1f2a77e1f1b9a4c6d3",
          WEBHOOK_EGRESS: "any",
          TOKEN_KEY_DELAY_SECONDS: "0",
          OAUTH_SERVER: "on",
          SIGN_ON: "on",
          DNS_RESOLVERS: "https://dns.one.example/dns-query,https://dns.two.example/dns-query",
          OAUTH_CLIENT_METADATA: "on",
          OAUTH_REGISTRATION: "on",
          ...PROVIDERS,
          OPERATORS: "operator@example.com, Second-Operator@example.com",
          RATE_LIMITS: JSON.stringify({
            register: { limit: 1000, windowSeconds: 60 },
            login: { limit: 1000, windowSeconds: 60 },
            refresh: { limit: 1000, windowSeconds: 60 },
            // Shared by all tenants, and by all clients, of a run.
            writeClients: { limit: 10_000, windowSeconds: 60 },
            unverifiedHost: { limit: 1_000_000, windowSeconds: 60 },
            unverifiedTotalBytes: { limit: 1024 ** 3, windowSeconds: 60 },
          }),
          FAULT_SEEDS: process.env.FAULT_SEEDS ?? FAULT_SEEDS,
          INTERLEAVINGS: process.env.INTERLEAVINGS ?? "30",
          MUTATIONS: process.env.MUTATIONS ?? "3000",
          RECORD_VERSION: process.env.RECORD_VERSION ?? "",
          TEST_MIGRATIONS: await readD1Migrations("migrations"),
        },
        // A second delivery database, two that only the tests of migrations and upgrades use, and a subscriber's own.
        d1Databases: { SHARD_1: "shard-1", MIGRATED: "migrated", UPGRADED: "upgraded", RECEIVER_DB: "receiver" },
        serviceBindings: { RECEIVER: receiver, PUBLISHER: publisher },
        outboundService: receiver,
        workers: [
          {
            name: publisher,
            modules: true,
            scriptPath: "test/support/publisher-worker.mjs",
            compatibilityDate: "2026-11-01",
            serviceBindings: { POSTERN: { name: "vitest-plugin-runner-service", entrypoint: "EventPublisher" } },
          },
          {
            name: receiver,
            modules: true,
            scriptPath: "test/support/receiver-worker.mjs",
            compatibilityDate: "2026-11-01",
            durableObjects: { INBOX: { className: "Inbox", useSQLite: true } },
            serviceBindings: { PROVIDERS: providers, RESOLVERS: resolvers },
          },
          {
            name: resolvers,
            modules: true,
            scriptPath: "test/support/resolver-worker.mjs",
            compatibilityDate: "2026-11-01",
          },
          {
            name: providers,
            modules: true,
            scriptPath: "test/support/provider-worker.mjs",
            compatibilityDate: "2026-11-01",
          },
        ],
      },
    })),
    withoutMapsOfDependencies,
  ],
  resolve: {
    tsconfigPaths: true,
    alias: [
      { find: "argon2id-of-the-package", replacement: fileURLToPath(import.meta.resolve("argon2id/lib/argon2id.js")) },
      { find: "argon2id/lib/argon2id.js", replacement: fileOf("test/support/remembered-argon2id.ts") },
    ],
  },
  test: {
    name: "service",
    include: ["test/**/*.test.ts"],
    exclude: ["test/**/*.{node,browser}.test.ts"],
    isolate: false,
    setupFiles: ["test/setup.ts"],
    // Many times what they take alone: four runtimes share the cores of a small machine.
    testTimeout: 90_000,
    hookTimeout: 90_000,
  },
};

/** Lets the many programs that these tests start, wrangler above all, share what V8 has compiled. */
const compiled = { NODE_COMPILE_CACHE: new URL("node_modules/.cache/node-compile", import.meta.url).pathname };

/** What both kinds of tests that start the service begin with. */
const BUNDLE_FIRST = "test/support/bundle-first.ts";

/** Its pages in a real Chromium, from Node; see test/browser/stage.ts. */
const browser = {
  test: {
    name: "browser",
    include: ["test/**/*.browser.test.ts"],
    globalSetup: BUNDLE_FIRST,
    env: { ...compiled, CLOUDFLARE_CF_FETCH_ENABLED: "false", WRANGLER_SEND_METRICS: "false" },
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // With five pages at once, as by default, each loads so slowly on a busy machine that it runs out of time.
    maxConcurrency: 3,
  },
};

/** What needs other programs, from Node: the package as npm packs it, verifiers in other languages. */
const node = {
  test: {
    name: "node",
    include: ["test/**/*.node.test.ts"],
    globalSetup: BUNDLE_FIRST,
    // A process for each file would load wrangler, the bundler and vitest itself anew.
    isolate: false,
    env: compiled,
    // A slow machine takes two minutes for a deployment by wrangler.
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
};

/** More than a small machine's two cores: the first tests wait, for retries and timeouts. Six take a sixth longer. */
const MAX_WORKERS = 4;

export default defineConfig({
  test: {
    projects: [service, browser, node],
    maxWorkers: MAX_WORKERS,
    sequence: { sequencer: WaitingFirst },
    silent: "passed-only",
  },
});
