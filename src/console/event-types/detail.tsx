/** One event type with its schema, its examples and its versions; and one version. */
import type { Permission } from "../../base/schemas/roles";
import type { EventType, EventTypeVersion } from "../../webhooks/event-types/schemas";
import { LinkButton } from "../components/buttons";
import { CodeBlock } from "../components/code";
import { Badge, Card, ScrollArea, Time } from "../components/display";
import { FactList } from "../components/facts";
import { A } from "../components/mount";
import { Trail } from "../components/trail";
import { ENFORCEMENTS, TypeState } from "./list";
import { HERE, pathOf } from "./paths";

type Version = Omit<EventTypeVersion, "schema" | "examples">;

interface DetailProps {
  type: EventType;
  versions: readonly Version[];
  permissions: ReadonlySet<Permission>;
}

export function TypeDetail({ type, versions, permissions }: DetailProps) {
  const isOwn = type.scope === "tenant";
  return (
    <>
      <Trail to={{ [HERE]: "Event types" }} />
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
              <p class="muted">It has no schema, so payloads are not checked.</p>
            ) : (
              <CodeBlock title="Schema" id="schema" text={JSON.stringify(type.schema)} />
            )}
          </section>
          <Examples type={type} mayPublish={permissions.has("event.publish")} />
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
  <section class="card" aria-label="Settings">
    {type.description && <p>{type.description}</p>}
    <FactList
      facts={[
        ["Payload", ENFORCEMENTS[type.enforce]],
        Boolean(type.group) && ["Group", type.group],
        ["Subscribers", type.subscribers ?? 0],
        type.deprecated !== undefined && ["Deprecated", <Deprecated {...type.deprecated} />],
        type.warned !== undefined && ["Last warning", <Time at={type.warned.lastAt} />],
        ["Changed", <Time at={type.updatedAt} />],
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

const Examples = ({ type, mayPublish }: { type: EventType; mayPublish: boolean }) =>
  (type.examples ?? []).map((example, place) => (
    <section class="card">
      <CodeBlock title={`Example ${place + 1}`} id={`example-${place}`} text={JSON.stringify(example)} />
      {mayPublish && (
        <LinkButton to={`/events/new?${new URLSearchParams({ type: type.name, example: String(place) })}`}>
          Publish this example
        </LinkButton>
      )}
    </section>
  ));

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
