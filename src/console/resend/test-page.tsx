/** The page that sends an example of a chosen type to one subscription alone. */
import { FormButtons, PostForm } from "../components/buttons";
import { Select } from "../components/fields";
import { Say, useTexts } from "../components/mount";
import { NarrowPage } from "../components/narrow-page";
import { subscriptionTrail } from "../components/trail";

interface TestPageProps {
  subscription: { id: string; name: string };
  /** The declared types that have examples. */
  types: readonly string[];
}

export const TestPage = ({ subscription, types }: TestPageProps) => (
  <NarrowPage title={<Say of="portal.testType" />} trail={subscriptionTrail(subscription)}>
    <PostForm action={`/webhooks/${subscription.id}/test`} class="card">
      <Select
        name="type"
        label={useTexts().say("portal.eventType")}
        value=""
        options={[["", "WebhookTested"], ...types.map((type) => [type, type] as const)]}
        hint={useTexts().say("portal.testHint")}
      />
      <FormButtons cancel={`/webhooks/${subscription.id}`}>
        <Say of="portal.sendTest" />
      </FormButtons>
    </PostForm>
  </NarrowPage>
);
