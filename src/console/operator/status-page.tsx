/** The operator's first page: the alarms, the search, and the state of the service. */
import type { PropsWithChildren } from "hono/jsx";
import { describeFinding } from "../../service/alarms/findings";
import type { Alarm } from "../../service/alarms/store";
import type { SearchResult, ServiceStatus } from "../../service/operators/schemas";
import { GetForm, LinkButton, SubmitButton } from "../components/buttons";
import { Badge, Card, Moment } from "../components/display";
import { FailureBanner } from "../components/failure";
import { TextField } from "../components/fields";
import { bounded, Databases, Queues, timeOr } from "./databases";
import { FailingTenants } from "./failing-tenants";
import { Frozen } from "./frozen";
import { HERE, Runbooks, Unreachable } from "./links";
import { failedShare, percent, perMinute, rateOf } from "./rates";
import { Findings } from "./search-results";

interface OperatorView {
  query: string;
  found: SearchResult | null;
  status: ServiceStatus;
  alarms: readonly Alarm[];
  /** Whether people sign in to apps here. */
  hasApps: boolean;
}

const Alarms = ({ alarms }: { alarms: readonly Alarm[] }) => (
  <Card id="alarms" title="Alarms">
    {alarms.length === 0 ? (
      <p class="muted">Nothing is wrong.</p>
    ) : (
      <ul class="list">
        {alarms.map(({ finding, since }) => {
          const { title, what, advice, runbook } = describeFinding(finding);
          return (
            <li>
              <div>
                <Badge tone="bad">{title}</Badge> since <Moment at={since} />
                <div class="small">
                  {what} {advice}
                </div>
              </div>
              <LinkButton href={`/docs/${runbook}`}>What to do</LinkButton>
            </li>
          );
        })}
      </ul>
    )}
  </Card>
);

export const OperatorStatus = ({ query, found, status, alarms, hasApps }: OperatorView) => (
  <>
    <div class="head">
      <h1>Operator</h1>
      <div class="row">
        <LinkButton to={`${HERE}/keys`}>Platform keys</LinkButton>
        {hasApps && <LinkButton to={`${HERE}/apps`}>Apps</LinkButton>}
        <LinkButton to={`${HERE}/imports`}>Imports</LinkButton>
        <LinkButton to={`${HERE}/activity`}>What operators did</LinkButton>
      </div>
    </div>
    <FailureBanner />
    <Alarms alarms={alarms} />
    <Card id="search" title="Find">
      <search>
        <GetForm class="filters" action={HERE}>
          <TextField
            name="q"
            label="An ID, or the beginning of a tenant's name, an email address or a host"
            type="search"
            value={query}
          />
          <SubmitButton kind="plain">Search</SubmitButton>
        </GetForm>
      </search>
      {found && found.unreachable.length > 0 && <Unreachable shards={found.unreachable} />}
      {found && <Findings found={found} />}
    </Card>
    <Load shards={status.shards} />
    <FailingTenants failingTenants={status.failingTenants} />
    <Frozen holds={status.holds} />
    <Databases shards={status.shards} unreachable={status.unreachable} />
    <Queues queues={status.queues} deadLetters={status.deadLetters} />
    <Runbooks
      of={[
        "runbooks/down",
        "runbooks/lost-factor",
        "runbooks/account-taken",
        "runbooks/leaked-api-key",
        "runbooks/leaked-keys",
        "runbooks/abuse",
      ]}
    />
  </>
);

/** The load of all databases together. */
function Load({ shards }: Pick<ServiceStatus, "shards">) {
  const counted = shards.flatMap(({ attempts }) => attempts ?? []);
  const oldest = shards.flatMap(({ oldestDueAt }) => oldestDueAt ?? []).sort()[0];
  const overdue = {
    count: shards.reduce((sum, shard) => sum + shard.overdue.count, 0),
    isExact: shards.every((shard) => shard.overdue.isExact),
  };
  return (
    <Card id="load" title="Deliveries">
      <dl class="figures">
        <Figure name="Attempts a minute">{counted.length === 0 ? "–" : perMinute(rateOf(counted))}</Figure>
        <Figure name="Failed">{percent(failedShare(counted))}</Figure>
        <Figure name="Overdue">{bounded(overdue)}</Figure>
        <Figure name="Oldest was due">{timeOr(oldest ?? null)}</Figure>
      </dl>
      <p class="small muted">Attempts of this hour and the one before, or of the last full hour in a large database.</p>
    </Card>
  );
}

const Figure = ({ name, children }: PropsWithChildren<{ name: string }>) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);
