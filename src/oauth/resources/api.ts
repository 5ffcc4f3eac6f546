/** `/platform/resources`: the APIs that take our tokens, which operators and the product manage. */
import * as z from "zod";
import { endpoint, routes } from "../../base/http/endpoint";
import { saying } from "../../base/http/operation";
import { dataOf } from "../../base/schemas/schemas";
import { operatorCredentials } from "../../identity/accounts/step-up-schemas";
import { recentSignInOrCredentials } from "../../identity/step-up/confirm";
import {
  changeResource,
  deleteResource,
  registerResource,
  replaceResourceSecret,
  resourceOf,
  resourcesOf,
  resourceView,
} from "./manage";
import { newResource, resource, resourceChange, resourceSecret } from "./schemas";

const CALLERS = { callers: ["session", "platform-key"], permission: "operator" } as const;
const READS = { rule: "platformRead", per: "user or key" } as const;
const WRITES = { rule: "writeClients", per: "platform" } as const;
const READ = { ...CALLERS, scope: "clients.read", limit: READS } as const;
const WRITE = { ...CALLERS, scope: "clients.write", limit: WRITES, stepUp: recentSignInOrCredentials } as const;

export const resources = {
  register: endpoint({
    id: "createResource",
    summary: "Registers an API that takes tokens of apps, with its scopes.",
    ...WRITE,
    schema: newResource,
    errors: ["CONFLICT"],
    answers: () => ({ 201: { body: dataOf(resource), id: "/data/id" } }),
    verb: async ({ deps, principal, input }) => resourceView(await registerResource(deps, principal, input)),
    answer: (c, data) => c.json({ data }, 201),
  }),
  list: endpoint({
    id: "listResources",
    summary: "Returns the APIs that take tokens of apps: our own first, then the newest.",
    ...READ,
    answers: () => ({ 200: dataOf(z.array(resource)) }),
    verb: async ({ deps }) => (await resourcesOf(deps)).map(resourceView),
    answer: (c, data) => c.json({ data }),
  }),
  get: endpoint({
    id: "getResource",
    summary: "Returns an API that takes tokens of apps.",
    ...READ,
    errors: ["NOT_FOUND"],
    answers: () => ({ 200: dataOf(resource) }),
    verb: async ({ deps, param }) => resourceView(await resourceOf(deps, param("id"))),
    answer: (c, data) => c.json({ data }),
  }),
  change: endpoint({
    id: "updateResource",
    summary: "Changes an API that takes tokens of apps. Of our own, only who gets its tokens.",
    ...WRITE,
    schema: resourceChange,
    errors: ["NOT_FOUND", "CONFLICT"],
    answers: () => ({ 200: dataOf(resource) }),
    verb: async ({ deps, principal, param, input }) =>
      resourceView(await changeResource(deps, principal, param("id"), input)),
    answer: (c, data) => c.json({ data }),
  }),
  delete: endpoint({
    id: "deleteResource",
    summary: "Deletes an API: it gets no tokens any more. Those that it has end within 15 minutes.",
    ...WRITE,
    schema: operatorCredentials,
    errors: ["NOT_FOUND"],
    verb: ({ deps, principal, param }) => deleteResource(deps, principal, param("id")),
    answer: saying("Resource deleted."),
  }),
  rotateSecret: endpoint({
    id: "rotateResourceSecret",
    summary: "Gives an API a new secret, with which it asks about tokens. A former one ends at once.",
    ...WRITE,
    schema: operatorCredentials,
    errors: ["NOT_FOUND"],
    answers: () => ({ 200: dataOf(resourceSecret) }),
    verb: async ({ deps, principal, param }) => {
      const { row, secret } = await replaceResourceSecret(deps, principal, param("id"));
      return { ...resourceView(row), secret };
    },
    answer: (c, data) => c.json({ data }),
  }),
};

export const resourceRoutes = routes({
  "POST /": resources.register,
  "GET /": resources.list,
  "GET /:id": resources.get,
  "PATCH /:id": resources.change,
  "DELETE /:id": resources.delete,
  "POST /:id/secret": resources.rotateSecret,
});
