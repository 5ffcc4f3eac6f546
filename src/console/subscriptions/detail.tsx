/** One subscription: its health, its settings and its log. */

import type { Permission } from "../../base/schemas/roles";
import { DEFAULT_SCHEDULE } from "../../webhooks/plane/timing";
import type { ReplayPreview } from "../../webhooks/resend/replays/schemas";
import { withQuery } from "../components/address";
import { ActionButton, LinkButton } from "../components/buttons";
import type { Bar, PeriodName } from "../components/chart-periods";
import { StackedChart } from "../components/charts";
import { Banner, Copyable, Moment, Time } from "../components/display";
import { FactList } from "../components/facts";
import { A, Say, useOptionTexts, useTexts } from "../components/mount";
import { subscriptionTrail, Trail } from "../components/trail";
import { FailedDeliveries, FailureNotice } from "./failures";
import { HealthNotice, isOff } from "./health";
import { LimitLine } from "./limits";
import { Log, type LogView } from "./log";
import { type NextAttempt, NextAttemptLine } from "./next-attempt";
import { HeaderList } from "./option-fields";
import { Calendar } from "./schedule";
import { settingsOf } from "./settings";
import { Health } from "./state";
import type { SubscriptionView } from "./view";

interface DetailProps {
  subscription: SubscriptionView;
  bars: Bar[];
  period: PeriodName;
  /** How many days of counts the service keeps. */
  keptDays: number;
  log: LogView;
  /** The wait that ends first, and the attempt that it follows. */
  next: (NextAttempt & { lastAttemptId: string }) | null;
  /** Its deliveries that have failed lately. */
  failed: ReplayPreview;
  permissions: ReadonlySet<Permission>;
}

export function SubscriptionDetail(view: DetailProps) {
  const { subscription, log, next, failed, permissions } = view;
  const mayUpdate = permissions.has("webhook.update");
  const hasPassedTest = log.rows.some(
    ({ kind, status, attemptedAt }) =>
      kind === "test" && status === "success" && attemptedAt > (subscription.disabledAt ?? Number.POSITIVE_INFINITY),
  );
  return (
    <>
      <Trail to={subscriptionTrail()} />
      <div class="head">
        <div class="row">
          <h1>{subscription.name}</h1>
          <Health {...subscription} />
        </div>
        <Actions subscription={subscription} permissions={permissions} />
      </div>
      <HealthNotice health={subscription} mayUpdate={mayUpdate} hasPassedTest={hasPassedTest} />
      {subscription.isCooling && (
        <Banner kind="note">
          <Say of="portal.cooling" values={{ time: <Moment at={subscription.cooldownUntil} /> }} />
        </Banner>
      )}
      {next && !subscription.isCooling && (
        <Banner kind="note">
          <NextAttemptLine
            {...next}
            attemptPath={`/webhooks/${subscription.id}/attempts/${next.lastAttemptId}`}
            mayStart={mayUpdate && subscription.enabled}
          />
        </Banner>
      )}
      <LimitLine {...subscription} />
      {subscription.failureCount > 0 && <FailureNotice subscription={subscription} log={log} mayUpdate={mayUpdate} />}
      <FailedDeliveries subscription={subscription} failed={failed} mayUpdate={mayUpdate} />
      <div class="columns">
        <Attempts {...view} />
        <Facts subscription={subscription} mayUpdate={mayUpdate} />
      </div>
      <Log {...log} />
    </>
  );
}

const Attempts = ({ subscription: { id }, log: { query }, ...chart }: DetailProps) => (
  <section class="card" aria-label={useTexts().say("portal.chart")}>
    <StackedChart {...chart} pathOf={(period) => withQuery(`/webhooks/${id}`, { ...query, period })} />
  </section>
);

const Actions = ({ subscription, permissions }: Pick<DetailProps, "subscription" | "permissions">) => {
  const here = `/webhooks/${subscription.id}`;
  const mayUpdate = permissions.has("webhook.update");
  return (
    <div class="row">
      <LinkButton to={`${here}/security`}>
        <Say of="portal.security" />
      </LinkButton>
      {mayUpdate && (
        <>
          <LinkButton to={`${here}/replays`}>
            <Say of="portal.replayDots" />
          </LinkButton>
          <ActionButton action={`${here}/test`} kind={isOff(subscription) ? "plain" : "main"}>
            <Say of="portal.sendTest" />
          </ActionButton>
          <LinkButton to={`${here}/test`}>
            <Say of="portal.testTypeDots" />
          </LinkButton>
          {subscription.enabled && (
            <ActionButton action={`${here}/pause`}>
              <Say of="portal.pause" />
            </ActionButton>
          )}
          {!subscription.enabled && !isOff(subscription) && (
            <ActionButton action={`${here}/resume`}>
              <Say of="portal.resume" />
            </ActionButton>
          )}
          <LinkButton to={`${here}/edit`}>
            <Say of="portal.edit" />
          </LinkButton>
        </>
      )}
      {permissions.has("webhook.delete") && (
        <LinkButton to={`${here}/delete`} kind="danger">
          <Say of="portal.delete" />
        </LinkButton>
      )}
    </div>
  );
};

const Retries = ({ schedule }: { schedule: readonly number[] | undefined }) => (
  <details>
    <summary>
      {useTexts().count(
        schedule === undefined ? "portal.attemptsDefault" : "portal.attempts",
        (schedule ?? DEFAULT_SCHEDULE).length + 1,
      )}
    </summary>
    <Calendar schedule={schedule} />
  </details>
);

const Filter = ({ subscription: { id, options } }: { subscription: SubscriptionView }) => (
  <>
    {options?.filter ? <code class="break">{JSON.stringify(options.filter)}</code> : <Say of="portal.none" />}{" "}
    <A to={`/webhooks/${id}/filter`}>
      <Say of="portal.tryFilter" />
    </A>
  </>
);

const Secret = ({ id, secret }: Pick<SubscriptionView, "id" | "secret">) => (
  <span id="secret">
    {secret === null ? (
      <A to={`/webhooks/${id}?secret=shown#secret`}>
        <Say of="portal.show" />
      </A>
    ) : (
      <Copyable text={secret} label={useTexts().say("portal.theSecret")} />
    )}{" "}
    <A to={`/webhooks/${id}/security#verify`}>
      <Say of="portal.verifyWith" />
    </A>
  </span>
);

const Facts = ({ subscription, mayUpdate }: { subscription: SubscriptionView; mayUpdate: boolean }) => {
  const { url, events, options, headers, lastTriggeredAt, createdAt, id } = subscription;
  const texts = useTexts();
  const said = useOptionTexts();
  const settings = settingsOf(options, { autoDisableHours: subscription.defaultAutoDisableHours });
  return (
    <section class="card" aria-label={texts.say("portal.settings")}>
      <FactList
        facts={[
          [<Say of="portal.url" />, <Copyable text={url} label={texts.say("portal.theUrl")} />],
          [
            <Say of="portal.events" />,
            events.map((type) => (type === "*" ? texts.say("portal.allTypes") : type)).join(", "),
          ],
          mayUpdate && [<Say of="portal.secret" />, <Secret {...subscription} />],
          [<Say of="portal.retries" />, <Retries schedule={options?.retry?.schedule} />],
          ...settings.map(([label, value]) => [said(label), said(value)] as const),
          [<Say of="portal.filter" />, <Filter subscription={subscription} />],
          Object.keys(headers).length > 0 && [<Say of="portal.ownHeaders" />, <HeaderList headers={headers} />],
          [<Say of="portal.lastSent" />, lastTriggeredAt ? <Time at={lastTriggeredAt} /> : <Say of="portal.never" />],
          [<Say of="portal.created" />, <Time at={createdAt} />],
          [<Say of="portal.id" />, <Copyable text={id} label={texts.say("portal.theId")} />],
        ]}
      />
    </section>
  );
};
