/** The filter of a subscription: changing it, and trying it on an event. */
import type { FilterResult } from "../../webhooks/filters/schemas";
import { LinkButton, PostForm, SubmitButton } from "../components/buttons";
import { FailureBanner } from "../components/failure";
import { TextArea, TextField } from "../components/fields";
import { Say, useTexts } from "../components/mount";
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
  const texts = useTexts();
  return (
    <div class="narrow">
      <Trail to={subscriptionTrail({ id, name })} />
      <h1>
        <Say of="portal.filter" />
      </h1>
      <p class="muted">
        <Say of="portal.filterText" />{" "}
        <a href="/docs/filters">
          <Say of="portal.filterDocs" />
        </a>
      </p>
      <FailureBanner />
      {result && <Verdict {...result} />}
      <PostForm action={`${here}/filter/test`} class="card">
        <TextArea
          name="filter"
          label={texts.say("portal.filter")}
          value={values.filter}
          rows={8}
          class="mono"
          hint={texts.say("portal.filterHint")}
        />
        <TextField name="type" label={texts.say("portal.typeToTry")} value={values.type} placeholder="OrderPaid" />
        <TextArea
          name="payload"
          label={texts.say("portal.payloadToTry")}
          value={values.payload}
          rows={8}
          class="mono"
        />
        <div class="row">
          <SubmitButton kind={mayUpdate ? "plain" : "main"}>
            <Say of="portal.try" />
          </SubmitButton>
          {mayUpdate && (
            <SubmitButton formaction={`${here}/filter`}>
              <Say of="portal.saveFilter" />
            </SubmitButton>
          )}
          <LinkButton to={here}>
            <Say of="portal.cancel" />
          </LinkButton>
        </div>
      </PostForm>
    </div>
  );
}

const Verdict = ({ subscribed, matches, because }: FilterResult) => (
  <section class="card" aria-label={useTexts().say("portal.result")}>
    <p>
      <strong>
        <Say of={matches ? "portal.letsThrough" : "portal.letsNot"} />
      </strong>{" "}
      {!subscribed && <Say of="portal.notListed" />}
    </p>
    {!matches && <Because reasons={because} />}
  </section>
);
