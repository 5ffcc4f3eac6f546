/** The tenants whose subscriptions fail most. */
import type { ServiceStatus } from "../../service/operators/schemas";
import { Card, Moment } from "../components/display";
import { Table } from "../components/table";
import { Runbooks, tenantLink } from "./links";

export const FailingTenants = ({ failingTenants }: Pick<ServiceStatus, "failingTenants">) => (
  <Card id="failing-tenants" title="Failing tenants">
    {failingTenants.length === 0 ? (
      <p class="muted">No tenant has a failing subscription.</p>
    ) : (
      <>
        <Table
          label="Tenants with failing subscriptions"
          opens
          columns={["Tenant", ["Failing subscriptions", "num"], "Since"]}
        >
          {failingTenants.map(({ tenantId, tenantName, failing, since }) => (
            <tr>
              <td class="break">{tenantLink(tenantId, tenantName)}</td>
              <td class="num">{failing.toLocaleString("en")}</td>
              <td class="small">
                <Moment at={since} />
              </td>
            </tr>
          ))}
        </Table>
        <Runbooks of={["runbooks/attempts-fail", "runbooks/abuse"]} />
      </>
    )}
  </Card>
);
