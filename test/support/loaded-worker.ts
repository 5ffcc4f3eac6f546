/**
 * The Worker's module. The plugin looks for it at every request and at every call of a Durable Object, and Vitest asks
 * its own process where it is each time.
 */

interface Runner {
  import(path: string, options?: { invalidate?: boolean }): Promise<unknown>;
}
/** Vitest's name for it, by which the plugin finds it, too. */
const { __vitest_mocker__: mocker } = globalThis as unknown as { __vitest_mocker__: { moduleRunner: Runner } };

const MAIN = /\/src\/index\.ts$/;

let isKept = false;

/** Remembers the module for all test files of this runtime. Vitest loads it once in any case: no test reloads it. */
export function keepWorker(): void {
  if (isKept) return;
  isKept = true;
  const { moduleRunner } = mocker;
  const load = moduleRunner.import.bind(moduleRunner);
  let main: Promise<unknown> | undefined;
  moduleRunner.import = (path, options) => {
    // The options of others matter: by them, this setup runs before each test file.
    if (!MAIN.test(path)) return load(path, options);
    main ??= load(path, options);
    return main;
  };
}
