/** One attempt: what was sent, what came back, and the other attempts of its delivery. */

import type { Permission } from "../../base/schemas/roles";
import { outcomeOf } from "../../webhooks/log/outcome";
import type { AttemptDetail } from "../../webhooks/log/schemas";
import { ActionButton } from "../components/buttons";
import { CodeBlock } from "../components/code";
import { Banner, Card, Copyable, Time } from "../components/display";
import { FactList } from "../components/facts";
import { FailureBanner } from "../components/failure";
import { A, Say, useTexts } from "../components/mount";
import { subscriptionTrail, Trail } from "../components/trail";
import { attemptDuration, StatusBadge } from "../subscriptions/log";
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
}: AttemptProps) {
  const here = `/webhooks/${attempt.webhookId}/attempts/${attempt._id}`;
  const hasFailed = attempt.attempts.at(-1)?.status === "failed";
  return (
    <>
      <Trail to={subscriptionTrail({ id: attempt.webhookId, name: webhookName })} />
      <div class="head">
        <div class="row">
          <h1>{attempt.eventType}</h1>
          <StatusBadge status={attempt.status} />
        </div>
        {hasFailed && permissions.has("webhook.update") && (
          <ActionButton action={`${here}/retry`} kind="main">
            <Say of="portal.retry" />
          </ActionButton>
        )}
      </div>
      <FailureBanner />
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
      {attempt.responseHeaders && (
        <Card id="response-headers" title={<Say of="portal.responseHeaders" />}>
          <HeaderList headers={attempt.responseHeaders} />
        </Card>
      )}
      <section class="card">
        <CodeBlock
          title={<Say of="portal.payload" />}
          id="payload"
          text={payloadText ?? "null"}
          download={{ to: `${here}/payload`, file: `${attempt.deliveryId}.json` }}
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
        <h2>
          <Say of="portal.headersSent" />
        </h2>
        {url !== null && attempt.headers && sentText !== null && (
          <button
            type="button"
            class="button quiet"
            data-copy={curlOf(url, attempt.headers, sentText)}
            hidden={sentText.length > MAX_CURL_CHARACTERS}
          >
            <Say of="portal.copyCurl" />
          </button>
        )}
      </div>
      {attempt.headers ? (
        <HeaderList headers={attempt.headers} />
      ) : (
        <p class="muted">
          <Say of="portal.nothingWasSent" />
        </p>
      )}
      {attempt.missingSignatures && (
        <p class="hint">
          <Say of={`portal.signature.${attempt.missingSignatures}`} />
        </p>
      )}
    </section>
  );
}

function Response({ responseBody, responseCode }: Pick<AttemptProps["attempt"], "responseBody" | "responseCode">) {
  if (responseBody) return <CodeBlock title={<Say of="portal.response" />} id="response" text={responseBody} />;
  return (
    <>
      <h2>
        <Say of="portal.response" />
      </h2>
      <p class="muted">
        <Say of={responseCode === undefined ? "portal.noResponse" : "portal.emptyResponse"} />
      </p>
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

const HeaderList = ({ headers }: { headers: Readonly<Record<string, string>> }) => (
  <dl class="facts mono">
    {Object.entries(headers).map(([name, value]) => (
      <>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </>
    ))}
  </dl>
);

const Facts = ({ attempt }: { attempt: AttemptDetail }) => (
  <section class="card" aria-label={useTexts().say("portal.attempt")}>
    <FactList
      facts={[
        [<Say of="portal.outcome" />, outcomeOf(useTexts(), attempt)],
        [<Say of="portal.started" />, <Time at={attempt.attemptedAt} />],
        [<Say of="portal.duration" />, attemptDuration(useTexts(), attempt) || <Say of="outcome.inProgress" />],
        [<Say of="portal.attempt" />, attempt.attemptCount],
        [<Say of="portal.trigger" />, <Say of={`portal.trigger.${attempt.kind}`} />],
        attempt.correlationId !== undefined && [<Say of="portal.correlationId" />, attempt.correlationId],
        [
          <Say of="portal.event" />,
          <A to={`/events/${attempt.eventId}`}>
            <Say of="portal.whoWantedLink" />
          </A>,
        ],
        [
          <Say of="portal.deliveryId" />,
          <Copyable text={attempt.deliveryId} label={useTexts().say("portal.theDeliveryId")} />,
        ],
      ]}
    />
  </section>
);

const DeliveryAttempts = ({ attempt }: { attempt: AttemptDetail }) => (
  <Card id="attempts" title={<Say of="portal.attemptsOf" />}>
    <ol class="list">
      {attempt.attempts.map((other) => (
        <li>
          <div>
            {other._id === attempt._id ? (
              <strong>
                <Time at={other.attemptedAt} />
              </strong>
            ) : (
              <A to={`/webhooks/${attempt.webhookId}/attempts/${other._id}`}>
                <Time at={other.attemptedAt} />
              </A>
            )}
            <div class="small muted">{outcomeOf(useTexts(), other)}</div>
          </div>
          <StatusBadge status={other.status} />
        </li>
      ))}
    </ol>
  </Card>
);
