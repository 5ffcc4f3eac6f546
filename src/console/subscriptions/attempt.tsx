/** One attempt opened: what was sent, what came back, and the other attempts of its delivery. Strangers' words stay text. */
import type { Permission } from "../../tenants/roles";
import { Action, Copyable, Empty, Scroll, Time } from "../parts";
import { duration, type LogRow, outcomeOf, StatusBadge } from "./log";

/** More of a payload than this would make the page too large: the rest is in the download. */
const SHOWN_CHARACTERS = 40_000;

export interface AttemptView extends LogRow {
  webhookId: string;
  webhookName: string;
  deliveryId: string;
  payload: unknown;
  responseBody: string | null;
  /** As they were sent, or would be now; name and value. */
  headers: readonly (readonly [string, string])[];
  /** Every attempt of the delivery, oldest first. */
  chain: LogRow[];
}

export function AttemptDetail({
  attempt,
  permissions,
}: {
  attempt: AttemptView;
  permissions: ReadonlySet<Permission>;
}) {
  const hook = `/console/webhooks/${attempt.webhookId}`;
  const here = `${hook}/attempts/${attempt.id}`;
  return (
    <>
      <p class="trail">
        <a href="/console/webhooks">Subscriptions</a> / <a href={hook}>{attempt.webhookName}</a>
      </p>
      <div class="head">
        <div class="row">
          <h1>{attempt.eventType}</h1>
          <StatusBadge status={attempt.status} />
        </div>
        {permissions.has("webhook.update") && (
          <Action action={`${here}/retry`} kind="main">
            Send again
          </Action>
        )}
      </div>
      <div class="columns">
        <Facts attempt={attempt} />
        <Chain attempt={attempt} />
      </div>
      <section class="card">
        <div class="head">
          <h2>Payload</h2>
          <a href={`${here}/payload`} download={`${attempt.deliveryId}.json`}>
            Download
          </a>
        </div>
        <Text text={JSON.stringify(attempt.payload, null, 2)} label="Payload" />
      </section>
      <section class="card">
        <h2>Headers sent</h2>
        <dl class="facts">
          {attempt.headers.map(([name, value]) => (
            <>
              <dt class="mono">{name}</dt>
              <dd class="mono">{value}</dd>
            </>
          ))}
        </dl>
      </section>
      <section class="card">
        <h2>Response</h2>
        {attempt.responseBody ? (
          <Text text={attempt.responseBody} label="Response body" />
        ) : (
          <Empty title={attempt.responseCode === null ? "No response" : "An empty body"} />
        )}
      </section>
    </>
  );
}

const Text = ({ text, label }: { text: string; label: string }) => (
  <>
    <Scroll label={label}>
      <pre>{text.slice(0, SHOWN_CHARACTERS)}</pre>
    </Scroll>
    {text.length > SHOWN_CHARACTERS && <p class="hint">The rest is in the download.</p>}
  </>
);

const Facts = ({ attempt }: { attempt: AttemptView }) => (
  <section class="card" aria-label="Attempt">
    <dl class="facts">
      <dt>Outcome</dt>
      <dd>{outcomeOf(attempt)}</dd>
      <dt>Started</dt>
      <dd>
        <Time at={attempt.attemptedAt} />
      </dd>
      {attempt.completedAt !== null && (
        <>
          <dt>Took</dt>
          <dd>{duration(attempt)}</dd>
        </>
      )}
      <dt>Attempt</dt>
      <dd>{attempt.attemptCount}</dd>
      <dt>Delivery</dt>
      <dd>
        <Copyable text={attempt.deliveryId} label="the delivery's ID" />
      </dd>
    </dl>
  </section>
);

const Chain = ({ attempt }: { attempt: AttemptView }) => (
  <section class="card" aria-labelledby="chain">
    <h2 id="chain">Attempts of this delivery</h2>
    <ol class="list">
      {attempt.chain.map((row) => (
        <li>
          <div>
            <a
              href={`/console/webhooks/${attempt.webhookId}/attempts/${row.id}`}
              aria-current={row.id === attempt.id ? "true" : undefined}
            >
              <Time at={row.attemptedAt} />
            </a>
            <div class="small muted">{outcomeOf(row)}</div>
          </div>
          <StatusBadge status={row.status} />
        </li>
      ))}
    </ol>
  </section>
);
