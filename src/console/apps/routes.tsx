/** `/console/apps`: the apps that the user, and that members of the tenant, have allowed something. */
import type { Context } from "hono";
import type { AppEnv } from "../../base/http/env";
import { requires } from "../../base/http/operation";
import { apps, connectedAppsOf } from "../../oauth/apps/api";
import { appRules, appsOfTenant } from "../../oauth/apps/rules/api";
import { flash, page } from "../http/page";
import { Pages } from "../http/pages";
import { Apps } from "./page";

async function appsPage(c: Context<AppEnv>) {
  const [deps, principal] = [c.get("deps"), c.get("principal")];
  const { tenantId, permissions } = principal;
  const view = {
    own: await connectedAppsOf(deps, principal),
    ofTenant: permissions.has("client.manage") ? await appsOfTenant(deps, tenantId) : null,
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
  }).router;
