/** `/sources`: the URLs at which other systems send their webhooks. */
import { type Context, Hono } from "hono";
import * as z from "zod";
import type { AppEnv } from "../../base/http/env";
import { saying, serve } from "../../base/http/operation";
import { describeRoute } from "../../base/http/route-docs";
import { dataOf } from "../../base/schemas/schemas";
import { sources } from "./operations";
import { sampleResult, source, sourceError } from "./schemas";
import type { SourceRow } from "./store";
import { errorView, sourceView } from "./view";

const MISSING = { errors: ["NOT_FOUND"] } as const;
const viewOf = (c: Context<AppEnv>, row: SourceRow) => sourceView(c.get("deps"), row, c.req.url);

export const sourceRoutes = new Hono<AppEnv>()
  .post(
    "/",
    describeRoute("createSource", "Makes a URL at which a provider sends its webhooks, which become events.", () => ({
      201: { body: dataOf(source), id: "/data/id" },
      errors: ["CONFLICT"],
    })),
    ...serve(sources.create, async (c, row) => c.json({ data: await viewOf(c, row) }, 201)),
  )
  .get(
    "/",
    describeRoute("listSources", "Lists the tenant's sources, newest first.", () => ({ 200: dataOf(z.array(source)) })),
    ...serve(sources.list, async (c, rows) => c.json({ data: await Promise.all(rows.map((row) => viewOf(c, row))) })),
  )
  .get(
    "/:id",
    describeRoute("getSource", "Returns one source.", () => ({ 200: dataOf(source), ...MISSING })),
    ...serve(sources.get, async (c, row) => c.json({ data: await viewOf(c, row) })),
  )
  .patch(
    "/:id",
    describeRoute("updateSource", "Changes the given fields of a source.", () => ({
      200: dataOf(source),
      errors: ["NOT_FOUND", "CONFLICT"],
    })),
    ...serve(sources.change, async (c, row) => c.json({ data: await viewOf(c, row) })),
  )
  .delete(
    "/:id",
    describeRoute("deleteSource", "Deletes a source. Calls to its URL get 401.", () => MISSING),
    ...serve(sources.delete, saying("Source deleted")),
  )
  .post(
    "/:id/secrets",
    describeRoute("addSourceSecret", "Adds a secret, for a rotation: calls signed with any of them are taken.", () => ({
      201: dataOf(source),
      errors: ["NOT_FOUND", "CONFLICT"],
    })),
    ...serve(sources.addSecret, async (c, row) => c.json({ data: await viewOf(c, row) }, 201)),
  )
  .delete(
    "/:id/secrets/:secretId",
    describeRoute("removeSourceSecret", "Removes a secret, but not the last one.", () => ({
      200: dataOf(source),
      errors: ["NOT_FOUND", "CONFLICT"],
    })),
    ...serve(sources.removeSecret, async (c, row) => c.json({ data: await viewOf(c, row) })),
  )
  .post(
    "/:id/test",
    describeRoute("testSource", "Says what would become of a call. Writes nothing.", () => ({
      200: dataOf(sampleResult),
      ...MISSING,
    })),
    ...serve(sources.test, (c, data) => c.json({ data })),
  )
  .get(
    "/:id/errors",
    describeRoute("listSourceErrors", "Lists the newest refused calls of a source, newest first.", () => ({
      200: dataOf(z.array(sourceError)),
      ...MISSING,
    })),
    ...serve(sources.errors, (c, errors) => c.json({ data: errors.map(errorView) })),
  );
