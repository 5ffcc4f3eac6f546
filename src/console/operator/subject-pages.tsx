/** A tenant and a person as operators see them, with what can be done. */
import type { OperatedPerson, OperatedTenant } from "../../service/operators/schemas";
import { LinkButton } from "../components/buttons";
import { Badge, Card, Moment, Time } from "../components/display";
import { type Fact, FactList } from "../components/facts";
import { A } from "../components/mount";
import { Trail } from "../components/trail";
import { HERE, Runbooks } from "./links";
import { failedShare, percent } from "./rates";
import { TenantSubscriptions } from "./tenant-subscriptions";

const Suspended = ({ suspended }: Pick<OperatedTenant, "suspended">) =>
  suspended && (
    <p>
      <Badge tone="bad">Suspended</Badge> since <Moment at={suspended.at} />
      {suspended.reason && `: ${suspended.reason}`}
    </p>
  );

const number = (count: number) => count.toLocaleString("en");

interface OperatorTenantProps {
  tenant: OperatedTenant;
  /** Whether there is another database. */
  canMove: boolean;
}

export const OperatorTenant = ({ tenant, canMove }: OperatorTenantProps) => (
  <>
    <Trail to={{ [HERE]: "Operator" }} />
    <h1>{tenant.name}</h1>
    <Suspended suspended={tenant.suspended} />
    <Card id="state" title="State">
      <TenantFacts tenant={tenant} />
      <TenantActions tenant={tenant} canMove={canMove} />
      <Runbooks of={["runbooks/abuse", "runbooks/leaked-api-key", "operations#move-a-tenant-to-another-database"]} />
    </Card>
    <TenantSubscriptions tenant={tenant} />
  </>
);

function TenantFacts({ tenant }: { tenant: OperatedTenant }) {
  const { openDeliveries, oldestDueAt } = tenant;
  return (
    <FactList
      facts={[
        ["ID", tenant.id, "break"],
        ["Your own ID", tenant.externalId ?? "none", "break"],
        ["Created", <Time at={tenant.createdAt} />],
        ["Delivery database", [String(tenant.shard), moveText(tenant.move)]],
        ["Members", number(tenant.members)],
        ["Owners", tenant.owners.map((owner) => <Owner {...owner} />), "break"],
        ["API keys", number(tenant.apiKeys)],
        ["Subscriptions", countsOf(tenant.subscriptions)],
        [
          "Open deliveries",
          <>
            {number(openDeliveries.count)}
            {!openDeliveries.isExact && " or more"}
            {oldestDueAt && (
              <>
                , the oldest due <Time at={oldestDueAt} />
              </>
            )}
          </>,
        ],
        ["Attempts", <Attempts {...tenant.attempts} />],
        ...signOnFacts(tenant),
        ["Frozen", tenant.holds.length === 0 ? "none" : tenant.holds.map((freeze) => <Freeze {...freeze} />)],
      ]}
    />
  );
}

function signOnFacts({ signOn }: OperatedTenant): Fact[] {
  if (!signOn) return [];
  const { connections, domains, jobs } = signOn;
  return [
    ["Connections", connections.length === 0 ? "none" : connections.map((one) => <Connection {...one} />)],
    [
      "Domains",
      domains.length === 0 ? "none" : domains.map(({ domain, state }) => <div>{`${domain}: ${state}`}</div>),
      "break",
    ],
    jobs.length > 0 && [
      "Work on directories",
      jobs.map(({ connectionId, kind, parts, since: at }) => (
        <div>
          {JOB_TEXTS[kind]} ({connectionId}, {number(parts)} left) since <Time at={at} />
        </div>
      )),
      "break",
    ],
  ];
}

const JOB_TEXTS = {
  roles: "Roles by the rules",
  end: "Deleting what a connection has left",
  removed: "Recording whom a connection has removed",
} as const;

type OperatedConnection = NonNullable<OperatedTenant["signOn"]>["connections"][number];

const Connection = ({ name, kind, state, lastSignOnAt, failingSince, scimTokens, directory }: OperatedConnection) => (
  <div>
    {name} ({kind}): {state},{" "}
    {lastSignOnAt === null ? (
      "no sign-on yet"
    ) : (
      <>
        last sign-on <Time at={lastSignOnAt} />
      </>
    )}
    {failingSince && (
      <>
        , <Badge tone="bad">Failing</Badge> since <Moment at={failingSince} />
      </>
    )}
    {directory && <Directory {...directory} />}
    {scimTokens.map((token) => (
      <ScimToken {...token} />
    ))}
  </div>
);

type OperatedDirectory = NonNullable<OperatedConnection["directory"]>;

const Directory = ({ active, inactive, held, groups, lastRequestAt }: OperatedDirectory) => (
  <div>
    Directory: {number(active)} active, {number(inactive)} inactive, {number(held)} held, {number(groups)} groups
    {lastRequestAt && (
      <>
        , last call <Time at={lastRequestAt} />
      </>
    )}
  </div>
);

const ScimToken = ({ createdAt, lastUsedAt, expiresAt }: OperatedConnection["scimTokens"][number]) => (
  <div>
    SCIM token made <Time at={createdAt} />,{" "}
    {lastUsedAt === null ? (
      "never used"
    ) : (
      <>
        last used <Time at={lastUsedAt} />
      </>
    )}
    {expiresAt && (
      <>
        , ends <Moment at={expiresAt} />
      </>
    )}
  </div>
);

const Owner = ({ id, email }: OperatedTenant["owners"][number]) => (
  <div>
    <A to={`${HERE}/people/${id}`}>{email}</A>
  </div>
);

const MOVE_STATES = {
  moving: ({ to, rowsLeft }) => `; it is being moved to ${to}, ${number(rowsLeft ?? 0)} rows left`,
  moved: ({ from }) => `; what was published before its move is in ${from}`,
  ended: ({ from }) => `; it was in ${from} before`,
  cancelled: ({ to }) => `; its move to ${to} was cancelled`,
} as const satisfies Record<string, (move: { from: number; to: number; rowsLeft: number | null }) => string>;

const moveText = (move: OperatedTenant["move"]) => move && MOVE_STATES[move.state](move);

function countsOf({ total, ...states }: OperatedTenant["subscriptions"]) {
  const counts = (["active", "failing", "paused", "disabled"] as const).map(
    (state) => `${number(states[state])} ${state}`,
  );
  return `${number(total)}: ${counts.join(", ")}`;
}

const Attempts = ({ succeeded, failed, since }: OperatedTenant["attempts"]) => (
  <>
    {number(succeeded)} succeeded, {number(failed)} failed
    {failedShare([{ succeeded, failed }]) !== null && ` (${percent(failedShare([{ succeeded, failed }]))})`} since{" "}
    <Moment at={since} />
  </>
);

const Freeze = ({ cause, since, ofAllTenants }: OperatedTenant["holds"][number]) => (
  <div>
    {cause === "held" ? "by an operator" : "with a suspension"}
    {ofAllTenants && ", with all tenants,"} since <Moment at={since} />
  </div>
);

function TenantActions({ tenant: { id, suspended, holds, signOn }, canMove }: OperatorTenantProps) {
  // Whoever requires sign-on has one.
  const canEndSignOn = signOn?.connections.some(({ state }) => state === "active");
  const isFrozen = holds.some(({ cause, ofAllTenants }) => cause === "held" && !ofAllTenants);
  // A suspension that failed half-way has left its deliveries frozen; resuming removes that too.
  const canResume = suspended !== null || holds.some(({ cause }) => cause === "suspended");
  return (
    <p class="row">
      {canResume ? (
        <LinkButton to={`${HERE}/tenants/${id}/resume`}>Resume</LinkButton>
      ) : (
        <LinkButton to={`${HERE}/tenants/${id}/suspend`} kind="danger">
          Suspend
        </LinkButton>
      )}
      {isFrozen ? (
        <LinkButton to={`${HERE}/tenants/${id}/sends/release`}>Release its sends</LinkButton>
      ) : (
        <LinkButton to={`${HERE}/tenants/${id}/sends/hold`} kind="danger">
          Freeze its sends
        </LinkButton>
      )}
      {canEndSignOn && (
        <LinkButton to={`${HERE}/tenants/${id}/sign-on/end`} kind="danger">
          Require no sign-on
        </LinkButton>
      )}
      {canMove && <LinkButton to={`${HERE}/tenants/${id}/move`}>Move to another database</LinkButton>}
    </p>
  );
}

export function OperatorPerson({ person }: { person: OperatedPerson }) {
  const { id, email, name, suspended, emailVerified, twoFactorEnabled, tenants } = person;
  return (
    <>
      <Trail to={{ [HERE]: "Operator" }} />
      <h1 class="break">{email}</h1>
      <Suspended suspended={suspended} />
      <Card id="state" title="State">
        <FactList
          facts={[
            ["ID", id, "break"],
            ["Your own ID", person.externalId ?? "none", "break"],
            ["Name", name ?? "–"],
            ["Created", <Time at={person.createdAt} />],
            ["Address", emailVerified ? "verified" : "not verified"],
            ["Second factor", twoFactorEnabled ? "on" : "off"],
            ["Sessions", number(person.sessions)],
            ["API keys", number(person.apiKeys)],
            ["Tenants", tenants.map((tenant) => <TenantOf {...tenant} />)],
          ]}
        />
        <p class="row">
          {suspended ? (
            <LinkButton to={`${HERE}/people/${id}/resume`}>Resume</LinkButton>
          ) : (
            <LinkButton to={`${HERE}/people/${id}/suspend`} kind="danger">
              Suspend
            </LinkButton>
          )}
          <LinkButton to={`${HERE}/people/${id}/sessions/revoke`} kind="danger">
            End all sessions
          </LinkButton>
          {twoFactorEnabled && (
            <LinkButton to={`${HERE}/people/${id}/two-factor/remove`} kind="danger">
              Remove the second factor
            </LinkButton>
          )}
        </p>
        <Runbooks of={["runbooks/lost-factor", "runbooks/account-taken"]} />
      </Card>
    </>
  );
}

const TenantOf = ({ id, name, role }: OperatedPerson["tenants"][number]) => (
  <div>
    <A to={`${HERE}/tenants/${id}`}>{name}</A>, {role}
  </div>
);
