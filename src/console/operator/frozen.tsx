/** What operators have frozen, and the buttons that freeze and release all sends. */
import type { ServiceStatus } from "../../service/operators/schemas";
import { LinkButton } from "../components/buttons";
import { Badge, Card, Moment } from "../components/display";
import { HERE, tenantLink } from "./links";

export function Frozen({ holds }: Pick<ServiceStatus, "holds">) {
  const isFrozen = holds.some(({ tenantId }) => tenantId === null);
  return (
    <Card id="frozen" title="Frozen">
      {holds.length === 0 ? (
        <p class="muted">Nothing is frozen.</p>
      ) : (
        <ul class="list">
          {holds.map(({ tenantId, tenantName, cause, since, shard }) => (
            <li>
              <div>
                {tenantId === null && `All tenants of database ${shard}`}
                {tenantId !== null && tenantLink(tenantId, tenantName ?? tenantId)}{" "}
                <Badge tone="wait">{cause === "held" ? "Frozen" : "Suspended"}</Badge>
                <div class="small muted">
                  since <Moment at={since} />
                </div>
              </div>
            </li>
          ))}
        </ul>
      )}
      <p class="row">
        <LinkButton to={`${HERE}/sends/hold`} kind="danger">
          Freeze all sends
        </LinkButton>
        {isFrozen && <LinkButton to={`${HERE}/sends/release`}>Release all sends</LinkButton>}
      </p>
    </Card>
  );
}
