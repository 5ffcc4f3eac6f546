/** What each route of a tenant's own clients and resources leaves in the audit log, and a request of each. */
import { signUpVerified } from "../client";
import { newResourceUrl, SCOPES } from "../resources";
import { must, type Recorded } from "./acts";

const CLIENT = { name: "Shop", redirectUrls: ["https://shop.example/callback"] };

/** A new owner with a client or a resource of the tenant, and a call about it, if there is one. */
const on =
  (kind: "clients" | "resources", method?: string, path = "", sent: object = {}) =>
  async () => {
    const owner = await signUpVerified();
    const body = kind === "clients" ? CLIENT : { name: "Notes", identifier: newResourceUrl(), scopes: SCOPES };
    const { data } = await must("POST", `/tenant/${kind}`, body, owner.token);
    if (path.endsWith("/previous")) await must("POST", `/tenant/clients/${data.id}/secret`, {}, owner.token);
    if (method) await must(method, `/tenant/${kind}/${data.id}${path}`, sent, owner.token);
    return owner;
  };

export const CLIENT_ROUTES: Recorded = {
  "POST /tenant/clients": [["client.created"], on("clients")],
  "PATCH /tenant/clients/:id": [["client.updated", "client.created"], on("clients", "PATCH", "", { name: "Store" })],
  "DELETE /tenant/clients/:id": [["client.deleted", "client.created"], on("clients", "DELETE")],
  "POST /tenant/clients/:id/secret": [["client.secret_rotated", "client.created"], on("clients", "POST", "/secret")],
  "DELETE /tenant/clients/:id/secret/previous": [
    ["client.secret_ended", "client.secret_rotated", "client.created"],
    on("clients", "DELETE", "/secret/previous"),
  ],
  "POST /tenant/clients/:id/revoke": [["client.tokens_revoked", "client.created"], on("clients", "POST", "/revoke")],
  "POST /tenant/resources": [["resource.created"], on("resources")],
  "PATCH /tenant/resources/:id": [
    ["resource.updated", "resource.created"],
    on("resources", "PATCH", "", { name: "Papers" }),
  ],
  "DELETE /tenant/resources/:id": [["resource.deleted", "resource.created"], on("resources", "DELETE")],
  "POST /tenant/resources/:id/secret": [
    ["resource.secret_rotated", "resource.created"],
    on("resources", "POST", "/secret"),
  ],
};
