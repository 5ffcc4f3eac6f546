/** The tenant's last 24 hours, and the subscriptions that need attention. */

import type { Permission } from "../../platform/schemas/roles";
import type { TenantStats } from "../../webhooks/stats/schemas";
import type { HealthCounts } from "../../webhooks/stats/store";
import { LinkButton } from "../components/buttons";
import { type Bar, StackedChart } from "../components/charts";
import { Badge, EmptyState, type Tone } from "../components/display";

interface OverviewProps {
  stats: TenantStats;
  health: HealthCounts;
  permissions: ReadonlySet<Permission>;
}

export function Overview({ stats, health, permissions }: OverviewProps) {
  const bars: Bar[] = stats.hours.map(({ hour, success, failed }, index) => ({
    hour,
    success,
    failed,
    pending: index === stats.hours.length - 1 ? stats.pending : 0,
  }));
  return (
    <>
      <h1>Overview</h1>
      {stats.attention.length > 0 && <Attention stats={stats} health={health} permissions={permissions} />}
      {stats.attention.length === 0 && health.toSend > 0 && <p class="muted">{toSendLine(health)}</p>}
      <Figures stats={stats} />
      <section class="card" aria-labelledby="day">
        <h2 id="day">Attempts in the last 24 hours</h2>
        {stats.total === 0 ? <NoAttempts permissions={permissions} /> : <StackedChart bars={bars} />}
      </section>
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

type AttentionItem = TenantStats["attention"][number];
const REASONS: Record<AttentionItem["reason"], { tone: Tone; label: string }> = {
  failing: { tone: "bad", label: "Failing" },
  slow: { tone: "wait", label: "Slow" },
  paused: { tone: "calm", label: "Paused" },
};

const describeItem = ({ reason, failureCount, error, enabled }: AttentionItem): string => {
  if (reason === "slow") return "responses took more than a second";
  if (reason === "paused") return "new events are not sent to it";
  const count = `${failureCount} failed ${failureCount === 1 ? "attempt" : "attempts"} since the last success`;
  return [error, count, enabled ? undefined : "paused"].filter(Boolean).join("; ");
};

const toSendLine = ({ toSend }: HealthCounts) => `${toSend.toLocaleString("en")} still to send`;
const healthLine = (health: HealthCounts) =>
  [
    `Failing ${health.failing.toLocaleString("en")}`,
    `disabled ${health.disabled.toLocaleString("en")}`,
    `held ${health.held.toLocaleString("en")}`,
    ...(health.toSend > 0 ? [toSendLine(health)] : []),
  ].join(" · ");

const Attention = ({ stats, health, permissions }: OverviewProps) => (
  <section class="card" aria-labelledby="attention">
    <h2 id="attention">Needs attention</h2>
    <p class="muted">{healthLine(health)}</p>
    <ul class="list">
      {stats.attention.map((subscription) => (
        <li>
          <div>
            <a href={`/console/webhooks/${subscription.webhookId}`}>{subscription.name}</a>{" "}
            <Badge tone={REASONS[subscription.reason].tone}>{REASONS[subscription.reason].label}</Badge>
            <div class="small muted">{describeItem(subscription)}</div>
          </div>
          {subscription.reason === "failing" && permissions.has("webhook.update") && (
            <LinkButton href={`/console/webhooks/${subscription.webhookId}/edit`}>Change the URL</LinkButton>
          )}
        </li>
      ))}
    </ul>
  </section>
);

const NoAttempts = ({ permissions }: { permissions: ReadonlySet<Permission> }) => (
  <EmptyState title="Nothing was sent in the last 24 hours">
    <p class="muted">Create a subscription and send it a test. The results appear here.</p>
    <div class="row center">
      {permissions.has("webhook.create") && (
        <LinkButton href="/console/webhooks/new" kind="main">
          Create a subscription
        </LinkButton>
      )}
      <LinkButton href="/console/webhooks">View subscriptions</LinkButton>
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
