/** `/auth/apps`: the apps that the signed-in user has allowed something. */
import * as z from "zod";
import type { Deps } from "../../base/deps";
import { notFound } from "../../base/errors";
import { endpoint, routes } from "../../base/http/endpoint";
import { saying } from "../../base/http/operation";
import { confinedTo, type Principal } from "../../base/schemas/principal";
import { dataOf } from "../../base/schemas/schemas";
import { iso } from "../../base/time";
import { partsOf } from "../granted-scopes";
import { withOurApi } from "../resources/our-api";
import type { ResourceRow } from "../resources/store";
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

function appView(row: AppRow, resources: readonly ResourceRow[]): z.infer<typeof connectedApp> {
  const { clientId, clientName, logoUrl, host, tenantId, tenantName, scopes, connectedAt, lastUsedAt, grants } = row;
  return {
    id: idOf(row),
    client: {
      id: clientId,
      name: clientName,
      ...(host === null ? {} : { host }),
      ...(logoUrl === null ? {} : { logoUrl }),
    },
    tenant: { id: tenantId, name: tenantName },
    scopes: [...new Set((JSON.parse(scopes) as string[][]).flat())].map((granted) => scopeView(granted, resources)),
    connectedAt: iso(connectedAt),
    lastUsedAt: iso(lastUsedAt),
    grants,
  };
}

/** An API that is not there any more gives nothing, and is named by its id. */
function scopeView(granted: string, resources: readonly ResourceRow[]) {
  const { resourceId, scope } = partsOf(granted);
  const at = resources.find(({ id }) => id === resourceId);
  const own = at?.settings.scopes.find(({ name }) => name === scope)?.description;
  return { resource: at?.identifier ?? resourceId, name: scope, description: own ?? textOf(scope) };
}

export async function connectedAppsOf(deps: Deps, caller: Principal) {
  const { found, resources } = await listAppsOfUser(deps, { userId: caller.userId, only: confinedTo(caller) });
  const known = withOurApi(deps, resources);
  return found.map((row) => appView(row, known));
}

export const apps = {
  list: endpoint({
    id: "listConnectedApps",
    summary: "Returns the apps that the user has allowed something, in all tenants, by name.",
    inConfinedSession: "open",
    openWhenSuspended: true,
    answers: () => ({ 200: dataOf(z.array(connectedApp)) }),
    verb: ({ deps, session }) => connectedAppsOf(deps, session),
    answer: (c, data) => c.json({ data }),
  }),
  disconnect: endpoint({
    id: "disconnectApp",
    summary: "Takes back what the user has allowed an app in a tenant, and ends its access at once.",
    inConfinedSession: "open",
    openWhenSuspended: true,
    limit: LIMIT,
    errors: ["NOT_FOUND"],
    verb: async ({ deps, session, param }) => {
      const app = readId(param("id"));
      const isElsewhere = ![null, app.tenantId].includes(confinedTo(session));
      if (isElsewhere || !(await disconnectApp(deps, session, app, deps.now()))) throw notFound("App");
    },
    answer: saying("App disconnected."),
  }),
};

export const connectedAppRoutes = routes({ "GET /": apps.list, "DELETE /:id": apps.disconnect });
