/** `/tenant/connections/:id/traces`: what came of tests, and why sign-ons were refused. */
import * as z from "zod";
import type { Deps } from "../../base/deps";
import { notFound, orNotFound } from "../../base/errors";
import { endpoint, routes } from "../../base/http/endpoint";
import { dataOf } from "../../base/schemas/schemas";
import { ofTenant } from "../../tenancy/directory/paths";
import { tenantOf } from "../connections/changer";
import { trace } from "./schemas";
import { listTraces } from "./store";
import { traceView } from "./view";

const READ = {
  permission: "member.manage",
  inConfinedSession: "refused",
  notInPlatform: true,
  errors: ["NOT_FOUND"],
} as const;
const READ_BY_KEY = {
  scope: "connections.read",
  limit: { rule: "platformRead", per: "platform key" },
  errors: ["NOT_FOUND"],
} as const;
const TEXTS = {
  list: "The last 50 tests and 100 refusals of a connection within 30 days, newest first.",
  get: "Returns one test or refusal of a connection.",
} as const;

/** Throws NOT_FOUND. */
export const tracesOf = async (deps: Deps, tenantId: string, id: string) => {
  const found = orNotFound(await listTraces(deps, tenantId, id), "Connection");
  return Promise.all(found.map((row) => traceView(deps, row)));
};

/** Throws NOT_FOUND. */
export async function traceOf(deps: Deps, tenantId: string, id: string, traceId: string) {
  const found = orNotFound(await listTraces(deps, tenantId, id), "Connection").find((row) => row.id === traceId);
  if (!found) throw notFound("Trace");
  return traceView(deps, found);
}

export const traces = {
  list: endpoint({
    id: "listSignOnTraces",
    summary: TEXTS.list,
    ...READ,
    answers: () => ({ 200: dataOf(z.array(trace)) }),
    verb: ({ deps, session, param }) => tracesOf(deps, session.tenantId, param("id")),
    answer: (c, data) => c.json({ data }),
  }),
  get: endpoint({
    id: "getSignOnTrace",
    summary: TEXTS.get,
    ...READ,
    answers: () => ({ 200: dataOf(trace) }),
    verb: ({ deps, session, param }) => traceOf(deps, session.tenantId, param("id"), param("trace")),
    answer: (c, data) => c.json({ data }),
  }),
  listByKey: endpoint({
    id: "listPlatformSignOnTraces",
    summary: TEXTS.list,
    ...READ_BY_KEY,
    answers: () => ({ 200: dataOf(z.array(trace)), path: ofTenant.extend({ id: z.string() }) }),
    verb: async ({ deps, platformKey, param }) =>
      tracesOf(deps, await tenantOf(deps, platformKey, param("tenant")), param("id")),
    answer: (c, data) => c.json({ data }),
  }),
  getByKey: endpoint({
    id: "getPlatformSignOnTrace",
    summary: TEXTS.get,
    ...READ_BY_KEY,
    answers: () => ({ 200: dataOf(trace), path: ofTenant.extend({ id: z.string(), trace: z.string() }) }),
    verb: async ({ deps, platformKey, param }) =>
      traceOf(deps, await tenantOf(deps, platformKey, param("tenant")), param("id"), param("trace")),
    answer: (c, data) => c.json({ data }),
  }),
};

export const traceRoutes = routes({ "GET /:id/traces": traces.list, "GET /:id/traces/:trace": traces.get });

export const platformTraceRoutes = routes({
  "GET /:tenant/connections/:id/traces": traces.listByKey,
  "GET /:tenant/connections/:id/traces/:trace": traces.getByKey,
});
