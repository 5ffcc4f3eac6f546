/** The tenants of the current user. */
import type { TenantOfUser } from "../../tenancy/tenants/store";
import { LinkButton, PostForm, SubmitButton } from "../components/buttons";
import { Badge } from "../components/display";
import { FailureBanner } from "../components/failure";

interface TenantsProps {
  tenants: readonly TenantOfUser[];
  currentId: string;
  /** Whether the reader may see the domains and connections of the current tenant, and tenants can sign on. */
  hasDomains: boolean;
}

export const Tenants = ({ tenants, currentId, hasDomains }: TenantsProps) => (
  <>
    <h1>Your tenants</h1>
    <FailureBanner />
    <section class="card" aria-label="Your tenants">
      <ul class="list">
        {tenants.map(({ id, name, role }) => (
          <li>
            <div>
              <strong>{name}</strong> <Badge tone="calm">{role}</Badge>{" "}
              {id === currentId && <Badge tone="ok">You are here</Badge>}
            </div>
            {id === currentId ? (
              <div class="row">
                {hasDomains && <LinkButton to="/domains">Domains</LinkButton>}
                {hasDomains && <LinkButton to="/connections">Single sign-on</LinkButton>}
                {role === "owner" && <LinkButton to="/tenants/security">Security</LinkButton>}
                {role === "owner" && <LinkButton to="/tenants/export">Export</LinkButton>}
                <LinkButton to="/tenants/leave" kind="danger">
                  Leave
                </LinkButton>
                {role === "owner" && (
                  <LinkButton to="/tenants/delete" kind="danger">
                    Delete
                  </LinkButton>
                )}
              </div>
            ) : (
              <PostForm action="/tenants/switch" class="inline">
                <input type="hidden" name="tenantId" value={id} />
                <SubmitButton kind="plain" label={`Switch to ${name}`}>
                  Switch
                </SubmitButton>
              </PostForm>
            )}
          </li>
        ))}
      </ul>
    </section>
  </>
);
