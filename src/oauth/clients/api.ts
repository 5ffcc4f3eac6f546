/** `/platform/clients`: the apps that people sign in to, which operators and the product manage. */
import { endpoint, routes } from "../../base/http/endpoint";
import { saying } from "../../base/http/operation";
import { dataOf } from "../../base/schemas/schemas";
import { CONFIRMED, operatorCredentials } from "../../identity/accounts/step-up-schemas";
import { recentSignInOrCredentials } from "../../identity/step-up/confirm";
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
import { client, clientChange, clientPage, clientQuery, issuedClient, newClient, secretRotation } from "./schemas";

const CALLERS = { callers: ["session", "platform-key"], permission: "operator" } as const;
const READS = { rule: "platformRead", per: "user or key" } as const;
const WRITES = { rule: "writeClients", per: "platform" } as const;
const READ = { ...CALLERS, scope: "clients.read", limit: READS } as const;
const WRITE = { ...CALLERS, scope: "clients.write", limit: WRITES, stepUp: recentSignInOrCredentials } as const;
const BY_OPERATORS = `An operator ${CONFIRMED.charAt(0).toLowerCase()}${CONFIRMED.slice(1)}`;

const issuedView = ({ row, secret }: Issued, nowMs: number) => ({
  ...clientView(row, nowMs),
  ...(secret === null ? {} : { secret }),
});

export const clients = {
  register: endpoint({
    id: "createClient",
    summary: "Registers an app that people sign in to.",
    description:
      "The same `externalId` again returns the client that is there (200); with other settings: 409. " + BY_OPERATORS,
    ...WRITE,
    schema: newClient,
    errors: ["CONFLICT"],
    answers: () => ({ 201: { body: dataOf(issuedClient), id: "/data/id" }, 200: dataOf(issuedClient) }),
    verb: async ({ deps, principal, input }) => {
      const issued = await registerClient(deps, principal, input);
      return { data: issuedView(issued, deps.now()), isNew: issued.isNew };
    },
    answer: (c, { data, isNew }) => c.json({ data }, isNew ? 201 : 200),
  }),
  list: endpoint({
    id: "listClients",
    summary: "Lists clients, newest first, page by page.",
    ...READ,
    schema: clientQuery,
    answers: () => ({ 200: clientPage }),
    verb: async ({ deps, input }) => {
      const { rows, nextCursor } = await clientsOf(deps, input);
      return { data: rows.map((row) => clientView(row, deps.now())), nextCursor };
    },
    answer: (c, page) => c.json(page),
  }),
  get: endpoint({
    id: "getClient",
    summary: "Returns a client.",
    ...READ,
    errors: ["NOT_FOUND"],
    answers: () => ({ 200: dataOf(client) }),
    verb: async ({ deps, param }) => clientView(await clientOf(deps, param("id")), deps.now()),
    answer: (c, data) => c.json({ data }),
  }),
  change: endpoint({
    id: "updateClient",
    summary: "Changes a client. What is missing stays; a client that is disabled is unknown to everybody.",
    description: BY_OPERATORS,
    ...WRITE,
    schema: clientChange,
    errors: ["NOT_FOUND", "CONFLICT"],
    answers: () => ({ 200: dataOf(client) }),
    verb: async ({ deps, principal, param, input }) =>
      clientView(await changeClient(deps, principal, param("id"), input), deps.now()),
    answer: (c, data) => c.json({ data }),
  }),
  delete: endpoint({
    id: "deleteClient",
    summary: "Deletes a client: nobody signs in to it any more, and its tokens end.",
    description: BY_OPERATORS,
    ...WRITE,
    schema: operatorCredentials,
    errors: ["NOT_FOUND"],
    verb: ({ deps, principal, param }) => deleteClient(deps, principal, param("id")),
    answer: saying("Client deleted."),
  }),
  rotateSecret: endpoint({
    id: "rotateClientSecret",
    summary: "Gives a client a new secret. The former one works for a day longer by default.",
    description: `409: a former secret still works; end it first. ${BY_OPERATORS}`,
    ...WRITE,
    schema: secretRotation,
    errors: ["NOT_FOUND", "CONFLICT"],
    answers: () => ({ 200: dataOf(issuedClient) }),
    verb: async ({ deps, principal, param, input }) =>
      issuedView(await replaceSecret(deps, principal, param("id"), input.overlapSeconds), deps.now()),
    answer: (c, data) => c.json({ data }),
  }),
  endSecret: endpoint({
    id: "endClientSecret",
    summary: "Ends the former secret at once, if one still works.",
    description: BY_OPERATORS,
    ...WRITE,
    schema: operatorCredentials,
    errors: ["NOT_FOUND"],
    verb: ({ deps, principal, param }) => endSecret(deps, principal, param("id")),
    answer: saying("Former secret ended."),
  }),
  revoke: endpoint({
    id: "revokeClient",
    summary: "Ends all sign-ins to a client, with their tokens. What people have allowed it stays.",
    description: BY_OPERATORS,
    ...WRITE,
    schema: operatorCredentials,
    errors: ["NOT_FOUND"],
    verb: ({ deps, principal, param }) => revokeClient(deps, principal, param("id")),
    answer: saying("Tokens revoked."),
  }),
};

export const clientRoutes = routes({
  "POST /": clients.register,
  "GET /": clients.list,
  "GET /:id": clients.get,
  "PATCH /:id": clients.change,
  "DELETE /:id": clients.delete,
  "POST /:id/secret": clients.rotateSecret,
  "DELETE /:id/secret/previous": clients.endSecret,
  "POST /:id/revoke": clients.revoke,
});
