/** `/auth/apps`: the apps that the signed-in user has allowed something. */
import * as z from "zod";
import type { Deps } from "../../base/deps";
import { notFound } from "../../base/errors";
import { endpoint, routes } from "../../base/http/endpoint";
import { saying } from "../../base/http/operation";
import { dataOf } from "../../base/schemas/schemas";
import { iso } from "../../base/time";
import { textOf } from "../scope-texts";
import { connectedApp } from "./schemas";
import { type AppRow, disconnectApp, listAppsOfUser } from "./store";

const LIMIT = { rule: "changeProfile", per: "user" } as const;

/** Of a client in a tenant. */
const idOf = ({ clientId, tenantId }: Pick<AppRow, "clientId" | "tenantId">) => `${clientId}.${tenantId}`;

/** Throws NOT_FOUND. */
function readId(id: string): { clientId: string; tenantId: string } {
  const at = id.lastIndexOf(".");
  if (at < 0) throw notFound("App");
  return { clientId: id.slice(0, at), tenantId: id.slice(at + 1) };
}

function appView(row: AppRow): z.infer<typeof connectedApp> {
  const { clientId, clientName, logoUrl, tenantId, tenantName, scopes, connectedAt, lastUsedAt, grants } = row;
  return {
    id: idOf(row),
    client: { id: clientId, name: clientName, ...(logoUrl === null ? {} : { logoUrl }) },
    tenant: { id: tenantId, name: tenantName },
    scopes: [...new Set((JSON.parse(scopes) as string[][]).flat())].map((name) => ({
      resource: null,
      name,
      description: textOf(name),
    })),
    connectedAt: iso(connectedAt),
    lastUsedAt: iso(lastUsedAt),
    grants,
  };
}

export const connectedAppsOf = async (deps: Deps, userId: string) => (await listAppsOfUser(deps, userId)).map(appView);

export const apps = {
  list: endpoint({
    id: "listConnectedApps",
    summary: "Returns the apps that the user has allowed something, in all tenants, by name.",
    openWhenSuspended: true,
    answers: () => ({ 200: dataOf(z.array(connectedApp)) }),
    verb: ({ deps, session }) => connectedAppsOf(deps, session.userId),
    answer: (c, data) => c.json({ data }),
  }),
  disconnect: endpoint({
    id: "disconnectApp",
    summary: "Takes back what the user has allowed an app in a tenant, and ends its access at once.",
    openWhenSuspended: true,
    limit: LIMIT,
    errors: ["NOT_FOUND"],
    verb: async ({ deps, session, param }) => {
      if (!(await disconnectApp(deps, session, readId(param("id")), deps.now()))) throw notFound("App");
    },
    answer: saying("App disconnected."),
  }),
};

export const connectedAppRoutes = routes({ "GET /": apps.list, "DELETE /:id": apps.disconnect });
