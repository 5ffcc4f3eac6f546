/** One listener: whether it is connected, what waits for it, and its log. Its URL, limits and pauses do not exist. */
import type { Permission } from "../../base/schemas/roles";
import { withQuery } from "../components/address";
import { ActionButton, LinkButton } from "../components/buttons";
import type { Bar, PeriodName } from "../components/chart-periods";
import { StackedChart } from "../components/charts";
import { Badge, Banner, Copyable, Time } from "../components/display";
import { FactList } from "../components/facts";
import { Trail } from "../components/trail";
import { Log, type LogView } from "./log";
import type { Screen } from "./store";

interface ListenerProps {
  listener: Pick<Screen["subscription"], "id" | "name" | "events" | "held" | "createdAt" | "lastTriggeredAt"> & {
    isConnected: boolean;
  };
  bars: Bar[];
  period: PeriodName;
  /** How many days of counts the service keeps. */
  keptDays: number;
  log: LogView;
  /** Whether the reader has a list of listeners, where they are closed. */
  hasList: boolean;
  permissions: ReadonlySet<Permission>;
}

export const ListenerDetail = ({ listener, log, hasList, permissions, ...chart }: ListenerProps) => {
  const { id, name, isConnected, held } = listener;
  const here = `/webhooks/${id}`;
  return (
    <>
      {hasList && <Trail to={{ "/listeners": "Listeners" }} />}
      <div class="head">
        <div class="row">
          <h1>{name}</h1>
          <ConnectionBadge isConnected={isConnected} />
        </div>
        {permissions.has("webhook.update") && (
          <div class="row">
            <LinkButton to={`${here}/replays`}>Replay…</LinkButton>
            <ActionButton action={`${here}/test`} kind="main">
              Send a test
            </ActionButton>
          </div>
        )}
      </div>
      {!isConnected && (
        <Banner kind="note">
          Deliveries wait until the listener is connected{held > 0 && `: ${held.toLocaleString("en")} so far`}.
        </Banner>
      )}
      <div class="columns">
        <section class="card" aria-label="Chart of attempts">
          <StackedChart {...chart} pathOf={(period) => withQuery(here, { ...log.query, period })} />
        </section>
        <Facts {...listener} />
      </div>
      <Log {...log} />
    </>
  );
};

export const ConnectionBadge = ({ isConnected }: { isConnected: boolean }) => (
  <Badge tone={isConnected ? "ok" : "calm"}>{isConnected ? "connected" : "not connected"}</Badge>
);

const Facts = ({ id, events, createdAt, lastTriggeredAt }: ListenerProps["listener"]) => (
  <section class="card" aria-label="Facts">
    <FactList
      facts={[
        ["Events", events.map((type) => (type === "*" ? "all (*)" : type)).join(", ")],
        ["Last sent", lastTriggeredAt ? <Time at={lastTriggeredAt} /> : "never"],
        ["Opened", <Time at={createdAt} />],
        ["ID", <Copyable text={id} label="the ID" />],
      ]}
    />
  </section>
);
