/** `/platform/imports`: people of another service, for the product's platform keys. */
import { Hono } from "hono";
import { createMiddleware } from "hono/factory";
import * as z from "zod";
import { invalid } from "../../base/errors";
import { isNdjson, ndjsonOnly } from "../../base/http/body";
import type { AppEnv } from "../../base/http/env";
import { perform, requires, serve } from "../../base/http/operation";
import { platformKeyOf } from "../../base/http/permissions";
import { describeRoute, documented } from "../../base/http/route-docs";
import { body } from "../../base/http/validate";
import { dataOf, id, says } from "../../base/schemas/schemas";
import { importAtOnce, putPart } from "./imports";
import { imports, SEND_PEOPLE } from "./operations";
import {
  importPage,
  importRecord,
  newImport,
  partNumber,
  partPath,
  reportPage,
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
  .get(
    "/",
    describeRoute("listImports", "Lists the imports of the last 90 days, newest first, page by page.", () => ({
      200: importPage,
    })),
    ...serve(imports.list, (c, page) => c.json(page), "query"),
  )
  .get(
    "/:id",
    describeRoute("getImport", "Returns an import and its progress.", () => ({
      200: dataOf(importRecord),
      ...MISSING,
    })),
    ...serve(imports.get, (c, data) => c.json({ data })),
  )
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
      return c.json({ data: await putPart(c.get("deps"), c.req.param("id"), part.data, bytes) });
    },
  )
  .post(
    "/:id/start",
    describeRoute("startImport", "Starts an import, which then runs in the background.", () => ({
      202: dataOf(importRecord),
      errors: ["NOT_FOUND", "CONFLICT"],
      description: "400 while parts are missing. Starting it again changes nothing.",
    })),
    ...serve(imports.start, (c, data) => c.json({ data }, 202)),
  )
  .get(
    "/:id/report",
    describeRoute("getImportReport", "Lists what became of the lines of an import, page by page.", () => ({
      200: reportPage,
      ...MISSING,
      description: "A page may be short, or empty, while there are more. Reports are kept for 90 days.",
    })),
    ...serve(imports.report, (c, page) => c.json(page), "query"),
  )
  .delete(
    "/:id",
    describeRoute("stopImport", "Stops an import. What is done stays.", () => ({
      200: says("Import stopped.", "Import already finished."),
      ...MISSING,
    })),
    ...serve(imports.stop, (c, message) => c.json({ message })),
  );
