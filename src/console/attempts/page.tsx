/** One attempt opened: what was sent, what came back, and the other attempts of its delivery. Strangers' words stay text. */

import type { AttemptDetail } from "../../attempts/schemas";
import type { Permission } from "../../tenants/roles";
import { ActionButton } from "../components/buttons";
import { Copyable, FailureBanner, ScrollArea, Time } from "../components/display";
import type { Failure } from "../failure";
import { duration, outcomeOf, StatusBadge } from "../subscriptions/log";

/** More of a payload than this would make the page too large: the rest is in the download. */
const SHOWN_CHARACTERS = 40_000;

/** Each level indents every line in it: deep nesting would make a small payload into hundreds of megabytes. */
const MAX_INDENTED_CHARACTERS = 1_000_000;

function printed(payload: unknown): string {
  const line = JSON.stringify(payload);
  const levels = line.match(/[[{]/g)?.length ?? 0;
  return line.length * (levels + 1) <= MAX_INDENTED_CHARACTERS ? JSON.stringify(payload, null, 2) : line;
}

interface AttemptProps {
  attempt: AttemptDetail;
  webhookName: string;
  permissions: ReadonlySet<Permission>;
  failure?: Failure | undefined;
}

export function AttemptPage({ attempt, webhookName, permissions, failure }: AttemptProps) {
  const hook = `/console/webhooks/${attempt.webhookId}`;
  const here = `${hook}/attempts/${attempt._id}`;
  const hasFailed = attempt.attempts.at(-1)?.status === "failed";
  return (
    <>
      <p class="trail">
        <a href="/console/webhooks">Subscriptions</a> / <a href={hook}>{webhookName}</a>
      </p>
      <div class="head">
        <div class="row">
          <h1>{attempt.eventType}</h1>
          <StatusBadge status={attempt.status} />
        </div>
        {hasFailed && permissions.has("webhook.update") && (
          <ActionButton action={`${here}/retry`} kind="main">
            Send again
          </ActionButton>
        )}
      </div>
      <FailureBanner failure={failure} />
      <div class="columns">
        <Facts attempt={attempt} />
        <Chain attempt={attempt} />
      </div>
      <section class="card">
        <h2>Response</h2>
        {attempt.responseBody ? (
          <Text text={attempt.responseBody} label="Response body" />
        ) : (
          <p class="muted">{attempt.responseCode === undefined ? "There was none." : "Its body was empty."}</p>
        )}
      </section>
      <section class="card">
        <div class="head">
          <h2>Payload</h2>
          <a href={`${here}/payload`} download={`${attempt.deliveryId}.json`}>
            Download
          </a>
        </div>
        <Text text={printed(attempt.payload)} label="Payload" />
      </section>
      <section class="card">
        <h2>Headers sent</h2>
        <Headers headers={attempt.headers} />
      </section>
    </>
  );
}

const Headers = ({ headers }: { headers: AttemptDetail["headers"] }) =>
  headers ? (
    <dl class="facts mono">
      {Object.entries(headers).map(([name, value]) => (
        <>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </>
      ))}
    </dl>
  ) : (
    <p class="muted">Nothing was sent.</p>
  );

const Text = ({ text, label }: { text: string; label: string }) => (
  <>
    <ScrollArea label={label}>
      <pre>{text.slice(0, SHOWN_CHARACTERS)}</pre>
    </ScrollArea>
    {text.length > SHOWN_CHARACTERS && <p class="hint">The rest is in the download.</p>}
  </>
);

const Facts = ({ attempt }: { attempt: AttemptDetail }) => (
  <section class="card" aria-label="Attempt">
    <dl class="facts">
      <dt>Outcome</dt>
      <dd>{outcomeOf(attempt)}</dd>
      <dt>Started</dt>
      <dd>
        <Time at={attempt.attemptedAt} />
      </dd>
      <dt>Took</dt>
      <dd>{duration(attempt) || "not done yet"}</dd>
      <dt>Attempt</dt>
      <dd>{attempt.attemptCount}</dd>
      <dt>Sent for</dt>
      <dd>{{ event: "an event", retry: "a manual retry", test: "a test" }[attempt.kind]}</dd>
      {attempt.correlationId !== undefined && (
        <>
          <dt>Correlation</dt>
          <dd>{attempt.correlationId}</dd>
        </>
      )}
      <dt>Delivery</dt>
      <dd>
        <Copyable text={attempt.deliveryId} label="the delivery's ID" />
      </dd>
    </dl>
  </section>
);

const Chain = ({ attempt }: { attempt: AttemptDetail }) => (
  <section class="card" aria-labelledby="chain">
    <h2 id="chain">Attempts of this delivery</h2>
    <ol class="list">
      {attempt.attempts.map((link) => (
        <li>
          <div>
            {link._id === attempt._id ? (
              <strong>
                <Time at={link.attemptedAt} />
              </strong>
            ) : (
              <a href={`/console/webhooks/${attempt.webhookId}/attempts/${link._id}`}>
                <Time at={link.attemptedAt} />
              </a>
            )}
            <div class="small muted">{outcomeOf(link)}</div>
          </div>
          <StatusBadge status={link.status} />
        </li>
      ))}
    </ol>
  </section>
);
