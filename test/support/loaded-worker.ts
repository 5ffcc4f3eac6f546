/**
 * The Worker's module. The plugin looks for it at every request and at every call of a Durable Object: it calls the
 * object that runs the tests, which imports the module through Vitest. With that, a short call takes three times as
 * long as without.
 */
import { maybeHandleRunRequest } from "cloudflare:test-internal";
import { env } from "cloudflare:workers";

interface Runner {
  import(path: string, options?: { invalidate?: boolean }): Promise<unknown>;
}
interface RunnerObject {
  fetch(url: string, init: { cf: object }): Promise<Response | undefined>;
}

/** Vitest's and the plugin's names. */
const { __vitest_mocker__: mocker } = globalThis as unknown as { __vitest_mocker__: { moduleRunner: Runner } };
const RUNNER_OBJECT = "__VITEST_POOL_WORKERS_RUNNER_OBJECT";
const bindings = env as unknown as Record<typeof RUNNER_OBJECT, { get(name: string): RunnerObject }>;

const MAIN = /\/src\/index\.ts$/;

/** The module, once it is loaded. */
let main: unknown;
/** Whether the plugin looks for the module, and for nothing else, in this turn of the event loop. */
let isLooking = false;
let isKept = false;

/** Lets the plugin find the module where it is, for all test files of this runtime. No test reloads it. */
export function keepWorker(): void {
  noteLooks();
  if (isKept) return;
  isKept = true;
  keepModule(mocker.moduleRunner);
  const { [RUNNER_OBJECT]: objects } = bindings;
  bindings[RUNNER_OBJECT] = { get: (name) => (isLooking && main ? inPlace : objects.get(name)) };
}

/** Does what the plugin asks for without a call of the object that runs the tests. */
const inPlace: RunnerObject = { fetch: (_url, { cf }) => maybeHandleRunRequest({ cf }) };

/** Notes when the plugin reads where the module is. What else it asks its object for needs the object's socket. */
function noteLooks(): void {
  const { __vitest_worker__: worker } = globalThis as unknown as {
    __vitest_worker__: { providedContext: { cloudflarePoolOptions: string } };
  };
  const options = worker.providedContext.cloudflarePoolOptions;
  Object.defineProperty(worker.providedContext, "cloudflarePoolOptions", {
    configurable: true,
    get: () => {
      isLooking = true;
      queueMicrotask(() => {
        isLooking = false;
      });
      return options;
    },
  });
}

/** Vitest asks its own process where a module is each time. */
function keepModule(runner: Runner): void {
  const load = runner.import.bind(runner);
  let loading: Promise<unknown> | undefined;
  runner.import = async (path, options) => {
    // The options of others matter: by them, the setup runs before each test file.
    if (!MAIN.test(path)) return load(path, options);
    loading ??= load(path, options);
    main ??= await loading;
    return main;
  };
}
