/** What the product does with imports of people, with a platform key. Sending people is in `routes.ts`. */
import { operation } from "../../platform/operation";
import { createImport, importOf, importsOf, reportOf, startImport, stopImport } from "./imports";
import { importQuery, importStart, newImport, reportQuery } from "./schemas";

const READ = { scope: "users.write", limit: { rule: "platformRead", per: "platform key" } } as const;
export const WRITE = { scope: "users.write", limit: { rule: "platformWrite", per: "platform key" } } as const;

export const imports = {
  create: operation({
    ...WRITE,
    schema: newImport,
    verb: ({ deps, platformKey, input }) => createImport(deps, platformKey, input),
  }),
  start: operation({
    ...WRITE,
    schema: importStart,
    verb: ({ deps, platformKey, param, input }) => startImport(deps, platformKey, param("id"), input.parts),
  }),
  list: operation({ ...READ, schema: importQuery, verb: ({ deps, input }) => importsOf(deps, input) }),
  get: operation({ ...READ, verb: ({ deps, param }) => importOf(deps, param("id")) }),
  report: operation({
    ...READ,
    schema: reportQuery,
    verb: ({ deps, param, input }) => reportOf(deps, param("id"), input),
  }),
  stop: operation({
    ...WRITE,
    verb: ({ deps, platformKey, param }) => stopImport(deps, platformKey, param("id")),
  }),
};
