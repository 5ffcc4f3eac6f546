/** One event type with its schema, its examples and its versions; and one version. */
import type { Permission } from "../../platform/schemas/roles";
import type { EventType, EventTypeVersion } from "../../webhooks/event-types/schemas";
import { LinkButton } from "../components/buttons";
import { CodeBlock } from "../components/code";
import { Badge, ScrollArea, Time } from "../components/display";
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
      <p class="trail">
        <a href={HERE}>Event types</a>
      </p>
      <div class="head">
        <div class="row">
          <h1>{type.name}</h1>
          <TypeState type={type} />
        </div>
        <div class="row">
          {isOwn && permissions.has("webhook.update") && (
            <>
              <LinkButton href={`${pathOf(type.name)}/edit`}>Edit</LinkButton>
              <LinkButton href={`${pathOf(type.name)}/new-version`}>New version</LinkButton>
            </>
          )}
          {isOwn && permissions.has("webhook.delete") && (
            <LinkButton href={`${pathOf(type.name)}/delete`} kind="danger">
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
    <dl class="facts">
      <dt>Payload</dt>
      <dd>{ENFORCEMENTS[type.enforce]}</dd>
      {type.group && (
        <>
          <dt>Group</dt>
          <dd>{type.group}</dd>
        </>
      )}
      <dt>Subscribers</dt>
      <dd>{type.subscribers ?? 0}</dd>
      {type.deprecated && (
        <>
          <dt>Deprecated</dt>
          <dd>
            since <Time at={type.deprecated.since} /> {type.deprecated.note}{" "}
            {type.deprecated.replacedBy && (
              <>
                Use <a href={pathOf(type.deprecated.replacedBy)}>{type.deprecated.replacedBy}</a>.
              </>
            )}
          </dd>
        </>
      )}
      {type.warned && (
        <>
          <dt>Last warning</dt>
          <dd>
            <Time at={type.warned.lastAt} />
          </dd>
        </>
      )}
      <dt>Changed</dt>
      <dd>
        <Time at={type.updatedAt} />
      </dd>
    </dl>
  </section>
);

const Examples = ({ type, mayPublish }: { type: EventType; mayPublish: boolean }) =>
  (type.examples ?? []).map((example, place) => (
    <section class="card">
      <CodeBlock title={`Example ${place + 1}`} id={`example-${place}`} text={JSON.stringify(example)} />
      {mayPublish && (
        <LinkButton href={`/console/events/new?${new URLSearchParams({ type: type.name, example: String(place) })}`}>
          Publish this example
        </LinkButton>
      )}
    </section>
  ));

const Versions = ({ name, versions }: { name: string; versions: readonly Version[] }) => (
  <section class="card" aria-labelledby="versions">
    <h2 id="versions">Versions</h2>
    <ScrollArea label="Versions as a table">
      <table>
        <tbody>
          {versions.map(({ version, compatible, createdAt }) => (
            <tr>
              <td>
                <a href={`${pathOf(name)}/versions/${version}`}>Version {version}</a>
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
  </section>
);

export const VersionDetail = ({ name, version }: { name: string; version: EventTypeVersion }) => (
  <>
    <p class="trail">
      <a href={HERE}>Event types</a> / <a href={pathOf(name)}>{name}</a>
    </p>
    <h1>
      {name}, version {version.version}
    </h1>
    {version.breaks && (
      <section class="card" aria-labelledby="breaks">
        <h2 id="breaks">What it breaks since the version before</h2>
        <Places title="Payloads that were valid may be refused" paths={version.breaks.publishers} />
        <Places title="Payloads may lack what subscribers read" paths={version.breaks.subscribers} />
      </section>
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
