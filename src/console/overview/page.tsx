/** The tenant's attempts in a period, and the subscriptions that need attention. */

import type { Permission } from "../../base/schemas/roles";
import type { Language } from "../../base/texts/texts";
import { errorText } from "../../webhooks/log/outcome";
import type { TenantStats } from "../../webhooks/stats/schemas";
import type { AttentionRow, HealthCounts } from "../../webhooks/stats/store";
import { LinkButton } from "../components/buttons";
import type { Bar, PeriodName } from "../components/chart-periods";
import { StackedChart } from "../components/charts";
import { Badge, Card, EmptyState, type Tone } from "../components/display";
import { A, useTexts } from "../components/mount";
import { adviceOn, Remedies } from "../subscriptions/advice";
import { stateOf } from "../subscriptions/state";

interface OverviewProps {
  stats: TenantStats;
  bars: readonly Bar[];
  period: PeriodName;
  /** How many days of counts the service keeps. */
  keptDays: number;
  attention: readonly AttentionRow[];
  health: HealthCounts;
  permissions: ReadonlySet<Permission>;
}

const pathOf = (period: PeriodName) => (period === "24h" ? "" : `?period=${period}`);

export function Overview({ stats, bars, period, keptDays, attention, health, permissions }: OverviewProps) {
  const title = useTexts().say(`chart.${period}`);
  return (
    <>
      <h1>Overview</h1>
      {attention.length > 0 && <Attention attention={attention} health={health} permissions={permissions} />}
      {attention.length === 0 && health.toSend > 0 && <p class="muted">{toSendLine(health)}</p>}
      <Card id="attempts" title={`The last ${title}`}>
        <Figures stats={stats} />
        {stats.total === 0 && period === "24h" ? (
          <NoAttempts permissions={permissions} />
        ) : (
          <StackedChart bars={bars} period={period} pathOf={pathOf} keptDays={keptDays} />
        )}
      </Card>
    </>
  );
}

const rate = ({ success, failed }: TenantStats) => {
  if (success + failed === 0) return "–";
  const percent = (100 * success) / (success + failed);
  return `${percent === 100 ? "100" : Math.min(percent, 99.9).toFixed(1)} %`;
};
const latency = (ms: number | null) => (ms === null ? "–" : `${ms.toLocaleString("en")} ms`);

const Figures = ({ stats }: { stats: TenantStats }) => (
  <dl class="figures">
    <div>
      <dt>Success rate</dt>
      <dd>{rate(stats)}</dd>
    </div>
    <div>
      <dt>Attempts</dt>
      <dd>{stats.total.toLocaleString("en")}</dd>
    </div>
    <div>
      <dt>Median latency</dt>
      <dd>{latency(stats.p50Ms)}</dd>
    </div>
    <div>
      <dt>95th percentile</dt>
      <dd>{latency(stats.p95Ms)}</dd>
    </div>
  </dl>
);

const many = (count: number, one: string, more: string) => `${count.toLocaleString("en")} ${count === 1 ? one : more}`;

const toSendLine = ({ toSend }: HealthCounts) =>
  many(toSend, "delivery is still to send.", "deliveries are still to send.");

/** What is wrong, in sentences. */
const healthLine = (health: HealthCounts) =>
  [
    ...(health.failing > 0 ? [many(health.failing, "subscription is failing.", "subscriptions are failing.")] : []),
    ...(health.disabled > 0
      ? [many(health.disabled, "subscription was disabled.", "subscriptions were disabled.")]
      : []),
    ...(health.held > 0 ? [many(health.held, "delivery is held.", "deliveries are held.")] : []),
    ...(health.toSend > 0 ? [toSendLine(health)] : []),
  ].join(" ");

function describeItem(texts: Language, item: AttentionRow): { tone: Tone; label: string; text: string } {
  if (item.failureCount > 0 || item.enabled === 0) {
    const flags = {
      enabled: item.enabled === 1,
      isFailing: item.isFailing === 1,
      isRetrying: item.isRetrying === 1,
      isSlow: item.slow === 1,
    };
    const text = item.failureCount > 0 ? failuresOf(texts, item) : "New events are not sent to it.";
    const { tone, label } = stateOf({ ...item, ...flags });
    return { tone, label: texts.say(label), text };
  }
  if (item.isThrottled) {
    return { tone: "wait", label: "Throttled", text: "The receiver asked for a pause. Deliveries wait for its end." };
  }
  return { tone: "wait", label: "Slow", text: "Most answers took more than a second." };
}

function failuresOf(texts: Language, { error, failureCount }: AttentionRow): string {
  const count = `${many(failureCount, "failed attempt", "failed attempts")} since the last success.`;
  return error === null ? count : `${errorText(texts, error)}; ${count} ${texts.say(adviceOn(error).text)}`;
}

interface AttentionProps {
  attention: readonly AttentionRow[];
  health: HealthCounts;
  permissions: ReadonlySet<Permission>;
}

const Attention = ({ attention, health, permissions }: AttentionProps) => (
  <Card id="attention" title="Needs attention">
    <p class="muted">{healthLine(health)}</p>
    <ul class="list">
      {attention.map((item) => {
        const { tone, label, text } = describeItem(useTexts(), item);
        return (
          <li>
            <div>
              <A to={`/webhooks/${item.id}`}>{item.name}</A> <Badge tone={tone}>{label}</Badge>
              <div class="small muted">{text}</div>
            </div>
            {item.failureCount > 0 && <Remedies {...item} mayUpdate={permissions.has("webhook.update")} />}
          </li>
        );
      })}
    </ul>
  </Card>
);

const NoAttempts = ({ permissions }: { permissions: ReadonlySet<Permission> }) => (
  <EmptyState title="Nothing was sent in the last 24 hours">
    <p class="muted">
      Create a subscription and send it a test. The results appear here. <A to={pathOf("30d")}>Show 30 days</A>
    </p>
    <div class="row center">
      {permissions.has("webhook.create") && (
        <LinkButton to="/webhooks/new" kind="main">
          Create a subscription
        </LinkButton>
      )}
      <LinkButton to="/webhooks">View subscriptions</LinkButton>
    </div>
  </EmptyState>
);

/** For roles that cannot read subscriptions. */
export const NoAccess = ({ tenantName, role }: { tenantName: string; role: string }) => (
  <>
    <h1>Overview</h1>
    <div class="card">
      <EmptyState title={`Your role in ${tenantName} is ${role}`}>
        <p class="muted">You can't see subscriptions with this role. An owner or an admin can change it.</p>
      </EmptyState>
    </div>
  </>
);
