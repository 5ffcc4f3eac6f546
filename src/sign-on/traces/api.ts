/** `/tenant/connections/:id/traces`: what came of tests, and why sign-ons were refused. */
import * as z from "zod";
import type { Deps } from "../../base/deps";
import { notFound, orNotFound } from "../../base/errors";
import { endpoint, routes } from "../../base/http/endpoint";
import { dataOf } from "../../base/schemas/schemas";
import { changerBy, changerOf, reached } from "../connections/changer";
import type { ConnectionChanger } from "../connections/store";
import { ofConnection, READ, READ_BY_KEY } from "../rights";
import { trace } from "./schemas";
import { listTraces } from "./store";
import { traceView } from "./view";

const READ_IN_SETUP = { ...READ, inSetup: "connection", errors: ["NOT_FOUND"] } as const;
const READ_ONE_BY_KEY = { ...READ_BY_KEY, errors: ["NOT_FOUND"] } as const;
const TEXTS = {
  list: "The last 50 tests and 100 refusals of a connection within 30 days, newest first.",
  get: "Returns one test or refusal of a connection.",
} as const;

/** Whose traces they are; the session of a setup link sees those of its own tests alone. */
type Reader = Pick<ConnectionChanger, "tenantId" | "setupLinkId">;

async function rowsOf(deps: Deps, { tenantId, setupLinkId }: Reader, id: string) {
  const found = orNotFound(await listTraces(deps, tenantId, id), "Connection");
  return setupLinkId === null ? found : found.filter(({ setupId }) => setupId === setupLinkId);
}

/** Throws NOT_FOUND. */
export const tracesOf = async (deps: Deps, reader: Reader, id: string) =>
  Promise.all((await rowsOf(deps, reader, id)).map((row) => traceView(deps, row)));

/** Throws NOT_FOUND. */
export async function traceOf(deps: Deps, reader: Reader, id: string, traceId: string) {
  const found = (await rowsOf(deps, reader, id)).find((row) => row.id === traceId);
  if (!found) throw notFound("Trace");
  return traceView(deps, found);
}

export const traces = {
  list: endpoint({
    id: "listSignOnTraces",
    summary: TEXTS.list,
    ...READ_IN_SETUP,
    answers: () => ({ 200: dataOf(z.array(trace)) }),
    verb: ({ deps, principal, param }) => tracesOf(deps, changerOf(principal), reached(principal, param("id"))),
    answer: (c, data) => c.json({ data }),
  }),
  get: endpoint({
    id: "getSignOnTrace",
    summary: TEXTS.get,
    ...READ_IN_SETUP,
    answers: () => ({ 200: dataOf(trace) }),
    verb: ({ deps, principal, param }) =>
      traceOf(deps, changerOf(principal), reached(principal, param("id")), param("trace")),
    answer: (c, data) => c.json({ data }),
  }),
  listByKey: endpoint({
    id: "listPlatformSignOnTraces",
    summary: TEXTS.list,
    ...READ_ONE_BY_KEY,
    answers: () => ({ 200: dataOf(z.array(trace)), path: ofConnection }),
    verb: async ({ deps, platformKey, param }) =>
      tracesOf(deps, await changerBy(deps, platformKey, param("tenant")), param("id")),
    answer: (c, data) => c.json({ data }),
  }),
  getByKey: endpoint({
    id: "getPlatformSignOnTrace",
    summary: TEXTS.get,
    ...READ_ONE_BY_KEY,
    answers: () => ({ 200: dataOf(trace), path: ofConnection.extend({ trace: z.string() }) }),
    verb: async ({ deps, platformKey, param }) =>
      traceOf(deps, await changerBy(deps, platformKey, param("tenant")), param("id"), param("trace")),
    answer: (c, data) => c.json({ data }),
  }),
};

export const traceRoutes = routes({ "GET /:id/traces": traces.list, "GET /:id/traces/:trace": traces.get });

export const platformTraceRoutes = routes({
  "GET /:tenant/connections/:id/traces": traces.listByKey,
  "GET /:tenant/connections/:id/traces/:trace": traces.getByKey,
});
