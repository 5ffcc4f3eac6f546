/** What the product does with imports of people, and what its operators see. Sending people is in `routes.ts`. */

import { type Access, operation } from "../../base/operation";
import { operatorCredentials } from "../../identity/accounts/step-up-schemas";
import { recentSignInOrCredentials } from "../../identity/step-up/confirm";
import { MAX_PART_KIB } from "./chunks";
import { createImport, importOf, importsOf, reportOf, startImport, stopImport } from "./imports";
import { importForOperator, stopAsOperator } from "./operators";
import { importQuery, importStart, newImport, reportQuery, shownReport } from "./schemas";

const READ = { scope: "users.write", limit: { rule: "platformRead", per: "platform key" } } as const;
const WRITE_IMPORTS = { scope: "users.write", limit: { rule: "platformWrite", per: "platform key" } } as const;
/** Sending people, a JSON value a line. */
export const SEND_PEOPLE = { ...WRITE_IMPORTS, bodyKiB: MAX_PART_KIB, takesNdjson: true } as const satisfies Access;

export const imports = {
  create: operation({
    ...WRITE_IMPORTS,
    schema: newImport,
    verb: ({ deps, platformKey, input }) => createImport(deps, platformKey, input),
  }),
  start: operation({
    ...WRITE_IMPORTS,
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
    ...WRITE_IMPORTS,
    verb: ({ deps, platformKey, param }) => stopImport(deps, platformKey.actor, param("id")),
  }),
};

const OPERATOR = { permission: "operator", limit: { rule: "operator", per: "user" } } as const;

/** What operators see of them in the console, and that they stop one. */
export const importsForOperators = {
  list: operation({ ...OPERATOR, schema: importQuery, verb: ({ deps, input }) => importsOf(deps, input) }),
  get: operation({ ...OPERATOR, verb: ({ deps, param }) => importOf(deps, param("id")) }),
  report: operation({
    ...OPERATOR,
    schema: shownReport,
    verb: ({ deps, session, param, input }) => importForOperator(deps, session, param("id"), input),
  }),
  stop: operation({
    ...OPERATOR,
    schema: operatorCredentials,
    stepUp: recentSignInOrCredentials,
    verb: ({ deps, session, param }) => stopAsOperator(deps, session, param("id")),
  }),
};
