/**
 * `/platform/clients` and `/tenant/clients`: the apps that people sign in to, which operators and the product manage,
 * and those of a tenant, which it manages itself.
 */
import { endpoint, routes } from "../../base/http/endpoint";
import { saying } from "../../base/http/operation";
import { dataOf } from "../../base/schemas/schemas";
import { recentSignInOrCredentials } from "../../identity/step-up/confirm";
import { OF_PLATFORM, OF_TENANT, type Ownership } from "../registrar";
import {
  changeClient,
  clientOf,
  clientsOf,
  clientView,
  deleteClient,
  endSecret,
  type Issued,
  registerClient,
  replaceSecret,
  revokeClient,
} from "./manage";
import { clientQuery, secretRotation } from "./requests";
import { client, clientChange, clientPage, issuedClient, newClient } from "./schemas";
import { findCopy } from "./unlisted/listed-store";

const issuedView = ({ row, secret }: Issued, nowMs: number) => ({
  ...clientView(row, nowMs),
  ...(secret === null ? {} : { secret }),
});

/** The operations on the clients of one kind of owner: those that register, read and change them. */
const managing = ({ read, write, confirmation, change, named, by }: Ownership) => ({
  register: endpoint({
    id: named("createClient"),
    summary: "Registers an app that people sign in to.",
    description:
      "The same `externalId` again returns the client that is there (200); with other settings: 409. " + confirmation,
    ...write,
    stepUp: recentSignInOrCredentials,
    schema: newClient,
    errors: ["CONFLICT"],
    answers: () => ({ 201: { body: dataOf(issuedClient), id: "/data/id" }, 200: dataOf(issuedClient) }),
    verb: async (call) => {
      const issued = await registerClient(call.deps, by(call), call.input);
      return { data: issuedView(issued, call.deps.now()), isNew: issued.isNew };
    },
    answer: (c, { data, isNew }) => c.json({ data }, isNew ? 201 : 200),
  }),
  list: endpoint({
    id: named("listClients"),
    summary: "Lists clients, newest first, page by page.",
    ...read,
    schema: clientQuery,
    answers: () => ({ 200: clientPage }),
    verb: async (call) => {
      const { rows, nextCursor } = await clientsOf(call.deps, by(call).ownerId, call.input);
      return { data: rows.map((row) => clientView(row, call.deps.now())), nextCursor };
    },
    answer: (c, page) => c.json(page),
  }),
  get: endpoint({
    id: named("getClient"),
    summary: "Returns a client.",
    ...read,
    errors: ["NOT_FOUND"],
    answers: () => ({ 200: dataOf(client) }),
    verb: async (call) => {
      const { deps } = call;
      const row = await clientOf(deps, by(call).ownerId, call.param("id"));
      const copy = row.kind === "listed" ? await findCopy(deps, row.id) : null;
      return { ...clientView(row, deps.now()), ...(copy === null ? {} : { document: JSON.parse(copy) as object }) };
    },
    answer: (c, data) => c.json({ data }),
  }),
  change: endpoint({
    id: named("updateClient"),
    summary: "Changes a client. What is missing stays; a client that is disabled is unknown to everybody.",
    ...write,
    ...change,
    schema: clientChange,
    errors: ["NOT_FOUND", "CONFLICT"],
    answers: () => ({ 200: dataOf(client) }),
    verb: async (call) =>
      clientView(await changeClient(call.deps, by(call), call.param("id"), call.input), call.deps.now()),
    answer: (c, data) => c.json({ data }),
  }),
});

/** Those that replace or end something of them. */
const ending = ({ write, confirmation, ending: confirmed, named, by }: Ownership) => ({
  delete: endpoint({
    id: named("deleteClient"),
    summary: "Deletes a client: nobody signs in to it any more, and its tokens end.",
    ...write,
    ...confirmed,
    errors: ["NOT_FOUND"],
    verb: (call) => deleteClient(call.deps, by(call), call.param("id")),
    answer: saying("Client deleted."),
  }),
  rotateSecret: endpoint({
    id: named("rotateClientSecret"),
    summary: "Gives a client a new secret. The former one works for a day longer by default.",
    description: `409: a former secret still works; end it first. ${confirmation}`,
    ...write,
    stepUp: recentSignInOrCredentials,
    schema: secretRotation,
    errors: ["NOT_FOUND", "CONFLICT"],
    answers: () => ({ 200: dataOf(issuedClient) }),
    verb: async (call) => {
      const issued = await replaceSecret(call.deps, by(call), call.param("id"), call.input.overlapSeconds);
      return issuedView(issued, call.deps.now());
    },
    answer: (c, data) => c.json({ data }),
  }),
  endSecret: endpoint({
    id: named("endClientSecret"),
    summary: "Ends the former secret at once, if one still works.",
    ...write,
    ...confirmed,
    errors: ["NOT_FOUND"],
    verb: (call) => endSecret(call.deps, by(call), call.param("id")),
    answer: saying("Former secret ended."),
  }),
  revoke: endpoint({
    id: named("revokeClient"),
    summary: "Ends all sign-ins to a client, with their tokens. What people have allowed it stays.",
    ...write,
    ...confirmed,
    errors: ["NOT_FOUND"],
    verb: (call) => revokeClient(call.deps, by(call), call.param("id")),
    answer: saying("Tokens revoked."),
  }),
});

export const clients = { ...managing(OF_PLATFORM), ...ending(OF_PLATFORM) };
export const clientsOfTenant = { ...managing(OF_TENANT), ...ending(OF_TENANT) };

const routesOf = (served: typeof clients) =>
  routes({
    "POST /": served.register,
    "GET /": served.list,
    "GET /:id": served.get,
    "PATCH /:id": served.change,
    "DELETE /:id": served.delete,
    "POST /:id/secret": served.rotateSecret,
    "DELETE /:id/secret/previous": served.endSecret,
    "POST /:id/revoke": served.revoke,
  });

export const clientRoutes = routesOf(clients);
export const tenantClientRoutes = routesOf(clientsOfTenant);
