/** One listener: whether it is connected, what waits for it, and its log. Its URL, limits and pauses do not exist. */
import type { Permission } from "../../base/schemas/roles";
import { withQuery } from "../components/address";
import { ActionButton, LinkButton } from "../components/buttons";
import type { Bar, PeriodName } from "../components/chart-periods";
import { StackedChart } from "../components/charts";
import { Badge, Banner, Copyable, Time } from "../components/display";
import { FactList } from "../components/facts";
import { Say, useTexts } from "../components/mount";
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
  const texts = useTexts();
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
            <LinkButton to={`${here}/replays`}>
              <Say of="portal.replayDots" />
            </LinkButton>
            <ActionButton action={`${here}/test`} kind="main">
              <Say of="portal.sendTest" />
            </ActionButton>
          </div>
        )}
      </div>
      {!isConnected && (
        <Banner kind="note">
          <Say of={held > 0 ? "listener.waitsCount" : "listener.waits"} values={{ count: texts.number(held) }} />
        </Banner>
      )}
      <div class="columns">
        <section class="card" aria-label={texts.say("portal.chart")}>
          <StackedChart {...chart} pathOf={(period) => withQuery(here, { ...log.query, period })} />
        </section>
        <Facts {...listener} />
      </div>
      <Log {...log} />
    </>
  );
};

export const ConnectionBadge = ({ isConnected }: { isConnected: boolean }) => (
  <Badge tone={isConnected ? "ok" : "calm"}>
    <Say of={isConnected ? "listener.connected" : "listener.notConnected"} />
  </Badge>
);

function Facts({ id, events, createdAt, lastTriggeredAt }: ListenerProps["listener"]) {
  const texts = useTexts();
  const named = events.map((type) => (type === "*" ? texts.say("portal.allTypes") : type));
  return (
    <section class="card" aria-label={texts.say("portal.settings")}>
      <FactList
        facts={[
          [<Say of="portal.events" />, named.join(", ")],
          [<Say of="portal.lastSent" />, lastTriggeredAt ? <Time at={lastTriggeredAt} /> : <Say of="portal.never" />],
          [<Say of="listener.opened" />, <Time at={createdAt} />],
          [<Say of="portal.id" />, <Copyable text={id} label={texts.say("portal.theId")} />],
        ]}
      />
    </section>
  );
}
