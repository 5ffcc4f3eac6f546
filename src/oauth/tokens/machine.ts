/** A program gets a token for itself (RFC 6749 section 4.4): for one API and, where that wants one, for one tenant. */
import type { Deps } from "../../base/deps";
import { PLATFORM_TENANT } from "../../base/schemas/tenant-ref";
import { parseTenantName } from "../../tenancy/tenants/tenant-name";
import { touchClient } from "../clients/store";
import { OAuthError } from "../errors";
import { askedIdentifiers, resourcesAsked } from "../resources/asked";
import { withOurApi } from "../resources/our-api";
import type { ClientRequest, ShownProof } from "./client-check";
import { invalidClient } from "./client-proof";
import { boundKey, requireKey } from "./dpop";
import { readMachine } from "./machine-store";
import { refused } from "./refused";
import type { TokenResponse } from "./response";
import { signMachineToken } from "./sign";
import { isConfidential } from "./store";

/** Throws OAuthError. Whoever proves nothing learns nothing of the client. */
export async function tokensOfMachine(
  deps: Deps,
  proof: ShownProof,
  { form }: Pick<ClientRequest, "form">,
): Promise<TokenResponse> {
  if (!isConfidential(proof)) throw invalidClient(proof.triedBasic);
  const named = form.getAll("resource");
  const tenantName = form.get("tenant");
  const asked = (form.get("scope") ?? "").split(" ").filter(Boolean);
  const wanted = {
    identifiers: askedIdentifiers(deps, named),
    tenant: tenantName === null ? null : parseTenantName(tenantName),
  };
  const { client, tenantId, resources } = await readMachine(deps, proof, wanted, deps.now());
  if (!client) throw invalidClient(proof.triedBasic);
  requireKey(client, proof.jkt);
  if (!client.settings.grants.includes("client_credentials")) {
    throw refused(client.id, new OAuthError("unauthorized_client", "This app gets no tokens for itself."));
  }
  const asking = { named, asked, isBare: asked.length === 0 };
  const at = resourcesAsked(client, asking, withOurApi(deps, resources));
  const [resource] = at.resources;
  if (!resource) throw refused(client.id, new OAuthError("invalid_target", "Name a resource, and scopes that it has."));
  if (tenantId === null && (tenantName !== null || resource.settings.tenantRequired)) {
    throw refused(client.id, new OAuthError("invalid_request", "Name a tenant that this app is for."));
  }
  // A tenant's API gets no tokens that are for another tenant.
  if (![PLATFORM_TENANT, tenantId].includes(resource.tenantId)) {
    throw refused(client.id, new OAuthError("invalid_target", "The resource is of another tenant."));
  }
  deps.background("client use", touchClient(deps, client, deps.now()));
  const { identifier, settings } = resource;
  const scopes = at.scopes.map((granted) => granted.slice(resource.id.length + 1));
  const target = { identifier, algorithm: settings.algorithm, scopes };
  const jkt = boundKey(client, proof.jkt);
  return {
    access_token: await signMachineToken(deps, { client, tenantId, target, jkt, issuedAt: deps.startedAt }),
    token_type: jkt === null ? "Bearer" : "DPoP",
    expires_in: client.settings.accessTokenSeconds,
    scope: scopes.join(" "),
  };
}
