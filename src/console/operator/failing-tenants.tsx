/** The tenants whose subscriptions fail most. */
import type { ServiceStatus } from "../../operations/operators/schemas";
import { Moment, ScrollArea } from "../components/display";
import { Runbooks, tenantLink } from "./links";

export const FailingTenants = ({ failingTenants }: Pick<ServiceStatus, "failingTenants">) => (
  <section class="card" aria-labelledby="failing-tenants">
    <h2 id="failing-tenants">Failing tenants</h2>
    {failingTenants.length === 0 ? (
      <p class="muted">No tenant has a failing subscription.</p>
    ) : (
      <>
        <ScrollArea label="Tenants with failing subscriptions">
          <table>
            <thead>
              <tr>
                <th scope="col">Tenant</th>
                <th scope="col" class="num">
                  Failing subscriptions
                </th>
                <th scope="col">Since</th>
              </tr>
            </thead>
            <tbody>
              {failingTenants.map(({ tenantId, tenantName, failing, since }) => (
                <tr>
                  <td class="break">{tenantLink(tenantId, tenantName)}</td>
                  <td class="num">{failing.toLocaleString("en")}</td>
                  <td class="small">
                    <Moment at={since} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollArea>
        <Runbooks of={["runbook-attempts-fail", "runbook-abuse"]} />
      </>
    )}
  </section>
);
