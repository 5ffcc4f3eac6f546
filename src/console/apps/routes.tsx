/** `/console/apps`: the apps that the user, and that members of the tenant, have allowed something. */
import type { Context } from "hono";
import type { AppEnv } from "../../base/http/env";
import { requires } from "../../base/http/operation";
import { apps, connectedAppsOf } from "../../oauth/apps/api";
import { appRules, appsOfTenant } from "../../oauth/apps/rules/api";
import { clientsOf } from "../../oauth/clients/manage";
import { resourcesOf } from "../../oauth/resources/manage";
import { flash, page } from "../http/page";
import { Pages } from "../http/pages";
import { apiPages } from "./apis/routes";
import { clientPages } from "./clients/routes";
import { Apps } from "./page";
import { TENANTS } from "./place";

/** More than a tenant has, unless its cap is higher. */
const MOST_CLIENTS = 200;

async function appsPage(c: Context<AppEnv>) {
  const [deps, principal] = [c.get("deps"), c.get("principal")];
  const { tenantId, permissions } = principal;
  const isManaged = permissions.has("client.manage");
  const view = {
    own: await connectedAppsOf(deps, principal),
    ofTenant: isManaged ? await appsOfTenant(deps, tenantId) : null,
    registered: {
      clients: isManaged ? (await clientsOf(deps, tenantId, { limit: MOST_CLIENTS })).rows : [],
      apis: isManaged ? await resourcesOf(deps, tenantId) : [],
    },
  };
  return page(c, { title: "Connected apps", section: "security" }, <Apps {...view} />);
}

export const appPages = new Pages()
  .get("/", requires({ openWhenSuspended: true, inConfinedSession: "open" }), appsPage)
  .form("/:id/disconnect", apps.disconnect, { done: flash("/apps", "appDisconnected") })
  .form("/of-tenant/:client/block", appRules.say, {
    input: () => ({ state: "blocked" }),
    done: flash("/apps", "appBlocked"),
  })
  .form("/of-tenant/:client/unblock", appRules.say, {
    input: () => ({ state: null }),
    done: flash("/apps", "appUnblocked"),
  })
  .route("/", clientPages(TENANTS))
  .route("/apis", apiPages(TENANTS)).router;
