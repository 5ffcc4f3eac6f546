/** `/console/tenants`: the current user's tenants; switching between them, and leaving one. */
import { type Context, Hono } from "hono";
import { leaveTenant } from "../../identity/members/changes";
import { sessions } from "../../identity/sessions/operations";
import { tenantChoice } from "../../identity/sessions/schemas";
import { switchTenant } from "../../identity/sessions/switch-tenant";
import type { AppEnv } from "../../platform/http/env";
import { requires } from "../../platform/http/operation";
import { sessionOf } from "../../platform/http/permissions";
import { listTenantsOfUser } from "../../tenancy/tenants/store";
import { type Failure, parse } from "../failure";
import { orConfirm } from "../http/confirm";
import { deleteConsoleCookie } from "../http/cookies";
import { readForm } from "../http/form";
import { page, redirectWithFlash, rerenderOnError } from "../http/page";
import { setSession } from "../http/session";
import { LeaveTenant, Tenants } from "./page";

async function tenantsPage(c: Context<AppEnv>, failure?: Failure, status = 200) {
  const { userId, tenantId } = c.get("principal");
  const tenants = await listTenantsOfUser(c.get("deps"), userId);
  return page(
    c,
    { title: "Your tenants", section: null, status },
    <Tenants tenants={tenants} currentId={tenantId} failure={failure} />,
  );
}

const leavePage = (c: Context<AppEnv>, failure?: Failure, status = 200) =>
  page(
    c,
    { title: "Leave the tenant", section: null, status },
    <LeaveTenant name={c.get("currentUser").tenantName} failure={failure} />,
  );

export const tenantPages = new Hono<AppEnv>()
  .get("/", requires({ openWhenSuspended: true }), (c) => tenantsPage(c))
  .post("/switch", requires(sessions.switchTenant), async (c) => {
    const form = await readForm(c);
    return rerenderOnError(
      c,
      async () => {
        const { tenantId } = parse(tenantChoice, { tenantId: form.text("tenantId") });
        await setSession(c, await switchTenant(c.get("deps"), sessionOf(c), tenantId));
        return redirectWithFlash(c, "", "switched");
      },
      (failure, status) => tenantsPage(c, failure, status),
    );
  })
  .get("/leave", (c) => leavePage(c))
  .post("/leave", async (c) =>
    rerenderOnError(
      c,
      () =>
        orConfirm(c, "/console/tenants/leave", async () => {
          await leaveTenant(c.get("deps"), sessionOf(c));
          deleteConsoleCookie(c, "session");
          return redirectWithFlash(c, "/sign-in", "left");
        }),
      (failure, status) => leavePage(c, failure, status),
    ),
  );
