/** The last 24 hours of the tenant, and what needs a hand. */
import type { TenantStats } from "../../stats/schemas";
import type { Permission } from "../../tenants/roles";
import { LinkButton } from "../components/buttons";
import { type Bar, StackedChart } from "../components/charts";
import { Badge, EmptyState, type Tone } from "../components/display";

interface OverviewProps {
  stats: TenantStats;
  permissions: ReadonlySet<Permission>;
}

export function Overview({ stats, permissions }: OverviewProps) {
  const bars: Bar[] = stats.hours.map(({ hour, success, failed }, index) => ({
    hour,
    success,
    failed,
    pending: index === stats.hours.length - 1 ? stats.pending : 0,
  }));
  return (
    <>
      <h1>Overview</h1>
      {stats.attention.length > 0 && <Attention stats={stats} permissions={permissions} />}
      <Figures stats={stats} />
      <section class="card" aria-labelledby="day">
        <h2 id="day">Attempts in the last 24 hours</h2>
        {stats.total === 0 ? <Quiet permissions={permissions} /> : <StackedChart bars={bars} />}
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

type Case = TenantStats["attention"][number];
const REASONS: Record<Case["reason"], { tone: Tone; word: string }> = {
  failing: { tone: "bad", word: "Failing" },
  slow: { tone: "wait", word: "Slow" },
  paused: { tone: "calm", word: "Paused" },
};

const wordsOf = ({ reason, failureCount, error, enabled }: Case): string => {
  if (reason === "slow") return "its answers took over a second";
  if (reason === "paused") return "new events skip it";
  const count = `${failureCount} failed ${failureCount === 1 ? "attempt" : "attempts"} since the last success`;
  return [error, count, enabled ? undefined : "paused"].filter(Boolean).join("; ");
};

const Attention = ({ stats, permissions }: OverviewProps) => (
  <section class="card" aria-labelledby="attention">
    <h2 id="attention">Needs attention</h2>
    <ul class="list">
      {stats.attention.map((subscription) => (
        <li>
          <div>
            <a href={`/console/webhooks/${subscription.webhookId}`}>{subscription.name}</a>{" "}
            <Badge tone={REASONS[subscription.reason].tone}>{REASONS[subscription.reason].word}</Badge>
            <div class="small muted">{wordsOf(subscription)}</div>
          </div>
          {subscription.reason === "failing" && permissions.has("webhook.update") && (
            <LinkButton href={`/console/webhooks/${subscription.webhookId}/edit`}>Change the URL</LinkButton>
          )}
        </li>
      ))}
    </ul>
  </section>
);

const Quiet = ({ permissions }: { permissions: ReadonlySet<Permission> }) => (
  <EmptyState title="Nothing was sent in the last 24 hours">
    <p class="muted">Subscribe a URL to event types, then send it a test: what happens shows up here.</p>
    <div class="row center">
      {permissions.has("webhook.create") && (
        <LinkButton href="/console/webhooks/new" kind="main">
          Create a subscription
        </LinkButton>
      )}
      <LinkButton href="/console/webhooks">See the subscriptions</LinkButton>
    </div>
  </EmptyState>
);

/** For those whose role reads no webhooks. */
export const NothingToSee = ({ tenantName, role }: { tenantName: string; role: string }) => (
  <>
    <h1>Overview</h1>
    <div class="card">
      <EmptyState title={`Your role in ${tenantName} is ${role}`}>
        <p class="muted">It shows no subscriptions. An owner or admin can give you another role.</p>
      </EmptyState>
    </div>
  </>
);
