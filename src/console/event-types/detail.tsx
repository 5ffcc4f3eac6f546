/** One event type with its schema, its examples and its versions; and one version. */
import type { Permission } from "../../base/schemas/roles";
import type { EventType, EventTypeVersion } from "../../webhooks/event-types/schemas";
import { LinkButton, PostForm, SubmitButton } from "../components/buttons";
import { CodeBlock } from "../components/code";
import { Badge, Card, ScrollArea, Time } from "../components/display";
import { FactList } from "../components/facts";
import { A, Say, useTexts } from "../components/mount";
import { Trail } from "../components/trail";
import { TypeState } from "./list";
import { HERE, pathOf } from "./paths";

type Version = Omit<EventTypeVersion, "schema" | "examples">;

interface DetailProps {
  type: EventType;
  versions: readonly Version[];
  permissions: ReadonlySet<Permission>;
  /** Some subscriptions that receive it, to which an example can be sent. */
  receivers: readonly Receiver[];
}

interface Receiver {
  id: string;
  name: string;
}

export function TypeDetail({ type, versions, permissions, receivers }: DetailProps) {
  const isOwn = type.scope === "tenant";
  return (
    <>
      <Trail to={{ [HERE]: <Say of="portal.eventTypes" /> }} />
      <div class="head">
        <div class="row">
          <h1>{type.name}</h1>
          <TypeState type={type} />
        </div>
        <div class="row">
          {isOwn && permissions.has("webhook.update") && (
            <>
              <LinkButton to={`${pathOf(type.name)}/edit`}>Edit</LinkButton>
              <LinkButton to={`${pathOf(type.name)}/new-version`}>New version</LinkButton>
            </>
          )}
          {isOwn && permissions.has("webhook.delete") && (
            <LinkButton to={`${pathOf(type.name)}/delete`} kind="danger">
              Delete
            </LinkButton>
          )}
        </div>
      </div>
      <div class="columns">
        <div>
          <section class="card">
            {type.schema === undefined ? (
              <p class="muted">
                <Say of="portal.noSchema" />
              </p>
            ) : (
              <CodeBlock title={<Say of="portal.schema" />} id="schema" text={JSON.stringify(type.schema)} />
            )}
          </section>
          <Examples type={type} mayPublish={permissions.has("event.publish")} receivers={receivers} />
        </div>
        <div>
          <Facts type={type} />
          {versions.length > 0 && <Versions name={type.name} versions={versions} />}
        </div>
      </div>
    </>
  );
}

const Facts = ({ type }: { type: EventType }) => (
  <section class="card" aria-label={useTexts().say("portal.settings")}>
    {type.description && <p>{type.description}</p>}
    <FactList
      facts={[
        [<Say of="portal.payload" />, <Say of={`portal.enforce.${type.enforce}`} />],
        Boolean(type.group) && [<Say of="portal.group" />, type.group],
        [<Say of="portal.subscribers" />, type.subscribers ?? 0],
        type.deprecated !== undefined && ["Deprecated", <Deprecated {...type.deprecated} />],
        type.warned !== undefined && ["Last warning", <Time at={type.warned.lastAt} />],
        [<Say of="portal.changed" />, <Time at={type.updatedAt} />],
      ]}
    />
  </section>
);

const Deprecated = ({ since, note, replacedBy }: NonNullable<EventType["deprecated"]>) => (
  <>
    since <Time at={since} /> {note}{" "}
    {replacedBy && (
      <>
        Use <A to={pathOf(replacedBy)}>{replacedBy}</A>.
      </>
    )}
  </>
);

interface ExamplesProps {
  type: EventType;
  mayPublish: boolean;
  receivers: readonly Receiver[];
}

const Examples = ({ type, mayPublish, receivers }: ExamplesProps) =>
  (type.examples ?? []).map((example, place) => (
    <section class="card">
      <CodeBlock
        title={<Say of="portal.example" values={{ number: place + 1 }} />}
        id={`example-${place}`}
        text={JSON.stringify(example)}
      />
      {receivers.length > 0 && (
        <ul class="list after-list">
          {receivers.map((receiver) => (
            <SendThis type={type.name} place={place} to={receiver} />
          ))}
        </ul>
      )}
      {mayPublish && (
        <LinkButton to={`/events/new?${new URLSearchParams({ type: type.name, example: String(place) })}`}>
          Publish this example
        </LinkButton>
      )}
    </section>
  ));

/** Sends an example to one subscription alone, as a test. */
const SendThis = ({ type, place, to }: { type: string; place: number; to: Receiver }) => (
  <li>
    <div>
      <A to={`/webhooks/${to.id}`}>{to.name}</A>
    </div>
    <PostForm action={`/webhooks/${to.id}/test`} class="inline">
      <input type="hidden" name="type" value={type} />
      <input type="hidden" name="example" value={String(place)} />
      <SubmitButton
        kind="plain"
        label={useTexts().say("portal.sendThisTo", { name: to.name, number: String(place + 1) })}
      >
        <Say of="portal.sendThis" />
      </SubmitButton>
    </PostForm>
  </li>
);

const Versions = ({ name, versions }: { name: string; versions: readonly Version[] }) => (
  <Card id="versions" title="Versions">
    <ScrollArea label="Versions as a table">
      <table>
        <tbody>
          {versions.map(({ version, compatible, createdAt }) => (
            <tr>
              <td>
                <A to={`${pathOf(name)}/versions/${version}`}>Version {version}</A>
              </td>
              <td>{compatible ? <Badge tone="ok">compatible</Badge> : <Badge tone="wait">breaks something</Badge>}</td>
              <td class="small">
                <Time at={createdAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollArea>
  </Card>
);

export const VersionDetail = ({ name, version }: { name: string; version: EventTypeVersion }) => (
  <>
    <Trail to={{ [HERE]: "Event types", [pathOf(name)]: name }} />
    <h1>
      {name}, version {version.version}
    </h1>
    {version.breaks && (
      <Card id="breaks" title="What it breaks since the version before">
        <Places title="Payloads that were valid may be refused" paths={version.breaks.publishers} />
        <Places title="Payloads may lack what subscribers read" paths={version.breaks.subscribers} />
      </Card>
    )}
    <section class="card">
      <CodeBlock title="Schema" id="schema" text={JSON.stringify(version.schema)} />
    </section>
  </>
);

const Places = ({ title, paths }: { title: string; paths: readonly string[] }) =>
  paths.length === 0 ? null : (
    <>
      <p>{title}:</p>
      <ul class="plain-list">
        {paths.map((path) => (
          <li>
            <code>{path === "" ? "the payload" : path}</code>
          </li>
        ))}
      </ul>
    </>
  );
