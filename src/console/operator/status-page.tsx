/** The operator's first page: the search, and the state of the service. */
import { describeFinding } from "../../operations/alarms/findings";
import type { SearchResult, ServiceStatus } from "../../operations/operators/schemas";
import { LinkButton } from "../components/buttons";
import { Badge, EmptyState, FailureBanner, Moment, ScrollArea, Time } from "../components/display";
import { TextField } from "../components/fields";
import type { Failure } from "../failure";

const HERE = "/console/operator";

interface OperatorView {
  query: string;
  found: SearchResult | null;
  status: ServiceStatus;
  alarms: readonly OpenAlarm[];
  failure?: Failure | undefined;
}

/** An alarm that lasts. */
interface OpenAlarm {
  finding: string;
  /** Unix ms. */
  since: number;
}

const Alarms = ({ alarms }: { alarms: readonly OpenAlarm[] }) => (
  <section class="card" aria-labelledby="alarms">
    <h2 id="alarms">Alarms</h2>
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
  </section>
);

export const Operator = ({ query, found, status, alarms, failure }: OperatorView) => (
  <>
    <h1>Operator</h1>
    <FailureBanner failure={failure} />
    <Alarms alarms={alarms} />
    <section class="card" aria-labelledby="search">
      <h2 id="search">Find</h2>
      <search>
        <form class="filters" method="get" action={HERE}>
          <TextField
            name="q"
            label="An ID, or the beginning of a tenant's name, an email address or a host"
            type="search"
            value={query}
            failure={failure}
          />
          <button type="submit" class="button plain">
            Search
          </button>
        </form>
      </search>
      {found && found.unreachable.length > 0 && <Unreachable shards={found.unreachable} />}
      {found && <Findings found={found} />}
    </section>
    <p class="row">
      <LinkButton href={`${HERE}/keys`}>Platform keys</LinkButton>
      <LinkButton href={`${HERE}/activity`}>What operators did</LinkButton>
    </p>
    <Status status={status} />
  </>
);

const Unreachable = ({ shards }: { shards: readonly number[] }) => (
  <p>No answer from the databases: {shards.join(", ")}.</p>
);

const tenantLink = (id: string, name: string) => <a href={`${HERE}/tenants/${id}`}>{name}</a>;
const suspended = (isSuspended: boolean) => isSuspended && <Badge tone="bad">Suspended</Badge>;

function Findings({ found: { tenants, people, subscriptions, events, deliveries } }: { found: SearchResult }) {
  const count = tenants.length + people.length + subscriptions.length + events.length + deliveries.length;
  if (count === 0) return <EmptyState title="Nothing found" />;
  return (
    <ul class="list">
      {tenants.map(({ id, name, isSuspended }) => (
        <li>
          <div>
            Tenant {tenantLink(id, name)} {suspended(isSuspended)}
            <div class="small muted break">{id}</div>
          </div>
        </li>
      ))}
      {people.map(({ id, email, isSuspended }) => (
        <li>
          <div class="break">
            Person <a href={`${HERE}/people/${id}`}>{email}</a> {suspended(isSuspended)}
          </div>
        </li>
      ))}
      {subscriptions.map(({ id, name, host, tenantId, tenantName }) => (
        <li>
          <div class="break">
            Subscription {name} to {host}, of {tenantLink(tenantId, tenantName)}
            <div class="small muted">{id}</div>
          </div>
        </li>
      ))}
      {events.map(({ id, type, createdAt, tenantId, tenantName }) => (
        <li>
          <div class="break">
            Event {type} of {tenantLink(tenantId, tenantName)}, <Time at={createdAt} />
            <div class="small muted">{id}</div>
          </div>
        </li>
      ))}
      {deliveries.map(({ id, webhookId, eventId, tenantId, tenantName }) => (
        <li>
          <div class="break">
            Delivery {id} of {tenantLink(tenantId, tenantName)}
            <div class="small muted">
              subscription {webhookId}, event {eventId}
            </div>
          </div>
        </li>
      ))}
    </ul>
  );
}

function Status({ status: { shards, queues, deadLetters, holds, unreachable } }: { status: ServiceStatus }) {
  const isFrozen = holds.some(({ tenantId }) => tenantId === null);
  return (
    <>
      <section class="card" aria-labelledby="frozen">
        <h2 id="frozen">Frozen</h2>
        {holds.length === 0 ? (
          <p class="muted">Nothing is frozen.</p>
        ) : (
          <ul class="list">
            {holds.map(({ tenantId, tenantName, cause, since, shard }) => (
              <li>
                <div>
                  {tenantId === null
                    ? `All tenants of database ${shard}`
                    : tenantLink(tenantId, tenantName ?? tenantId)}{" "}
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
          <LinkButton href={`${HERE}/sends/hold`} kind="danger">
            Freeze all sends
          </LinkButton>
          {isFrozen && <LinkButton href={`${HERE}/sends/release`}>Release all sends</LinkButton>}
        </p>
      </section>
      <Databases shards={shards} unreachable={unreachable} />
      <Queues queues={queues} deadLetters={deadLetters} />
    </>
  );
}

const bounded = ({ count, isExact }: { count: number; isExact: boolean }) =>
  `${count.toLocaleString("en")}${isExact ? "" : " or more"}`;
const timeOr = (at: string | null) => (at === null ? "–" : <Time at={at} />);

const Databases = ({ shards, unreachable }: Pick<ServiceStatus, "shards" | "unreachable">) => (
  <section class="card" aria-labelledby="databases">
    <h2 id="databases">Delivery databases</h2>
    {unreachable.length > 0 && <Unreachable shards={unreachable} />}
    <ScrollArea label="Sizes and loads">
      <table>
        <thead>
          <tr>
            <th scope="col">Database</th>
            <th scope="col">Full</th>
            <th scope="col">Due</th>
            <th scope="col">Oldest</th>
            <th scope="col">Backlogs</th>
            <th scope="col">Oldest in a backlog</th>
            <th scope="col">Failing</th>
          </tr>
        </thead>
        <tbody>
          {shards.map(
            ({ shard, share, openToNewTenants, overdue, oldestDueAt, backlogs, oldestInBacklogAt, failing }) => (
              <tr>
                <td>
                  {shard} {!openToNewTenants && <Badge tone="bad">Closed</Badge>}
                </td>
                <td>{share === null ? "–" : `${(100 * share).toFixed(1)} %`}</td>
                <td>{bounded(overdue)}</td>
                <td class="small">{timeOr(oldestDueAt)}</td>
                <td>{backlogs.toLocaleString("en")}</td>
                <td class="small">{timeOr(oldestInBacklogAt)}</td>
                <td>{failing.toLocaleString("en")}</td>
              </tr>
            ),
          )}
        </tbody>
      </table>
    </ScrollArea>
  </section>
);

const Queues = ({ queues, deadLetters }: Pick<ServiceStatus, "queues" | "deadLetters">) => (
  <section class="card" aria-labelledby="queues">
    <h2 id="queues">Queues</h2>
    <dl class="facts">
      {queues.map(({ name, messages, oldestAt }) => (
        <>
          <dt>{name}</dt>
          <dd>
            {messages === null ? "not known here" : `${messages.toLocaleString("en")} messages`}{" "}
            {oldestAt !== null && (
              <>
                the oldest of <Time at={oldestAt} />
              </>
            )}
          </dd>
        </>
      ))}
      <dt>Dead letters of the last seven days</dt>
      <dd>
        {deadLetters.length === 0
          ? "none"
          : deadLetters.map(({ queue, hour, messages }) => (
              <div>
                {messages.toLocaleString("en")} of {queue}, <Time at={hour} />
              </div>
            ))}
      </dd>
    </dl>
  </section>
);
