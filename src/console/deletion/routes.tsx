/** `/console/security/delete` and `export`, `/console/tenants/delete` and `export`: leaving with one's data. */
import type { Context } from "hono";
import type { AppEnv } from "../../base/http/env";
import { requires } from "../../base/http/operation";
import { findCredentialsOfUser } from "../../identity/accounts/credentials-store";
import { deletion } from "../../lifecycle/deletion/api";
import { previewAccount, previewTenant } from "../../lifecycle/deletion/preview-store";
import { exports } from "../../lifecycle/exports/api";
import { attachment } from "../../lifecycle/exports/attachment";
import type { Form } from "../http/form";
import { inOtherWords, page, type Refused } from "../http/page";
import { Pages } from "../http/pages";
import { signedOut } from "../http/session";
import { DeleteAccount, DeleteTenant, ExportAccount, ExportTenant } from "./pages";

const OWNER = { permission: "owner" } as const;

/** False where passwords are off, and for an account that has never set one. */
async function hasPassword(c: Context<AppEnv>): Promise<boolean> {
  if (c.get("deps").config.passwords === "off") return false;
  const user = await findCredentialsOfUser(c.get("deps"), c.get("principal").userId);
  return user?.passwordHash !== "";
}

/** The credentials that exports, and the deletion of a tenant, ask for: the password, if the user has one. */
const CREDENTIALS = {
  values: (sent: Form) => sent.texts("password"),
  input: async (values: { password: string }, c: Context<AppEnv>) => ((await hasPassword(c)) ? values : {}),
};

async function deleteAccountPage(c: Context<AppEnv>, refused?: Refused) {
  const deps = c.get("deps");
  const preview = await previewAccount(deps, c.get("principal").userId, deps.now());
  const { twoFactorEnabled } = c.get("currentUser");
  const isUnconfirmed = refused?.error.code === "CONFLICT";
  const shown = isUnconfirmed
    ? inOtherWords(refused, { message: "Confirm that your tenants are deleted too." })
    : refused;
  return page(
    c,
    { title: "Delete your account", section: "security", refused: shown },
    <DeleteAccount preview={preview} hasPassword={await hasPassword(c)} twoFactorEnabled={twoFactorEnabled} />,
  );
}

async function deleteTenantPage(c: Context<AppEnv>, refused?: Refused) {
  const preview = await previewTenant(c.get("deps"), c.get("principal"), c.get("deps").now());
  return page(
    c,
    { title: "Delete the tenant", refused },
    <DeleteTenant name={c.get("currentUser").tenantName} hasPassword={await hasPassword(c)} preview={preview} />,
  );
}

async function exportAccountPage(c: Context<AppEnv>, refused?: Refused) {
  return page(
    c,
    { title: "Export your data", section: "security", refused },
    <ExportAccount hasPassword={await hasPassword(c)} />,
  );
}

async function exportTenantPage(c: Context<AppEnv>, refused?: Refused) {
  const { tenantName } = c.get("currentUser");
  return page(
    c,
    { title: "Export the tenant", refused },
    <ExportTenant name={tenantName} hasPassword={await hasPassword(c)} />,
  );
}

/** Under `/security`. */
export const accountEndPages = new Pages()
  .get("/export", requires({ openWhenSuspended: true }), (c) => exportAccountPage(c))
  .form("/export", exports.ofAccountWithCredentials, {
    ...CREDENTIALS,
    done: (c, data) => c.json(data, 200, attachment("account")),
    again: (c, refused) => exportAccountPage(c, refused),
    confirmedAt: () => "/security/export",
  })
  .get("/delete", requires({ openWhenSuspended: true }), (c) => deleteAccountPage(c))
  .form("/delete", deletion.ofAccount, {
    values: (sent) => ({
      password: sent.optional("password"),
      totp: sent.optional("totp"),
      deleteTenants: sent.text("deleteTenants") === "yes",
    }),
    done: signedOut("accountDeleted"),
    again: (c, refused) => deleteAccountPage(c, refused),
  }).router;

/** Under `/tenants`. */
export const tenantEndPages = new Pages()
  .get("/delete", requires(OWNER), (c) => deleteTenantPage(c))
  .form("/delete", deletion.ofTenant, {
    ...CREDENTIALS,
    done: signedOut("tenantDeleted"),
    again: (c, refused) => deleteTenantPage(c, refused),
    confirmedAt: () => "/tenants/delete",
  })
  .get("/export", requires(OWNER), (c) => exportTenantPage(c))
  .form("/export", exports.ofTenantWithCredentials, {
    ...CREDENTIALS,
    done: (c, file) => c.body(file, 200, attachment("tenant")),
    again: (c, refused) => exportTenantPage(c, refused),
    confirmedAt: () => "/tenants/export",
  }).router;
