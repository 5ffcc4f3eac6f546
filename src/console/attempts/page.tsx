/** One attempt: what was sent, what came back, and the other attempts of its delivery. */

import type { Permission } from "../../platform/schemas/roles";
import type { AttemptDetail } from "../../webhooks/log/schemas";
import { ActionButton } from "../components/buttons";
import { CodeBlock } from "../components/code";
import { Banner, Copyable, FailureBanner, Time } from "../components/display";
import { outcomeOf } from "../components/outcome";
import type { Failure } from "../failure";
import { duration, StatusBadge } from "../subscriptions/log";
import { type NextAttempt, NextAttemptLine } from "../subscriptions/next-attempt";

interface AttemptProps {
  attempt: AttemptDetail;
  /** The payload as it was published; null if it is not shown or has been removed. */
  payloadText: string | null;
  /** The body as it was sent; null if it is not shown, or cannot be made again. */
  sentText: string | null;
  webhookName: string;
  /** Of the subscription now; null for a listener. */
  url: string | null;
  /** What the delivery waits for; undefined if it does not wait. */
  next?: NextAttempt | undefined;
  mayEndWait: boolean;
  permissions: ReadonlySet<Permission>;
  failure?: Failure | undefined;
}

export function AttemptPage({
  attempt,
  payloadText,
  sentText,
  webhookName,
  url,
  next,
  mayEndWait,
  permissions,
  failure,
}: AttemptProps) {
  const subscriptionPath = `/console/webhooks/${attempt.webhookId}`;
  const here = `${subscriptionPath}/attempts/${attempt._id}`;
  const hasFailed = attempt.attempts.at(-1)?.status === "failed";
  return (
    <>
      <p class="trail">
        <a href="/console/webhooks">Subscriptions</a> / <a href={subscriptionPath}>{webhookName}</a>
      </p>
      <div class="head">
        <div class="row">
          <h1>{attempt.eventType}</h1>
          <StatusBadge status={attempt.status} />
        </div>
        {hasFailed && permissions.has("webhook.update") && (
          <ActionButton action={`${here}/retry`} kind="main">
            Retry
          </ActionButton>
        )}
      </div>
      <FailureBanner failure={failure} />
      {next && (
        <Banner kind="note">
          <NextAttemptLine {...next} attemptPath={here} mayStart={permissions.has("webhook.update") && mayEndWait} />
        </Banner>
      )}
      <div class="columns">
        <Facts attempt={attempt} />
        <DeliveryAttempts attempt={attempt} />
      </div>
      <section class="card">
        <Response {...attempt} />
      </section>
      <section class="card">
        <CodeBlock
          title="Payload"
          id="payload"
          text={payloadText ?? "null"}
          download={{ href: `${here}/payload`, file: `${attempt.deliveryId}.json` }}
        />
      </section>
      <HeadersSent attempt={attempt} sentText={sentText} url={url} />
    </>
  );
}

function HeadersSent({ attempt, sentText, url }: Pick<AttemptProps, "attempt" | "sentText" | "url">) {
  return (
    <section class="card">
      <div class="head">
        <h2>Headers sent</h2>
        {url !== null && attempt.headers && sentText !== null && (
          <button
            type="button"
            class="button quiet"
            data-copy={curlOf(url, attempt.headers, sentText)}
            hidden={sentText.length > MAX_CURL_CHARACTERS}
          >
            Copy as curl
          </button>
        )}
      </div>
      <Headers headers={attempt.headers} />
      {attempt.missingSignatures && <p class="hint">{MISSING_SIGNATURES[attempt.missingSignatures]}</p>}
    </section>
  );
}

function Response({ responseBody, responseCode }: Pick<AttemptProps["attempt"], "responseBody" | "responseCode">) {
  if (responseBody) return <CodeBlock title="Response" id="response" text={responseBody} />;
  return (
    <>
      <h2>Response</h2>
      <p class="muted">{responseCode === undefined ? "There was no response." : "The response body was empty."}</p>
    </>
  );
}

/** A longer body would make the page too large. */
const MAX_CURL_CHARACTERS = 8_000;

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** The request as a command for a shell. Its signature is that of the attempt, so receivers may find it too old. */
const curlOf = (url: string, headers: Readonly<Record<string, string>>, body: string): string =>
  body.length > MAX_CURL_CHARACTERS
    ? ""
    : [
        `curl -X POST ${quoted(url)}`,
        ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
        `--data-raw ${quoted(body)}`,
      ].join(" \\\n  ");

const MISSING_SIGNATURES = {
  "secret-ended": "A key that signed this attempt has ended since. Its signature can't be shown.",
  "settings-changed": "The subscription's signature or format was changed since. The signatures can't be shown.",
  "event-removed": "The event has been removed because of its age. Its payload and the signatures can't be shown.",
} as const;

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

const Facts = ({ attempt }: { attempt: AttemptDetail }) => (
  <section class="card" aria-label="Attempt">
    <dl class="facts">
      <dt>Outcome</dt>
      <dd>{outcomeOf(attempt)}</dd>
      <dt>Started</dt>
      <dd>
        <Time at={attempt.attemptedAt} />
      </dd>
      <dt>Duration</dt>
      <dd>{duration(attempt) || "in progress"}</dd>
      <dt>Attempt</dt>
      <dd>{attempt.attemptCount}</dd>
      <dt>Trigger</dt>
      <dd>{{ event: "an event", retry: "a manual retry", test: "a test", replay: "a replay" }[attempt.kind]}</dd>
      {attempt.correlationId !== undefined && (
        <>
          <dt>Correlation ID</dt>
          <dd>{attempt.correlationId}</dd>
        </>
      )}
      <dt>Event</dt>
      <dd>
        <a href={`/console/events/${attempt.eventId}`}>All subscriptions that wanted it</a>
      </dd>
      <dt>Delivery ID</dt>
      <dd>
        <Copyable text={attempt.deliveryId} label="the delivery ID" />
      </dd>
    </dl>
  </section>
);

const DeliveryAttempts = ({ attempt }: { attempt: AttemptDetail }) => (
  <section class="card" aria-labelledby="attempts">
    <h2 id="attempts">Attempts of this delivery</h2>
    <ol class="list">
      {attempt.attempts.map((other) => (
        <li>
          <div>
            {other._id === attempt._id ? (
              <strong>
                <Time at={other.attemptedAt} />
              </strong>
            ) : (
              <a href={`/console/webhooks/${attempt.webhookId}/attempts/${other._id}`}>
                <Time at={other.attemptedAt} />
              </a>
            )}
            <div class="small muted">{outcomeOf(other)}</div>
          </div>
          <StatusBadge status={other.status} />
        </li>
      ))}
    </ol>
  </section>
);
