/** The directory of a connection: where it calls, its tokens, and whom it has. */
import type { ConnectionPerson } from "../../directory/people/schemas";
import type { ScimTokenView } from "../../directory/tokens/schemas";
import type { ConnectionView } from "../../sign-on/connections/schemas";
import { isReason, messageOf } from "../../sign-on/refused";
import { ActionButton, LinkButton, PostForm, SubmitButton } from "../components/buttons";
import { Badge, Banner, Card, Copyable, Time } from "../components/display";
import { FactList } from "../components/facts";
import { FailureBanner } from "../components/failure";
import { Select } from "../components/fields";
import { LIFETIMES } from "../components/lifetimes";
import { List } from "../components/list";
import { useIsSetup } from "../components/mount";
import { Trail } from "../components/trail";
import { pathOf, type StateOfPeople } from "./paths";

interface DirectoryProps {
  connection: ConnectionView;
  tokens: readonly ScimTokenView[];
  /** A page of its people, with the path of the next one; null: the reader is not shown them. */
  people: { shown: readonly ConnectionPerson[]; state: StateOfPeople; next: string | null } | null;
  mayChange: boolean;
  /** The new token. It is shown on this page only. */
  token?: string | undefined;
}

export const DirectoryPage = ({ connection, tokens, people, mayChange, token }: DirectoryProps) => {
  const isSetup = useIsSetup();
  return (
    <>
      {!isSetup && (
        <Trail to={{ "/connections": "Single sign-on", [`/connections/${connection.id}`]: connection.name }} />
      )}
      <h1>Directory of {connection.name}</h1>
      <p class="muted">
        Your identity provider adds people, changes their roles and removes them here by SCIM 2.0.{" "}
        <a href="/docs/sign-on#the-directory">How it works</a>
      </p>
      {token && (
        <Banner kind="ok">
          <p>Your new token. Copy it now: it will not be shown again.</p>
          <Copyable text={token} label="the token" />
        </Banner>
      )}
      <FailureBanner />
      {tokens.some(({ needsReview }) => needsReview) && (
        <ToReview id={connection.id} mayAccept={mayChange && !isSetup} />
      )}
      <div class="columns">
        <AtDirectory connection={connection} isForMembers={people !== null} />
        <Tokens id={connection.id} tokens={tokens} mayChange={mayChange} />
      </div>
      {people && <People id={connection.id} people={people} mayChange={mayChange} />}
    </>
  );
};

const ToReview = ({ id, mayAccept }: { id: string; mayAccept: boolean }) => (
  <Banner kind="warn">
    <p>Somebody with a setup link has made a token. It does not work before an owner accepts it.</p>
    {mayAccept && (
      <ActionButton action={`${pathOf(id)}/accept`} kind="main">
        Accept the token
      </ActionButton>
    )}
  </Banner>
);

interface AtDirectoryProps extends Pick<DirectoryProps, "connection"> {
  /** Whether the reader is shown whom it has. */
  isForMembers: boolean;
}

const AtDirectory = ({ connection: { id, scimUrl, directory }, isForMembers }: AtDirectoryProps) => (
  <Card id="at-directory" title="At the identity provider">
    <FactList
      facts={[
        ["SCIM base URL", <Copyable text={scimUrl} label="the base URL" />],
        ["For Entra", <Copyable text={`${scimUrl}?aadOptscim062020`} label="the tenant URL for Entra" />],
        ["Authentication", "Bearer token (in Okta: HTTP Header)"],
        ["Unique identifier", "userName"],
        directory !== undefined && ["Active people", String(directory.active)],
        directory !== undefined && ["Inactive", String(directory.inactive)],
        directory !== undefined && ["Held", String(directory.held)],
        directory !== undefined && ["Groups", String(directory.groups)],
        directory?.lastRequestAt != null && ["Last call", <Time at={directory.lastRequestAt} />],
      ]}
    />
    {isForMembers && directory !== undefined && directory.groups > 0 && (
      <p class="small">
        <LinkButton to={`${pathOf(id)}/groups`}>Groups and their roles</LinkButton>
      </p>
    )}
  </Card>
);

const Tokens = ({ id, tokens, mayChange }: { id: string } & Pick<DirectoryProps, "tokens" | "mayChange">) => (
  <Card id="tokens" title="Tokens">
    <List
      of={tokens}
      row={(one) => (
        <li>
          <div>
            Made <Time at={one.createdAt} /> {one.needsReview && <Badge tone="wait">to be accepted</Badge>}
            <div class="small muted">
              {one.lastUsedAt === null ? (
                "Never used"
              ) : (
                <>
                  Last used <Time at={one.lastUsedAt} />
                </>
              )}
              {one.expiresAt !== null && (
                <>
                  , ends <Time at={one.expiresAt} />
                </>
              )}
            </div>
          </div>
          {mayChange && (
            <ActionButton action={`${pathOf(id)}/tokens/${one.id}/revoke`} kind="danger" label={`Revoke ${one.id}`}>
              Revoke
            </ActionButton>
          )}
        </li>
      )}
      empty="No tokens yet"
    />
    {mayChange && (
      <PostForm action={`${pathOf(id)}/tokens`}>
        <Select name="expiresAt" label="A new token ends" value="" options={LIFETIMES} />
        <SubmitButton>Make token</SubmitButton>
      </PostForm>
    )}
  </Card>
);

interface PeopleProps {
  id: string;
  people: NonNullable<DirectoryProps["people"]>;
  mayChange: boolean;
}

const People = ({ id, people: { shown, state, next }, mayChange }: PeopleProps) => (
  <Card id="people" title={state === "held" ? "People who are held" : "People"}>
    <p class="small">
      <LinkButton to={state === "held" ? pathOf(id) : `${pathOf(id)}?state=held`}>
        {state === "held" ? "Show everybody" : "Show who is held"}
      </LinkButton>
    </p>
    <List of={shown} row={(person) => <PersonRow id={id} person={person} mayChange={mayChange} />} empty="Nobody" />
    {next && <LinkButton to={next}>Next</LinkButton>}
  </Card>
);

const TONES = { active: "ok", inactive: "calm", held: "wait", removed: "calm" } as const;

const PersonRow = ({ id, person, mayChange }: { id: string; person: ConnectionPerson; mayChange: boolean }) => (
  <li>
    <div>
      <span class="break">{person.email ?? person.userName ?? person.id}</span>{" "}
      <Badge tone={TONES[person.state]}>{person.state}</Badge>
      {person.reason !== undefined && isReason(person.reason) && (
        <div class="small muted">{messageOf(person.reason)}</div>
      )}
    </div>
    {mayChange && person.state === "held" && (
      <ActionButton action={`${pathOf(id)}/people/${person.id}/release`} label={`Let ${person.email ?? person.id} in`}>
        Let in
      </ActionButton>
    )}
  </li>
);
