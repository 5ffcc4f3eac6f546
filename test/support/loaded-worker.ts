/** The Worker's module, which the plugin would otherwise ask Vitest for at every request and call of an object. */

interface Runner {
  import(path: string): Promise<unknown>;
}
/** Vitest's name for it, by which the plugin finds it, too. */
const { __vitest_mocker__: mocker } = globalThis as unknown as { __vitest_mocker__: { moduleRunner: Runner } };

const MAIN = /\/src\/index\.ts$/;

let isKept = false;

/** Remembers the module for all test files of this runtime. No test reloads it. */
export function keepWorker(): void {
  if (isKept) return;
  isKept = true;
  const { moduleRunner } = mocker;
  const load = moduleRunner.import.bind(moduleRunner);
  let main: Promise<unknown> | undefined;
  moduleRunner.import = (path) => {
    if (!MAIN.test(path)) return load(path);
    main ??= load(path);
    return main;
  };
}
