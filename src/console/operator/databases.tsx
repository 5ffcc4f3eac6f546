/** The delivery databases and the queues, with their loads. */
import type { ServiceStatus } from "../../operations/operators/schemas";
import { Badge, ScrollArea, Time } from "../components/display";
import { Runbooks, Unreachable } from "./links";
import { failedShare, percent, perMinute, rateOf } from "./rates";

export const bounded = ({ count, isExact }: { count: number; isExact: boolean }) =>
  `${count.toLocaleString("en")}${isExact ? "" : " or more"}`;
export const timeOr = (at: string | null) => (at === null ? "–" : <Time at={at} />);

const DatabaseRow = ({
  shard,
  share,
  openToNewTenants,
  attempts,
  overdue,
  oldestDueAt,
  backlogs,
  oldestInBacklogAt,
  failing,
}: ServiceStatus["shards"][number]) => (
  <tr>
    <td>
      {shard} {!openToNewTenants && <Badge tone="bad">Closed</Badge>}
    </td>
    <td class="num">{percent(share)}</td>
    <td class="num">{attempts === null ? "–" : perMinute(rateOf([attempts]))}</td>
    <td class="num">{attempts === null ? "–" : percent(failedShare([attempts]))}</td>
    <td class="num">{bounded(overdue)}</td>
    <td class="small">{timeOr(oldestDueAt)}</td>
    <td class="num">{backlogs.toLocaleString("en")}</td>
    <td class="small">{timeOr(oldestInBacklogAt)}</td>
    <td class="num">{failing.toLocaleString("en")}</td>
  </tr>
);

export const Databases = ({ shards, unreachable }: Pick<ServiceStatus, "shards" | "unreachable">) => (
  <section class="card" aria-labelledby="databases">
    <h2 id="databases">Delivery databases</h2>
    {unreachable.length > 0 && <Unreachable shards={unreachable} />}
    <ScrollArea label="Sizes and loads">
      <table>
        <thead>
          <tr>
            <th scope="col">Database</th>
            <th scope="col" class="num">
              Full
            </th>
            <th scope="col" class="num">
              Attempts a minute
            </th>
            <th scope="col" class="num">
              Failed
            </th>
            <th scope="col" class="num">
              Due
            </th>
            <th scope="col">Oldest</th>
            <th scope="col" class="num">
              Backlogs
            </th>
            <th scope="col">Oldest in a backlog</th>
            <th scope="col" class="num">
              Failing subscriptions
            </th>
          </tr>
        </thead>
        <tbody>
          {shards.map((load) => (
            <DatabaseRow {...load} />
          ))}
        </tbody>
      </table>
    </ScrollArea>
    <Runbooks of={["runbook-database-full", "runbook-restore", "operations#move-a-tenant-to-another-database"]} />
  </section>
);

export const Queues = ({ queues, deadLetters }: Pick<ServiceStatus, "queues" | "deadLetters">) => (
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
    <Runbooks of={["runbook-dead-letters"]} />
  </section>
);
