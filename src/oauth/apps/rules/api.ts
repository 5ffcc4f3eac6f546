/** `/tenant/apps` and `/platform/apps`: what a tenant, and what operators say of the apps that people sign in to. */
import * as z from "zod";
import type { Deps } from "../../../base/deps";
import { notFound } from "../../../base/errors";
import { endpoint, routes } from "../../../base/http/endpoint";
import { saying } from "../../../base/http/operation";
import { operation } from "../../../base/operation";
import type { SessionPrincipal } from "../../../base/schemas/principal";
import { dataOf } from "../../../base/schemas/schemas";
import { PLATFORM_TENANT } from "../../../base/schemas/tenant-ref";
import { iso } from "../../../base/time";
import { CONFIRMED, operatorCredentials } from "../../../identity/accounts/step-up-schemas";
import { recentSignInOrCredentials } from "../../../identity/step-up/confirm";
import { platformApp, platformRule, tenantApp, tenantRule } from "../schemas";
import {
  type AppState,
  listAppsOfPlatform,
  listAppsOfTenant,
  type PlatformAppRow,
  setRule,
  type TenantAppRow,
} from "./store";

const OF_TENANT = { permission: "client.manage", notInPlatform: true } as const;
const OF_PLATFORM = { permission: "operator", limit: { rule: "operator", per: "user" } } as const;

const BY_OPERATORS = { ...OF_PLATFORM, stepUp: recentSignInOrCredentials, schema: operatorCredentials } as const;

const named = ({
  clientId,
  clientName,
  logoUrl,
  host,
}: Pick<TenantAppRow, "clientId" | "clientName" | "logoUrl" | "host">) => ({
  id: clientId,
  name: clientName,
  ...(host === null ? {} : { host }),
  ...(logoUrl === null ? {} : { logoUrl }),
});

const tenantView = (row: TenantAppRow) => ({ client: named(row), members: row.members, state: row.state });
const platformView = (row: PlatformAppRow) => ({
  client: named(row),
  state: row.state,
  lastUsedAt: iso(row.lastUsedAt),
});

export const appsOfTenant = async (deps: Deps, tenantId: string) =>
  (await listAppsOfTenant(deps, tenantId)).map(tenantView);
export const appsOfPlatform = async (deps: Deps) => (await listAppsOfPlatform(deps)).map(platformView);

/** That of a client which is known by a URL. */
const MAX_CLIENT_ID = 256;

/** Throws NOT_FOUND. */
async function say(deps: Deps, { actor }: SessionPrincipal, tenantId: string, clientId: string, state: AppState) {
  const isSaid =
    clientId.length <= MAX_CLIENT_ID && (await setRule(deps, { tenantId, clientId, state, actor }, deps.now()));
  if (!isSaid) throw notFound("App");
}

export const appRules = {
  list: endpoint({
    id: "listTenantApps",
    summary: "Returns the apps that members have allowed something, and those of which the tenant says something.",
    ...OF_TENANT,
    answers: () => ({ 200: dataOf(z.array(tenantApp)) }),
    verb: ({ deps, session }) => appsOfTenant(deps, session.tenantId),
    answer: (c, data) => c.json({ data }),
  }),
  say: endpoint({
    id: "setTenantApp",
    summary: "Blocks an app in the tenant at once, or ends that. Connections wait, and go on when it ends.",
    ...OF_TENANT,
    limit: { rule: "changeSecurity", per: "user" },
    schema: tenantRule,
    errors: ["NOT_FOUND"],
    verb: ({ deps, session, param, input }) => say(deps, session, session.tenantId, param("client"), input.state),
    answer: saying("App changed."),
  }),
  listAll: endpoint({
    id: "listPlatformApps",
    summary: "Returns all apps, and which of them operators have blocked.",
    ...OF_PLATFORM,
    answers: () => ({ 200: dataOf(z.array(platformApp)) }),
    verb: ({ deps }) => appsOfPlatform(deps),
    answer: (c, data) => c.json({ data }),
  }),
  sayToAll: endpoint({
    id: "setPlatformApp",
    summary: "Blocks an app in all tenants at once, or ends that.",
    description: CONFIRMED,
    ...OF_PLATFORM,
    stepUp: recentSignInOrCredentials,
    schema: platformRule,
    errors: ["NOT_FOUND"],
    verb: ({ deps, session, param, input }) => say(deps, session, PLATFORM_TENANT, param("client"), input.state),
    answer: saying("App changed."),
  }),
  /** As `sayToAll`, for the console, whose pages each say one thing. */
  blockForAll: operation({
    ...BY_OPERATORS,
    verb: ({ deps, session, param }) => say(deps, session, PLATFORM_TENANT, param("client"), "blocked"),
  }),
  unblockForAll: operation({
    ...BY_OPERATORS,
    verb: ({ deps, session, param }) => say(deps, session, PLATFORM_TENANT, param("client"), null),
  }),
};

export const tenantAppRoutes = routes({ "GET /": appRules.list, "PUT /:client": appRules.say });
export const platformAppRoutes = routes({ "GET /": appRules.listAll, "PUT /:client": appRules.sayToAll });
