/** `/platform/imports`: people of another service, for the product's platform keys. */

import { Hono } from "hono";
import { createMiddleware } from "hono/factory";
import * as z from "zod";
import { invalid } from "../../base/errors";
import { isNdjson, ndjsonOnly } from "../../base/http/body";
import { endpoint, routes } from "../../base/http/endpoint";
import type { AppEnv } from "../../base/http/env";
import { pathParam, perform, requires } from "../../base/http/operation";
import { platformKeyOf } from "../../base/http/permissions";
import { describeRoute, documented } from "../../base/http/route-docs";
import { body } from "../../base/http/validate";
import { type Access, operation } from "../../base/operation";
import { dataOf, id, says } from "../../base/schemas/schemas";
import { operatorCredentials } from "../../identity/accounts/step-up-schemas";
import { recentSignInOrCredentials } from "../../identity/step-up/confirm";
import { MAX_PART_KIB } from "./chunks";
import { createImport, importAtOnce, importOf, importsOf, putPart, reportOf, startImport, stopImport } from "./imports";
import { importForOperator, stopAsOperator } from "./operators";
import {
  importPage,
  importQuery,
  importRecord,
  importStart,
  newImport,
  partNumber,
  partPath,
  reportPage,
  reportQuery,
  shownReport,
  storedPart,
  wholeImportQuery,
} from "./schemas";

const MISSING = { errors: ["NOT_FOUND"] } as const;

/** Creates and starts an import of the people in the body, if that is NDJSON. */
const wholeImport = documented(
  createMiddleware<AppEnv>(async (c, next) => {
    if (!isNdjson(c)) return next();
    const { data: query, error } = wholeImportQuery.safeParse(c.req.query());
    if (error) throw invalid(error);
    const bytes = new Uint8Array(await c.req.arrayBuffer());
    return c.json({ data: await importAtOnce(c.get("deps"), platformKeyOf(c), query, bytes) }, 202);
  }),
  { query: wholeImportQuery },
);

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
  start: endpoint({
    id: "startImport",
    summary: "Starts an import, which then runs in the background.",
    description: "400 while parts are missing. Starting it again changes nothing.",
    ...WRITE_IMPORTS,
    schema: importStart,
    errors: ["NOT_FOUND", "CONFLICT"],
    answers: () => ({ 202: dataOf(importRecord) }),
    verb: ({ deps, platformKey, param, input }) => startImport(deps, platformKey, param("id"), input.parts),
    answer: (c, data) => c.json({ data }, 202),
  }),
  list: endpoint({
    id: "listImports",
    summary: "Lists the imports of the last 90 days, newest first, page by page.",
    ...READ,
    schema: importQuery,
    answers: () => ({ 200: importPage }),
    verb: ({ deps, input }) => importsOf(deps, input),
    answer: (c, page) => c.json(page),
  }),
  get: endpoint({
    id: "getImport",
    summary: "Returns an import and its progress.",
    ...READ,
    ...MISSING,
    answers: () => ({ 200: dataOf(importRecord) }),
    verb: ({ deps, param }) => importOf(deps, param("id")),
    answer: (c, data) => c.json({ data }),
  }),
  report: endpoint({
    id: "getImportReport",
    summary: "Lists what became of the lines of an import, page by page.",
    description: "A page may be short, or empty, while there are more. Reports are kept for 90 days.",
    ...READ,
    schema: reportQuery,
    ...MISSING,
    answers: () => ({ 200: reportPage }),
    verb: ({ deps, param, input }) => reportOf(deps, param("id"), input),
    answer: (c, page) => c.json(page),
  }),
  stop: endpoint({
    id: "stopImport",
    summary: "Stops an import. What is done stays.",
    ...WRITE_IMPORTS,
    ...MISSING,
    answers: () => ({ 200: says("Import stopped.", "Import already finished.") }),
    verb: ({ deps, platformKey, param }) => stopImport(deps, platformKey.actor, param("id")),
    answer: (c, message) => c.json({ message }),
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

const reading = routes({
  "GET /": imports.list,
  "GET /:id": imports.get,
});

const running = routes({
  "POST /:id/start": imports.start,
  "GET /:id/report": imports.report,
  "DELETE /:id": imports.stop,
});

export const importRoutes = new Hono<AppEnv>()
  .post(
    "/",
    describeRoute("createImport", "Creates an import of people, to which you send parts.", () => ({
      201: dataOf(importRecord),
      202: dataOf(importRecord),
      errors: ["CONFLICT"],
      description:
        "With a body in NDJSON of up to 5 MiB, `dryRun` and `onExisting` in the query, it is created, sent and " +
        "started at once: 202. 409 while ten imports have not ended.",
    })),
    requires(SEND_PEOPLE),
    wholeImport,
    body(newImport),
    async (c) => c.json({ data: await perform(c, imports.create, c.req.valid("json")) }, 201),
  )
  .route("/", reading)
  .put(
    "/:id/parts/:n",
    describeRoute("putImportPart", "Sends a part: people as NDJSON, one in a line.", () => ({
      200: dataOf(storedPart),
      errors: ["NOT_FOUND", "CONFLICT", "INVALID_JSON", "VALIDATION_FAILED"],
      path: z.object({ id }).extend(partPath.shape),
      description:
        "Up to 5 MiB and 20,000 lines of up to 64 KiB. A part that is sent again replaces the former one until the " +
        "import is started; then the same bytes are answered with 200, and others with 409.",
    })),
    requires(SEND_PEOPLE),
    ndjsonOnly,
    async (c) => {
      const part = partNumber.safeParse(c.req.param("n"));
      if (part.error) throw invalid(part.error, "n");
      const bytes = new Uint8Array(await c.req.arrayBuffer());
      return c.json({ data: await putPart(c.get("deps"), platformKeyOf(c), pathParam(c, "id"), part.data, bytes) });
    },
  )
  .route("/", running);
