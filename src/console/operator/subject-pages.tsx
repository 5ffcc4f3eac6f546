/** A tenant and a person as operators see them, with what can be done. */
import type { OperatedPerson, OperatedTenant } from "../../operations/operators/schemas";
import { LinkButton } from "../components/buttons";
import { Badge, Moment, Time } from "../components/display";
import { HERE, Runbooks } from "./links";
import { failedShare, percent } from "./rates";
import { TenantSubscriptions } from "./tenant-subscriptions";

const Trail = () => (
  <p class="trail">
    <a href={HERE}>Operator</a>
  </p>
);

const Suspended = ({ suspended }: Pick<OperatedTenant, "suspended">) =>
  suspended && (
    <p>
      <Badge tone="bad">Suspended</Badge> since <Moment at={suspended.at} />
      {suspended.reason && `: ${suspended.reason}`}
    </p>
  );

const number = (count: number) => count.toLocaleString("en");

export const OperatorTenant = ({ tenant }: { tenant: OperatedTenant }) => (
  <>
    <Trail />
    <h1>{tenant.name}</h1>
    <Suspended suspended={tenant.suspended} />
    <section class="card" aria-labelledby="state">
      <h2 id="state">State</h2>
      <TenantFacts tenant={tenant} />
      <TenantActions tenant={tenant} />
      <Runbooks of={["runbook-abuse", "runbook-leaked-api-key", "operations#move-a-tenant-to-another-database"]} />
    </section>
    <TenantSubscriptions tenant={tenant} />
  </>
);

const TenantFacts = ({ tenant }: { tenant: OperatedTenant }) => (
  <dl class="facts">
    <dt>ID</dt>
    <dd class="break">{tenant.id}</dd>
    <dt>Created</dt>
    <dd>
      <Time at={tenant.createdAt} />
    </dd>
    <dt>Delivery database</dt>
    <dd>
      {tenant.shard}
      <Moved move={tenant.move} />
    </dd>
    <dt>Members</dt>
    <dd>{number(tenant.members)}</dd>
    <dt>Owners</dt>
    <dd class="break">
      {tenant.owners.map((owner) => (
        <div>
          <a href={`${HERE}/people/${owner.id}`}>{owner.email}</a>
        </div>
      ))}
    </dd>
    <dt>API keys</dt>
    <dd>{number(tenant.apiKeys)}</dd>
    <dt>Subscriptions</dt>
    <dd>
      <Counted {...tenant.subscriptions} />
    </dd>
    <DeliveryFacts tenant={tenant} />
  </dl>
);

const MOVE_STATES = {
  moving: ({ to }) => `; it is being moved to ${to}`,
  moved: ({ from }) => `; what was published before its move is in ${from}`,
  ended: ({ from }) => `; it was in ${from} before`,
} as const satisfies Record<string, (move: { from: number; to: number }) => string>;

const Moved = ({ move }: Pick<OperatedTenant, "move">) => move && <>{MOVE_STATES[move.state](move)}</>;

function Counted({ total, ...states }: OperatedTenant["subscriptions"]) {
  const counts = (["active", "failing", "paused", "disabled"] as const).map(
    (state) => `${number(states[state])} ${state}`,
  );
  return `${number(total)}: ${counts.join(", ")}`;
}

const DeliveryFacts = ({ tenant: { openDeliveries, oldestDueAt, attempts, holds } }: { tenant: OperatedTenant }) => (
  <>
    <dt>Open deliveries</dt>
    <dd>
      {number(openDeliveries.count)}
      {!openDeliveries.isExact && " or more"}
      {oldestDueAt && (
        <>
          , the oldest due <Time at={oldestDueAt} />
        </>
      )}
    </dd>
    <dt>Attempts</dt>
    <dd>
      {number(attempts.succeeded)} succeeded, {number(attempts.failed)} failed
      {failedShare([attempts]) !== null && ` (${percent(failedShare([attempts]))})`} since{" "}
      <Moment at={attempts.since} />
    </dd>
    <dt>Frozen</dt>
    <dd>
      {holds.length === 0
        ? "none"
        : holds.map(({ cause, since, ofAllTenants }) => (
            <div>
              {cause === "held" ? "by an operator" : "with a suspension"}
              {ofAllTenants && ", with all tenants,"} since <Moment at={since} />
            </div>
          ))}
    </dd>
  </>
);

function TenantActions({ tenant: { id, suspended, holds } }: { tenant: OperatedTenant }) {
  const isFrozen = holds.some(({ cause, ofAllTenants }) => cause === "held" && !ofAllTenants);
  // A suspension that failed half-way has left its deliveries frozen; resuming removes that too.
  const canResume = suspended !== null || holds.some(({ cause }) => cause === "suspended");
  return (
    <p class="row">
      {canResume ? (
        <LinkButton href={`${HERE}/tenants/${id}/resume`}>Resume</LinkButton>
      ) : (
        <LinkButton href={`${HERE}/tenants/${id}/suspend`} kind="danger">
          Suspend
        </LinkButton>
      )}
      {isFrozen ? (
        <LinkButton href={`${HERE}/tenants/${id}/sends/release`}>Release its sends</LinkButton>
      ) : (
        <LinkButton href={`${HERE}/tenants/${id}/sends/hold`} kind="danger">
          Freeze its sends
        </LinkButton>
      )}
      <LinkButton href={`${HERE}/tenants/${id}/move`}>Move to another database</LinkButton>
    </p>
  );
}

export function OperatorPerson({ person }: { person: OperatedPerson }) {
  const { id, email, name, suspended, emailVerified, twoFactorEnabled, tenants } = person;
  return (
    <>
      <Trail />
      <h1 class="break">{email}</h1>
      <Suspended suspended={suspended} />
      <section class="card" aria-labelledby="state">
        <h2 id="state">State</h2>
        <dl class="facts">
          <dt>ID</dt>
          <dd class="break">{id}</dd>
          <dt>Name</dt>
          <dd>{name ?? "–"}</dd>
          <dt>Created</dt>
          <dd>
            <Time at={person.createdAt} />
          </dd>
          <dt>Address</dt>
          <dd>{emailVerified ? "verified" : "not verified"}</dd>
          <dt>Second factor</dt>
          <dd>{twoFactorEnabled ? "on" : "off"}</dd>
          <dt>Sessions</dt>
          <dd>{number(person.sessions)}</dd>
          <dt>API keys</dt>
          <dd>{number(person.apiKeys)}</dd>
          <dt>Tenants</dt>
          <dd>
            {tenants.map((tenant) => (
              <div>
                <a href={`${HERE}/tenants/${tenant.id}`}>{tenant.name}</a>, {tenant.role}
              </div>
            ))}
          </dd>
        </dl>
        <p class="row">
          {suspended ? (
            <LinkButton href={`${HERE}/people/${id}/resume`}>Resume</LinkButton>
          ) : (
            <LinkButton href={`${HERE}/people/${id}/suspend`} kind="danger">
              Suspend
            </LinkButton>
          )}
          <LinkButton href={`${HERE}/people/${id}/sessions/revoke`} kind="danger">
            End all sessions
          </LinkButton>
          {twoFactorEnabled && (
            <LinkButton href={`${HERE}/people/${id}/two-factor/remove`} kind="danger">
              Remove the second factor
            </LinkButton>
          )}
        </p>
        <Runbooks of={["runbook-lost-factor", "runbook-account-taken"]} />
      </section>
    </>
  );
}
