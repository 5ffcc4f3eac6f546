/** `/console/security/delete` and `export`, `/console/tenants/delete` and `export`: leaving with one's data. */
import { type Context, Hono } from "hono";
import { findCredentialsOfUser } from "../../identity/sign-in/store";
import { requireStepUp } from "../../identity/step-up/confirm";
import { deleteAccount } from "../../lifecycle/deletion/account";
import { previewAccount, previewTenant } from "../../lifecycle/deletion/preview-store";
import { accountDeletion, tenantDeletion } from "../../lifecycle/deletion/schemas";
import { deleteTenant } from "../../lifecycle/deletion/tenant";
import { exportAccount } from "../../lifecycle/exports/account";
import { attachment } from "../../lifecycle/exports/attachment";
import { exportTenant } from "../../lifecycle/exports/tenant";
import type { AppEnv } from "../../platform/http/env";
import { ownersOnly, sessionOf } from "../../platform/http/permissions";
import { limit } from "../../platform/http/rate-limit";
import { type Failure, parse } from "../failure";
import { deleteConsoleCookie } from "../http/cookies";
import { readForm } from "../http/form";
import { page, redirectWithFlash, rerenderOnError } from "../http/page";
import { DeleteAccount, DeleteTenant, ExportTenant } from "./pages";

/** False for an account that was created through a provider and has set no password since. */
async function hasPassword(c: Context<AppEnv>): Promise<boolean> {
  const user = await findCredentialsOfUser(c.get("deps"), c.get("principal").userId);
  return user?.passwordHash !== "";
}

/** The proof that the forms of a tenant ask for: the password, if the user has one. */
async function proofIn(c: Context<AppEnv>) {
  const form = await readForm(c);
  return parse(tenantDeletion, (await hasPassword(c)) ? { password: form.text("password") } : {});
}

async function deleteAccountPage(c: Context<AppEnv>, failure?: Failure, status = 200) {
  const deps = c.get("deps");
  const preview = await previewAccount(deps, c.get("principal").userId, deps.now());
  const { twoFactorEnabled } = c.get("currentUser");
  return page(
    c,
    { title: "Delete your account", section: "security", status },
    <DeleteAccount
      preview={preview}
      hasPassword={await hasPassword(c)}
      twoFactorEnabled={twoFactorEnabled}
      failure={failure}
    />,
  );
}

async function deleteTenantPage(c: Context<AppEnv>, failure?: Failure, status = 200) {
  const preview = await previewTenant(c.get("deps"), c.get("principal"), c.get("deps").now());
  return page(
    c,
    { title: "Delete the tenant", section: null, status },
    <DeleteTenant
      name={c.get("currentUser").tenantName}
      hasPassword={await hasPassword(c)}
      preview={preview}
      failure={failure}
    />,
  );
}

async function exportTenantPage(c: Context<AppEnv>, failure?: Failure, status = 200) {
  return page(
    c,
    { title: "Export the tenant", section: null, status },
    <ExportTenant name={c.get("currentUser").tenantName} hasPassword={await hasPassword(c)} failure={failure} />,
  );
}

/** Under `/security`. */
export const accountEndPages = new Hono<AppEnv>()
  .get("/export", limit("exportAccount", "user"), async (c) =>
    c.json(await exportAccount(c.get("deps"), sessionOf(c)), 200, attachment("account")),
  )
  .get("/delete", (c) => deleteAccountPage(c))
  .post("/delete", limit("deleteAccount", "user"), async (c) => {
    const form = await readForm(c);
    return rerenderOnError(
      c,
      async () => {
        const input = parse(accountDeletion, {
          password: form.optional("password"),
          totp: form.optional("totp"),
          deleteTenants: form.text("deleteTenants") === "yes",
        });
        await deleteAccount(c.get("deps"), sessionOf(c), input);
        deleteConsoleCookie(c, "session");
        return redirectWithFlash(c, "/sign-in", "accountDeleted");
      },
      (failure, status, error) => {
        const message = error.code === "CONFLICT" ? "Confirm that your tenants are deleted too." : failure.message;
        return deleteAccountPage(c, { ...failure, message }, status);
      },
    );
  });

/** Under `/tenants`. */
export const tenantEndPages = new Hono<AppEnv>()
  .get("/delete", ownersOnly, (c) => deleteTenantPage(c))
  .post("/delete", ownersOnly, limit("deleteTenant", "user"), async (c) => {
    return rerenderOnError(
      c,
      async () => {
        await deleteTenant(c.get("deps"), sessionOf(c), await proofIn(c));
        deleteConsoleCookie(c, "session");
        return redirectWithFlash(c, "/sign-in", "tenantDeleted");
      },
      (failure, status) => deleteTenantPage(c, failure, status),
    );
  })
  .get("/export", ownersOnly, (c) => exportTenantPage(c))
  .post("/export", ownersOnly, limit("exportTenant", "tenant"), async (c) => {
    return rerenderOnError(
      c,
      async () => {
        await requireStepUp(c.get("deps"), sessionOf(c), await proofIn(c));
        return c.body(await exportTenant(c.get("deps"), sessionOf(c)), 200, attachment("tenant"));
      },
      (failure, status) => exportTenantPage(c, failure, status),
    );
  });
