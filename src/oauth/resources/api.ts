/**
 * `/platform/resources` and `/tenant/resources`: the APIs that take our tokens, which operators and the product manage,
 * and those of a tenant, which prove that they want them.
 */
import * as z from "zod";
import { endpoint, routes } from "../../base/http/endpoint";
import { saying } from "../../base/http/operation";
import { dataOf } from "../../base/schemas/schemas";
import { operatorCredentials } from "../../identity/accounts/step-up-schemas";
import { recentSignInOrCredentials } from "../../identity/step-up/confirm";
import { OF_PLATFORM, OF_TENANT, type Ownership } from "../registrar";
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

/** The operations on the resources of one kind of owner: those that register, read and change them. */
const managing = ({ read, write, confirmation, change, named, by }: Ownership) => ({
  register: endpoint({
    id: named("createResource"),
    summary: "Registers an API that takes tokens of apps, with its scopes.",
    description: confirmation,
    ...write,
    stepUp: recentSignInOrCredentials,
    schema: newResource,
    errors: ["CONFLICT"],
    answers: () => ({ 201: { body: dataOf(resource), id: "/data/id" } }),
    verb: async (call) => resourceView(await registerResource(call.deps, by(call), call.input)),
    answer: (c, data) => c.json({ data }, 201),
  }),
  list: endpoint({
    id: named("listResources"),
    summary: "Returns the APIs that take tokens of apps, newest first; of the platform, our own before them.",
    ...read,
    answers: () => ({ 200: dataOf(z.array(resource)) }),
    verb: async (call) => (await resourcesOf(call.deps, by(call).ownerId)).map(resourceView),
    answer: (c, data) => c.json({ data }),
  }),
  get: endpoint({
    id: named("getResource"),
    summary: "Returns an API that takes tokens of apps.",
    ...read,
    errors: ["NOT_FOUND"],
    answers: () => ({ 200: dataOf(resource) }),
    verb: async (call) => resourceView(await resourceOf(call.deps, by(call).ownerId, call.param("id"))),
    answer: (c, data) => c.json({ data }),
  }),
  change: endpoint({
    id: named("updateResource"),
    summary: "Changes an API that takes tokens of apps. Of our own, only who gets its tokens.",
    ...write,
    ...change,
    schema: resourceChange,
    errors: ["NOT_FOUND", "CONFLICT"],
    answers: () => ({ 200: dataOf(resource) }),
    verb: async (call) => resourceView(await changeResource(call.deps, by(call), call.param("id"), call.input)),
    answer: (c, data) => c.json({ data }),
  }),
});

/** Those that replace or end something of them. */
const ending = ({ write, confirmation, ending: confirmed, named, by }: Ownership) => ({
  delete: endpoint({
    id: named("deleteResource"),
    summary: "Deletes an API: it gets no tokens any more. Those that it has end within 15 minutes.",
    ...write,
    ...confirmed,
    errors: ["NOT_FOUND"],
    verb: (call) => deleteResource(call.deps, by(call), call.param("id")),
    answer: saying("Resource deleted."),
  }),
  rotateSecret: endpoint({
    id: named("rotateResourceSecret"),
    summary: "Gives an API a new secret, with which it asks about tokens. A former one ends at once.",
    description: confirmation,
    ...write,
    schema: operatorCredentials,
    stepUp: recentSignInOrCredentials,
    errors: ["NOT_FOUND"],
    answers: () => ({ 200: dataOf(resourceSecret) }),
    verb: async (call) => {
      const { row, secret } = await replaceResourceSecret(call.deps, by(call), call.param("id"));
      return { ...resourceView(row), secret };
    },
    answer: (c, data) => c.json({ data }),
  }),
});

export const resources = { ...managing(OF_PLATFORM), ...ending(OF_PLATFORM) };
export const resourcesOfTenant = { ...managing(OF_TENANT), ...ending(OF_TENANT) };

const routesOf = (served: typeof resources) =>
  routes({
    "POST /": served.register,
    "GET /": served.list,
    "GET /:id": served.get,
    "PATCH /:id": served.change,
    "DELETE /:id": served.delete,
    "POST /:id/secret": served.rotateSecret,
  });

export const resourceRoutes = routesOf(resources);
export const tenantResourceRoutes = routesOf(resourcesOfTenant);
