/** The form that publishes an event by hand. */
import { FormButtons, PostForm } from "../components/buttons";
import { FailureBanner } from "../components/failure";
import { TextArea, TextField } from "../components/fields";
import { Trail } from "../components/trail";

export interface EventValues {
  type: string;
  /** JSON. */
  payload: string;
  correlationId: string;
  orderKey: string;
}

export const PublishEvent = ({ values }: { values: EventValues }) => (
  <div class="narrow">
    <Trail to={{ "/events": "Events" }} />
    <h1>Publish an event</h1>
    <p class="muted">
      It is sent to every active subscription for its type, as if one of your services had published it.
    </p>
    <FailureBanner />
    <PostForm action="/events" class="card">
      <TextField name="type" label="Type" value={values.type} required placeholder="OrderPaid" />
      <TextArea
        name="payload"
        label="Payload"
        value={values.payload}
        rows={8}
        class="mono"
        hint="Any JSON value. It becomes the body of each delivery."
      />
      <TextField
        name="correlationId"
        label="Correlation ID (optional)"
        value={values.correlationId}
        hint="Sent in the X-Correlation-Id header."
      />
      <TextField
        name="orderKey"
        label="Order key (optional)"
        value={values.orderKey}
        hint="What the event is about, such as an order. The events of a key are numbered."
      />
      <FormButtons cancel="/events">Publish</FormButtons>
    </PostForm>
  </div>
);
