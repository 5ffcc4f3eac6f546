/** `/sources`: the URLs at which other systems send their webhooks. */

import type { Context } from "hono";
import * as z from "zod";
import { notFound, orNotFound } from "../../base/errors";
import { endpoint, routes } from "../../base/http/endpoint";
import type { AppEnv } from "../../base/http/env";
import { saying } from "../../base/http/operation";
import { WITH_KEYS } from "../../base/operation";
import { dataOf } from "../../base/schemas/schemas";
import { MAKE_SOURCES, MANAGE_SOURCES } from "../access";
import { addSecret, changeSource, createSource, removeSecret, trySample } from "./changes";
import { listSourceErrors } from "./errors-store";
import { newSource, newSourceSecret, sampleResult, source, sourceChange, sourceError, sourceSample } from "./schemas";
import { deleteSource, listSources, readSource, type SourceRow } from "./store";
import { errorView, sourceView } from "./view";

const MISSING = { errors: ["NOT_FOUND"] } as const;

const viewOf = (c: Context<AppEnv>, row: SourceRow) => sourceView(c.get("deps"), row, c.req.url);

const READ = { callers: WITH_KEYS, permission: "webhook.read" } as const;

export const sources = {
  create: endpoint({
    id: "createSource",
    summary: "Makes a URL at which a provider sends its webhooks, which become events.",
    ...MAKE_SOURCES,
    schema: newSource,
    errors: ["CONFLICT"],
    answers: () => ({ 201: { body: dataOf(source), id: "/data/id" } }),
    verb: ({ deps, principal, input }) => createSource(deps, principal, input),
    answer: async (c, row) => c.json({ data: await viewOf(c, row) }, 201),
  }),
  list: endpoint({
    id: "listSources",
    summary: "Lists the tenant's sources, newest first.",
    ...READ,
    answers: () => ({ 200: dataOf(z.array(source)) }),
    verb: ({ deps, principal }) => listSources(deps, principal),
    answer: async (c, rows) => c.json({ data: await Promise.all(rows.map((row) => viewOf(c, row))) }),
  }),
  get: endpoint({
    id: "getSource",
    summary: "Returns one source.",
    ...READ,
    ...MISSING,
    answers: () => ({ 200: dataOf(source) }),
    verb: ({ deps, principal, param }) => readSource(deps, principal, param("id")),
    answer: async (c, row) => c.json({ data: await viewOf(c, row) }),
  }),
  errors: endpoint({
    id: "listSourceErrors",
    summary: "Lists the newest refused calls of a source, newest first.",
    ...READ,
    ...MISSING,
    answers: () => ({ 200: dataOf(z.array(sourceError)) }),
    verb: async ({ deps, principal, param }) =>
      orNotFound(await listSourceErrors(deps, principal, param("id")), "Source"),
    answer: (c, errors) => c.json({ data: errors.map(errorView) }),
  }),
  change: endpoint({
    id: "updateSource",
    summary: "Changes the given fields of a source.",
    ...MAKE_SOURCES,
    schema: sourceChange,
    errors: ["NOT_FOUND", "CONFLICT"],
    answers: () => ({ 200: dataOf(source) }),
    verb: ({ deps, principal, param, input }) => changeSource(deps, principal, param("id"), input),
    answer: async (c, row) => c.json({ data: await viewOf(c, row) }),
  }),
  delete: endpoint({
    id: "deleteSource",
    summary: "Deletes a source. Calls to its URL get 401.",
    ...MANAGE_SOURCES,
    ...MISSING,
    verb: async ({ deps, principal, param }) => {
      if (!(await deleteSource(deps, principal, param("id")))) throw notFound("Source");
    },
    answer: saying("Source deleted"),
  }),
  addSecret: endpoint({
    id: "addSourceSecret",
    summary: "Adds a secret, for a rotation: calls signed with any of them are taken.",
    ...MAKE_SOURCES,
    schema: newSourceSecret,
    errors: ["NOT_FOUND", "CONFLICT"],
    answers: () => ({ 201: dataOf(source) }),
    verb: ({ deps, principal, param, input }) => addSecret(deps, principal, param("id"), input.secret),
    answer: async (c, row) => c.json({ data: await viewOf(c, row) }, 201),
  }),
  removeSecret: endpoint({
    id: "removeSourceSecret",
    summary: "Removes a secret, but not the last one.",
    ...MANAGE_SOURCES,
    errors: ["NOT_FOUND", "CONFLICT"],
    answers: () => ({ 200: dataOf(source) }),
    verb: ({ deps, principal, param }) => removeSecret(deps, principal, param("id"), param("secretId")),
    answer: async (c, row) => c.json({ data: await viewOf(c, row) }),
  }),
  test: endpoint({
    id: "testSource",
    summary: "Says what would become of a call. Writes nothing.",
    ...MANAGE_SOURCES,
    // A sample of up to 256 KiB as a JSON string.
    bodyKiB: 1024,
    schema: sourceSample,
    ...MISSING,
    answers: () => ({ 200: dataOf(sampleResult) }),
    verb: ({ deps, principal, param, input }) => trySample(deps, principal, param("id"), input),
    answer: (c, data) => c.json({ data }),
  }),
};

export const sourceRoutes = routes({
  "POST /": sources.create,
  "GET /": sources.list,
  "GET /:id": sources.get,
  "PATCH /:id": sources.change,
  "DELETE /:id": sources.delete,
  "POST /:id/secrets": sources.addSecret,
  "DELETE /:id/secrets/:secretId": sources.removeSecret,
  "POST /:id/test": sources.test,
  "GET /:id/errors": sources.errors,
});
