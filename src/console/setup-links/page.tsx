/** The page of setup links: the list, the form for a new one, and its URL, shown once. */
import type { SetupLinkRow } from "../../sign-on/setup-links/store";
import { ActionButton, PostForm, SubmitButton } from "../components/buttons";
import { Badge, Banner, Card, Copyable, Time } from "../components/display";
import { FailureBanner } from "../components/failure";
import { CheckboxGroup, Select, TextField } from "../components/fields";
import { List } from "../components/list";
import { Trail } from "../components/trail";
import { SETUP_LIFETIMES, type SetupLinkValues, TASKS } from "./values";

interface SetupLinksProps {
  links: readonly SetupLinkRow[];
  /** The connections that a link can be for. */
  connections: readonly { id: string; name: string }[];
  /** Whether the reader may make and revoke them. */
  mayChange: boolean;
  values: SetupLinkValues;
  /** The URL of the new link. It is shown on this page only. */
  url?: string | undefined;
}

export const SetupLinks = ({ links, connections, mayChange, values, url }: SetupLinksProps) => (
  <>
    <Trail to={{ "/connections": "Single sign-on" }} />
    <h1>Setup links</h1>
    <p class="muted">
      With a link, the people who run your identity provider and your DNS set up sign-on without an account here. What
      they make signs nobody in before an owner activates it. <a href="/docs/sign-on">How it works</a>
    </p>
    {url && (
      <Banner kind="ok">
        <p>Your new link works once. Copy it now: it will not be shown again.</p>
        <Copyable text={url} label="the link" />
      </Banner>
    )}
    <FailureBanner />
    <div class="columns">
      <Card id="active" title="Links that have not ended">
        <List of={links} row={(link) => <LinkRow link={link} mayChange={mayChange} />} empty="No setup links" />
      </Card>
      {mayChange && <NewLink connections={connections} values={values} />}
    </div>
  </>
);

const LinkRow = ({ link, mayChange }: { link: SetupLinkRow; mayChange: boolean }) => (
  <li>
    <div>
      {link.may.map((task) => (
        <>
          <Badge tone="calm">{task}</Badge>{" "}
        </>
      ))}
      {link.email !== null && <span class="break">{link.email}</span>}
      <div class="small muted">
        Made <Time at={link.createdAt} />, ends <Time at={link.expiresAt} />
        {link.openedAt !== null && (
          <>
            , opened <Time at={link.openedAt} />
          </>
        )}
      </div>
    </div>
    {mayChange && (
      <ActionButton action={`/setup-links/${link.id}/revoke`} kind="danger" label={`Revoke ${link.id}`}>
        Revoke
      </ActionButton>
    )}
  </li>
);

const NewLink = ({ connections, values }: Pick<SetupLinksProps, "connections" | "values">) => (
  <Card id="new-link" title="New link">
    <PostForm action="/setup-links">
      <CheckboxGroup name="may" legend="The link is for" values={values.may} options={TASKS} />
      <Select
        name="connectionId"
        label="Connection"
        value={values.connectionId}
        options={[["", "A new one"], ...connections.map(({ id, name }) => [id, name] as const)]}
      />
      <TextField
        name="email"
        label="Address (optional)"
        type="email"
        value={values.email}
        placeholder="it@acme.com"
        hint="The link is mailed there, and opens with a code that is mailed there too."
      />
      <Select name="ttlSeconds" label="Works for" value={values.ttlSeconds} options={SETUP_LIFETIMES} />
      <SubmitButton>Make link</SubmitButton>
    </PostForm>
  </Card>
);
