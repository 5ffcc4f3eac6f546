/** The form that publishes an event, and an event with its deliveries. */

import { LinkButton, PostForm, SubmitButton } from "../components/buttons";
import { Badge, Copyable, EmptyState, FailureBanner, LiveIndicator, Time } from "../components/display";
import { TextArea, TextField } from "../components/fields";
import type { Failure } from "../failure";
import { type LogRow, outcomeOf, StatusBadge } from "../subscriptions/log";

export interface EventValues {
  type: string;
  /** JSON. */
  payload: string;
  correlationId: string;
}

export const PublishEvent = ({ values, failure }: { values: EventValues; failure?: Failure | undefined }) => (
  <div class="narrow">
    <h1>Publish an event</h1>
    <p class="muted">
      It is sent to every active subscription for its type, as if one of your services had published it.
    </p>
    <FailureBanner failure={failure} />
    <PostForm action="/console/events" class="card">
      <TextField name="type" label="Type" value={values.type} required placeholder="OrderPaid" failure={failure} />
      <TextArea
        name="payload"
        label="Payload"
        value={values.payload}
        rows={8}
        class="mono"
        hint="Any JSON value. It becomes the body of each delivery."
        failure={failure}
      />
      <TextField
        name="correlationId"
        label="Correlation ID (optional)"
        value={values.correlationId}
        hint="Sent in the X-Correlation-Id header."
        failure={failure}
      />
      <SubmitButton>Publish</SubmitButton>
    </PostForm>
  </div>
);

export interface EventView {
  id: string;
  type: string;
  createdAt: number;
  /** The number of deliveries. `deliveries` holds the first of them. */
  deliveryCount: number;
  deliveries: DeliveryView[];
}

interface DeliveryView {
  webhookId: string;
  webhookName: string;
  /** The latest attempt; null before the first one. */
  attempt: Pick<LogRow, "id" | "status" | "responseCode" | "error" | "attemptCount"> | null;
}

export const EventDetail = ({ event }: { event: EventView }) => (
  <>
    <p class="trail">
      <a href="/console/events">Events</a>
    </p>
    <div class="head">
      <h1>{event.type}</h1>
      <LinkButton href="/console/events" kind="main">
        Publish another
      </LinkButton>
    </div>
    <dl class="facts">
      <dt>Published</dt>
      <dd>
        <Time at={event.createdAt} />
      </dd>
      <dt>ID</dt>
      <dd>
        <Copyable text={event.id} label="the ID" />
      </dd>
    </dl>
    <section class="card" aria-labelledby="deliveries">
      <div class="head">
        <h2 id="deliveries">Deliveries</h2>
        <LiveIndicator />
      </div>
      <div data-live={`/console/events/${event.id}/deliveries`}>
        <Deliveries event={event} />
      </div>
    </section>
  </>
);

/** The part of the page that the script refreshes. */
export const Deliveries = ({ event }: { event: EventView }) =>
  event.deliveryCount === 0 ? (
    <EmptyState title="No deliveries">
      <p class="muted">No active subscription is for {event.type}.</p>
      <LinkButton href="/console/webhooks">View subscriptions</LinkButton>
    </EmptyState>
  ) : (
    <>
      <ul class="list">
        {event.deliveries.map((delivery) => (
          <li>
            <div>
              <a href={`/console/webhooks/${delivery.webhookId}`}>{delivery.webhookName}</a>
              {delivery.attempt && <Outcome webhookId={delivery.webhookId} attempt={delivery.attempt} />}
            </div>
            {delivery.attempt ? <StatusBadge status={delivery.attempt.status} /> : <Badge tone="wait">queued</Badge>}
          </li>
        ))}
      </ul>
      {event.deliveryCount > event.deliveries.length && (
        <p class="hint">
          Showing {event.deliveries.length} of {event.deliveryCount}.
        </p>
      )}
    </>
  );

const Outcome = ({ webhookId, attempt }: { webhookId: string; attempt: NonNullable<DeliveryView["attempt"]> }) => (
  <div class="small">
    <a href={`/console/webhooks/${webhookId}/attempts/${attempt.id}`}>Attempt {attempt.attemptCount}</a>{" "}
    <span class="muted">{outcomeOf(attempt)}</span>
  </div>
);
