/** One subscription: its health, its settings and its log. */

import type { Permission } from "../../base/schemas/roles";
import { DEFAULT_SCHEDULE } from "../../webhooks/plane/timing";
import type { ReplayPreview } from "../../webhooks/resend/replays/schemas";
import { withQuery } from "../components/address";
import { ActionButton, LinkButton } from "../components/buttons";
import type { Bar, PeriodName } from "../components/chart-periods";
import { StackedChart } from "../components/charts";
import { Banner, Copyable, Moment, Time } from "../components/display";
import { A } from "../components/mount";
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
          The receiver asked for a pause. Deliveries wait until <Moment at={subscription.cooldownUntil} />.
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
  <section class="card" aria-label="Chart of attempts">
    <StackedChart {...chart} pathOf={(period) => withQuery(`/webhooks/${id}`, { ...query, period })} />
  </section>
);

const Actions = ({ subscription, permissions }: Pick<DetailProps, "subscription" | "permissions">) => {
  const here = `/webhooks/${subscription.id}`;
  const mayUpdate = permissions.has("webhook.update");
  return (
    <div class="row">
      <LinkButton to={`${here}/security`}>Security</LinkButton>
      {mayUpdate && (
        <>
          <LinkButton to={`${here}/replays`}>Replay…</LinkButton>
          <ActionButton action={`${here}/test`} kind={isOff(subscription) ? "plain" : "main"}>
            Send a test
          </ActionButton>
          <LinkButton to={`${here}/test`}>Test a type…</LinkButton>
          {subscription.enabled && <ActionButton action={`${here}/pause`}>Pause</ActionButton>}
          {!subscription.enabled && !isOff(subscription) && (
            <ActionButton action={`${here}/resume`}>Resume</ActionButton>
          )}
          <LinkButton to={`${here}/edit`}>Edit</LinkButton>
        </>
      )}
      {permissions.has("webhook.delete") && (
        <LinkButton to={`${here}/delete`} kind="danger">
          Delete
        </LinkButton>
      )}
    </div>
  );
};

const Retries = ({ schedule }: { schedule: readonly number[] | undefined }) => (
  <details>
    <summary>
      {(schedule ?? DEFAULT_SCHEDULE).length + 1} attempts
      {schedule === undefined && " (default)"}
    </summary>
    <Calendar schedule={schedule} />
  </details>
);

const Filter = ({ subscription: { id, options } }: { subscription: SubscriptionView }) => (
  <>
    {options?.filter ? <code class="break">{JSON.stringify(options.filter)}</code> : "none"}{" "}
    <A to={`/webhooks/${id}/filter`}>Try the filter</A>
  </>
);

const Secret = ({ id, secret }: Pick<SubscriptionView, "id" | "secret">) => (
  <>
    {secret === null ? (
      <A to={`/webhooks/${id}?secret=shown#secret`}>Show</A>
    ) : (
      <Copyable text={secret} label="the secret" />
    )}{" "}
    <A to={`/webhooks/${id}/security#verify`}>Verify deliveries with it</A>
  </>
);

const Facts = ({ subscription, mayUpdate }: { subscription: SubscriptionView; mayUpdate: boolean }) => {
  return (
    <section class="card" aria-label="Settings">
      <dl class="facts">
        <dt>URL</dt>
        <dd>
          <Copyable text={subscription.url} label="the URL" />
        </dd>
        <dt>Events</dt>
        <dd>{subscription.events.map((type) => (type === "*" ? "all (*)" : type)).join(", ")}</dd>
        {mayUpdate && (
          <>
            <dt>Secret</dt>
            <dd id="secret">
              <Secret {...subscription} />
            </dd>
          </>
        )}
        <dt>Retries</dt>
        <dd>
          <Retries schedule={subscription.options?.retry?.schedule} />
        </dd>
        {settingsOf(subscription.options, { autoDisableHours: subscription.defaultAutoDisableHours }).map(
          ([label, value]) => (
            <>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </>
          ),
        )}
        <dt>Filter</dt>
        <dd>
          <Filter subscription={subscription} />
        </dd>
        {Object.keys(subscription.headers).length > 0 && (
          <>
            <dt>Own headers</dt>
            <dd>
              <HeaderList headers={subscription.headers} />
            </dd>
          </>
        )}
        <dt>Last sent</dt>
        <dd>{subscription.lastTriggeredAt ? <Time at={subscription.lastTriggeredAt} /> : "never"}</dd>
        <dt>Created</dt>
        <dd>
          <Time at={subscription.createdAt} />
        </dd>
        <dt>ID</dt>
        <dd>
          <Copyable text={subscription.id} label="the ID" />
        </dd>
      </dl>
    </section>
  );
};
