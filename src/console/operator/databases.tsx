/** The delivery databases and the queues, with their loads. */
import type { ServiceStatus } from "../../service/operators/schemas";
import { Badge, Card, Time } from "../components/display";
import { FactList } from "../components/facts";
import { Table } from "../components/table";
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
  <Card id="databases" title="Delivery databases">
    {unreachable.length > 0 && <Unreachable shards={unreachable} />}
    <Table
      label="Sizes and loads"
      columns={[
        "Database",
        ["Full", "num"],
        ["Attempts a minute", "num"],
        ["Failed", "num"],
        ["Due", "num"],
        "Oldest",
        ["Backlogs", "num"],
        "Oldest in a backlog",
        ["Failing subscriptions", "num"],
      ]}
    >
      {shards.map((load) => (
        <DatabaseRow {...load} />
      ))}
    </Table>
    <Runbooks of={["runbooks/database-full", "runbooks/restore", "operations#move-a-tenant-to-another-database"]} />
  </Card>
);

export const Queues = ({ queues, deadLetters }: Pick<ServiceStatus, "queues" | "deadLetters">) => (
  <Card id="queues" title="Queues">
    <FactList
      facts={[
        ...queues.map((queue) => [queue.name, <Messages {...queue} />] as const),
        ["Dead letters of the last seven days", <DeadLetters deadLetters={deadLetters} />],
      ]}
    />
    <Runbooks of={["runbooks/dead-letters"]} />
  </Card>
);

const Messages = ({ messages, oldestAt }: ServiceStatus["queues"][number]) => (
  <>
    {messages === null ? "not known here" : `${messages.toLocaleString("en")} messages`}{" "}
    {oldestAt !== null && (
      <>
        the oldest of <Time at={oldestAt} />
      </>
    )}
  </>
);

const DeadLetters = ({ deadLetters }: Pick<ServiceStatus, "deadLetters">) => (
  <>
    {deadLetters.length === 0
      ? "none"
      : deadLetters.map(({ queue, hour, messages }) => (
          <div>
            {messages.toLocaleString("en")} of {queue}, <Time at={hour} />
          </div>
        ))}
  </>
);
