/** One feed: its settings, its token, and how far its consumers have come. */
import type { Permission } from "../../base/schemas/roles";
import type { Feed, FeedConsumer } from "../../webhooks/feeds/schemas";
import { ActionButton, LinkButton, PostForm, SubmitButton } from "../components/buttons";
import { Banner, Card, Copyable, Time } from "../components/display";
import { FailureBanner } from "../components/failure";
import { Select } from "../components/fields";
import { List } from "../components/list";
import { Trail } from "../components/trail";
import { FeedFields, type FeedValues } from "./fields";
import { HERE } from "./list";

interface DetailProps {
  feed: Feed;
  consumers: readonly FeedConsumer[];
  values: FeedValues;
  permissions: ReadonlySet<Permission>;
  /** The new token. It is shown on this page only. */
  token?: string | undefined;
}

export function FeedDetail({ feed, consumers, values, permissions, token }: DetailProps) {
  const mayChange = permissions.has("webhook.update");
  return (
    <>
      <Trail to={{ [HERE]: "Feeds" }} />
      <div class="head">
        <h1>{feed.name}</h1>
        {permissions.has("webhook.delete") && (
          <LinkButton to={`${HERE}/${feed.id}/delete`} kind="danger">
            Delete
          </LinkButton>
        )}
      </div>
      {token !== undefined && <NewToken token={token} />}
      <FailureBanner />
      <div class="columns">
        <Consumers feed={feed} consumers={consumers} mayChange={mayChange} />
        <div>
          <Token feed={feed} mayChange={mayChange} />
          {mayChange && <Settings feed={feed} values={values} />}
        </div>
      </div>
    </>
  );
}

const NewToken = ({ token }: { token: string }) => (
  <Banner kind="ok">
    <p>The token of this feed. Copy it now: it will not be shown again.</p>
    <Copyable text={token} label="the token" />
  </Banner>
);

interface ConsumersProps {
  feed: Feed;
  consumers: readonly FeedConsumer[];
  mayChange: boolean;
}

const Consumers = ({ feed, consumers, mayChange }: ConsumersProps) => (
  <Card id="consumers" title="Consumers">
    <List
      of={consumers}
      row={(consumer) => (
        <Consumer path={`${HERE}/${feed.id}/consumers/${consumer.name}`} consumer={consumer} mayChange={mayChange} />
      )}
      empty="No consumers yet"
    >
      A program becomes one when it first reads the feed under a name of its own.
    </List>
  </Card>
);

/** As far as the service counts what waits. */
const MOST_COUNTED = 10_000;

const waitingText = (waiting: number): string => {
  if (waiting === 0) return "has read everything";
  const count = waiting >= MOST_COUNTED ? `${MOST_COUNTED.toLocaleString("en")} or more` : waiting.toLocaleString("en");
  return `${count} ${waiting === 1 ? "event waits" : "events wait"}`;
};

const Consumer = ({
  path,
  consumer: { name, waiting, updatedAt },
  mayChange,
}: {
  path: string;
  consumer: FeedConsumer;
  mayChange: boolean;
}) => (
  <li>
    <div>
      <strong class="break">{name}</strong> <span class="muted">{waitingText(waiting)}</span>
      <div class="small muted">
        Last acknowledged or moved <Time at={updatedAt} />
      </div>
    </div>
    {mayChange && (
      <div class="row">
        <ActionButton action={`${path}/oldest`} label={`Let ${name} begin with the oldest event`}>
          To the oldest
        </ActionButton>
        <ActionButton action={`${path}/now`} label={`Let ${name} pass over everything`}>
          To now
        </ActionButton>
        <ActionButton action={`${path}/forget`} kind="danger" label={`Forget ${name}`}>
          Forget
        </ActionButton>
      </div>
    )}
  </li>
);

/** How long the former token still works, in seconds. */
const OVERLAPS = [
  ["0", "The former one ends now"],
  ["3600", "The former one works for another hour"],
  ["86400", "The former one works for another day"],
] as const;

const Token = ({ feed, mayChange }: { feed: Feed; mayChange: boolean }) => (
  <Card id="token" title="Token">
    <p>
      Programs read this feed, and no other, with a token that begins with <code>{feed.tokenPrefix}</code>
    </p>
    {mayChange && (
      <PostForm action={`${HERE}/${feed.id}/token`}>
        <Select name="overlapSeconds" label="New token" value="0" options={OVERLAPS} />
        <SubmitButton kind="plain">Replace token</SubmitButton>
      </PostForm>
    )}
  </Card>
);

const Settings = ({ feed, values }: { feed: Feed; values: FeedValues }) => (
  <Card id="settings" title="Settings">
    <PostForm action={`${HERE}/${feed.id}`}>
      <FeedFields values={values} />
      <SubmitButton kind="plain">Save changes</SubmitButton>
    </PostForm>
  </Card>
);
