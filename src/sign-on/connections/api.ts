/** `/tenant/connections` and `/platform/tenants/:tenant/connections`: tenants' own identity providers. */
import * as z from "zod";
import { endpoint, routes } from "../../base/http/endpoint";
import { saying } from "../../base/http/operation";
import { operation } from "../../base/operation";
import { dataOf } from "../../base/schemas/schemas";
import { ofTenant } from "../../tenancy/directory/paths";
import { BY_OWNERS, ofConnection, READ, READ_BY_KEY, WRITE, WRITE_BY_KEY } from "../rights";
import { changerBy, changerOf, makerBy, makerOf, reached, tenantOf } from "./changer";
import {
  activateConnection,
  changeConnection,
  connectionOf,
  connectionsOf,
  createConnection,
  deleteConnection,
  disableConnection,
} from "./manage";
import { connection, connectionChange, deletion, newConnection, newDirectory } from "./schemas";
import { listConnections } from "./store";
import { connectionView } from "./view";

const READ_IN_SETUP = { ...READ, inSetup: "connection" } as const;

/** Metadata of a provider has 128 KiB at most, which are more in a form or in JSON. */
const METADATA_KIB = 256;

const TEXTS = {
  create: "Connects the tenant to its identity provider. Saving an issuer reads its document.",
  list: "The tenant's connections to its identity providers, newest first.",
  get: "Returns one connection.",
  change: "Changes the given fields of a connection, as a new version. Another issuer is another provider.",
  changeMore:
    "Another issuer or subject begins a new generation: whom the former provider knew counts no more, and the " +
    "sessions of its sign-ons end.",
  activate: "Lets people sign on. Needs a test of this version that has succeeded within 24 hours.",
  disable: "Ends sign-on through a connection, and the sessions that it has opened.",
  delete: "Deletes a connection, and keeps or removes the members whom it has made.",
} as const;

export const connections = {
  create: endpoint({
    id: "createConnection",
    summary: TEXTS.create,
    description: BY_OWNERS,
    ...WRITE,
    schema: newConnection,
    bodyKiB: METADATA_KIB,
    errors: ["EMAIL_NOT_VERIFIED", "CONFLICT"],
    answers: () => ({ 201: { body: dataOf(connection), id: "/data/id" } }),
    inSetup: "connection",
    verb: ({ deps, principal, input }) => createConnection(deps, makerOf(deps, principal), input),
    answer: (c, row) => c.json({ data: connectionView(c.get("deps"), row) }, 201),
  }),
  /** For the pages of a setup link that is for the directory alone. */
  createDirectory: operation({
    ...WRITE,
    schema: newDirectory,
    inSetup: "directory",
    verb: ({ deps, principal, input }) =>
      createConnection(deps, makerOf(deps, principal), { ...input, kind: "directory" }),
  }),
  list: endpoint({
    id: "listConnections",
    summary: TEXTS.list,
    ...READ_IN_SETUP,
    answers: () => ({ 200: dataOf(z.array(connection)) }),
    verb: ({ deps, principal }) => connectionsOf(deps, principal),
    answer: (c, rows) => c.json({ data: rows.map((row) => connectionView(c.get("deps"), row)) }),
  }),
  get: endpoint({
    id: "getConnection",
    summary: TEXTS.get,
    ...READ_IN_SETUP,
    errors: ["NOT_FOUND"],
    answers: () => ({ 200: dataOf(connection) }),
    verb: ({ deps, principal, param }) => connectionOf(deps, principal.tenantId, reached(principal, param("id"))),
    answer: (c, row) => c.json({ data: connectionView(c.get("deps"), row) }),
  }),
  change: endpoint({
    id: "updateConnection",
    summary: TEXTS.change,
    description: `${TEXTS.changeMore} ${BY_OWNERS}`,
    ...WRITE,
    schema: connectionChange,
    bodyKiB: METADATA_KIB,
    errors: ["NOT_FOUND", "CONFLICT"],
    answers: () => ({ 200: dataOf(connection) }),
    inSetup: "connection",
    verb: ({ deps, principal, param, input }) =>
      changeConnection(deps, changerOf(principal), reached(principal, param("id")), input),
    answer: (c, row) => c.json({ data: connectionView(c.get("deps"), row) }),
  }),
  activate: endpoint({
    id: "activateConnection",
    summary: TEXTS.activate,
    description: BY_OWNERS,
    ...WRITE,
    errors: ["NOT_FOUND", "CONFLICT"],
    verb: ({ deps, session, param }) => activateConnection(deps, changerOf(session), param("id")),
    answer: saying("Connection activated."),
  }),
  disable: endpoint({
    id: "disableConnection",
    summary: TEXTS.disable,
    description: BY_OWNERS,
    ...WRITE,
    errors: ["NOT_FOUND", "CONFLICT"],
    verb: ({ deps, session, param }) => disableConnection(deps, changerOf(session), param("id")),
    answer: saying("Connection disabled."),
  }),
  delete: endpoint({
    id: "deleteConnection",
    summary: TEXTS.delete,
    description: BY_OWNERS,
    ...WRITE,
    schema: deletion,
    errors: ["NOT_FOUND", "CONFLICT"],
    verb: ({ deps, session, param, input }) => deleteConnection(deps, changerOf(session), param("id"), input.members),
    answer: saying("Connection deleted."),
  }),
  createByKey: endpoint({
    id: "createPlatformConnection",
    summary: TEXTS.create,
    ...WRITE_BY_KEY,
    schema: newConnection,
    bodyKiB: METADATA_KIB,
    errors: ["EMAIL_NOT_VERIFIED", "NOT_FOUND", "CONFLICT"],
    answers: () => ({ 201: { body: dataOf(connection), id: "/data/id" }, path: ofTenant }),
    verb: async ({ deps, platformKey, param, input }) =>
      createConnection(deps, await makerBy(deps, platformKey, param("tenant")), input),
    answer: (c, row) => c.json({ data: connectionView(c.get("deps"), row) }, 201),
  }),
  listByKey: endpoint({
    id: "listPlatformConnections",
    summary: TEXTS.list,
    ...READ_BY_KEY,
    errors: ["NOT_FOUND"],
    answers: () => ({ 200: dataOf(z.array(connection)), path: ofTenant }),
    verb: async ({ deps, platformKey, param }) =>
      listConnections(deps, await tenantOf(deps, platformKey, param("tenant"))),
    answer: (c, rows) => c.json({ data: rows.map((row) => connectionView(c.get("deps"), row)) }),
  }),
  getByKey: endpoint({
    id: "getPlatformConnection",
    summary: TEXTS.get,
    ...READ_BY_KEY,
    errors: ["NOT_FOUND"],
    answers: () => ({ 200: dataOf(connection), path: ofConnection }),
    verb: async ({ deps, platformKey, param }) =>
      connectionOf(deps, await tenantOf(deps, platformKey, param("tenant")), param("id")),
    answer: (c, row) => c.json({ data: connectionView(c.get("deps"), row) }),
  }),
  changeByKey: endpoint({
    id: "updatePlatformConnection",
    summary: TEXTS.change,
    description: TEXTS.changeMore,
    ...WRITE_BY_KEY,
    schema: connectionChange,
    bodyKiB: METADATA_KIB,
    errors: ["NOT_FOUND", "CONFLICT"],
    answers: () => ({ 200: dataOf(connection), path: ofConnection }),
    verb: async ({ deps, platformKey, param, input }) =>
      changeConnection(deps, await changerBy(deps, platformKey, param("tenant")), param("id"), input),
    answer: (c, row) => c.json({ data: connectionView(c.get("deps"), row) }),
  }),
  activateByKey: endpoint({
    id: "activatePlatformConnection",
    summary: TEXTS.activate,
    ...WRITE_BY_KEY,
    errors: ["NOT_FOUND", "CONFLICT"],
    answers: () => ({ path: ofConnection }),
    verb: async ({ deps, platformKey, param }) =>
      activateConnection(deps, await changerBy(deps, platformKey, param("tenant")), param("id")),
    answer: saying("Connection activated."),
  }),
  disableByKey: endpoint({
    id: "disablePlatformConnection",
    summary: TEXTS.disable,
    ...WRITE_BY_KEY,
    errors: ["NOT_FOUND", "CONFLICT"],
    answers: () => ({ path: ofConnection }),
    verb: async ({ deps, platformKey, param }) =>
      disableConnection(deps, await changerBy(deps, platformKey, param("tenant")), param("id")),
    answer: saying("Connection disabled."),
  }),
  deleteByKey: endpoint({
    id: "deletePlatformConnection",
    summary: TEXTS.delete,
    ...WRITE_BY_KEY,
    schema: deletion,
    errors: ["NOT_FOUND", "CONFLICT"],
    answers: () => ({ path: ofConnection }),
    verb: async ({ deps, platformKey, param, input }) =>
      deleteConnection(deps, await changerBy(deps, platformKey, param("tenant")), param("id"), input.members),
    answer: saying("Connection deleted."),
  }),
};

export const connectionRoutes = routes({
  "POST /": connections.create,
  "GET /": connections.list,
  "GET /:id": connections.get,
  "PATCH /:id": connections.change,
  "DELETE /:id": connections.delete,
  "POST /:id/activate": connections.activate,
  "POST /:id/disable": connections.disable,
});

export const platformConnectionRoutes = routes({
  "POST /:tenant/connections": connections.createByKey,
  "GET /:tenant/connections": connections.listByKey,
  "GET /:tenant/connections/:id": connections.getByKey,
  "PATCH /:tenant/connections/:id": connections.changeByKey,
  "DELETE /:tenant/connections/:id": connections.deleteByKey,
  "POST /:tenant/connections/:id/activate": connections.activateByKey,
  "POST /:tenant/connections/:id/disable": connections.disableByKey,
});
