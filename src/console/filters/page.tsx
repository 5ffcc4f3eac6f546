/** The filter of a subscription: changing it, and trying it on an event. */
import type { FilterResult } from "../../webhooks/filters/schemas";
import { LinkButton, PostForm, SubmitButton } from "../components/buttons";
import { FailureBanner } from "../components/failure";
import { TextArea, TextField } from "../components/fields";
import { Worded } from "../components/mount";
import { subscriptionTrail, Trail } from "../components/trail";
import { Because } from "./because";

export interface FilterValues {
  /** JSON. */
  filter: string;
  type: string;
  /** JSON. */
  payload: string;
}

interface FilterPageProps {
  id: string;
  name: string;
  values: FilterValues;
  mayUpdate: boolean;
  /** What the filter makes of the event, once it was tried. */
  result?: FilterResult | undefined;
}

export function FilterPage({ id, name, values, mayUpdate, result }: FilterPageProps) {
  const here = `/webhooks/${id}`;
  return (
    <div class="narrow">
      <Trail to={subscriptionTrail({ id, name })} />
      <h1>Filter</h1>
      <p class="muted">
        Only events that fit are sent. <a href="/docs/filters">What a filter can say</a>
      </p>
      <FailureBanner />
      {result && <Verdict {...result} />}
      <PostForm action={`${here}/filter/test`} class="card">
        <TextArea
          name="filter"
          label="Filter"
          value={values.filter}
          rows={8}
          class="mono"
          hint='For example {"payload.total": {"$gt": 100}}. Save it empty to send all events again.'
        />
        <TextField name="type" label="Event type to try" value={values.type} placeholder="OrderPaid" />
        <TextArea name="payload" label="Payload to try" value={values.payload} rows={8} class="mono" />
        <div class="row">
          <SubmitButton kind={mayUpdate ? "plain" : "main"}>Try</SubmitButton>
          {mayUpdate && <SubmitButton formaction={`${here}/filter`}>Save filter</SubmitButton>}
          <LinkButton to={here}>Cancel</LinkButton>
        </div>
      </PostForm>
    </div>
  );
}

const Verdict = ({ subscribed, matches, because }: FilterResult) => (
  <section class="card" aria-label="Result">
    <p>
      <strong>The filter {matches ? "lets" : "does not let"} this event through.</strong>{" "}
      {!subscribed && <Worded>The subscription does not list its type, so it does not receive the event.</Worded>}
    </p>
    {!matches && <Because reasons={because} />}
  </section>
);
