/** What everybody sees of a tenant's event types: the list, and one type. Neither numbers nor rules of the tenant. */

import { iso } from "../../base/time";
import type { PublicCatalogue } from "../../webhooks/event-types/catalogue/store";
import type { Declared } from "../../webhooks/event-types/declaration";
import type { TypeRow } from "../../webhooks/event-types/rows";
import { CodeBlock } from "../components/code";
import { Badge, EmptyState, Time } from "../components/display";
import { Table } from "../components/table";
import { pathIn } from "./paths";

/** The files of a catalogue. A type of the same name has no page. */
export const FILES = {
  "openapi.json": { format: "openapi", title: "OpenAPI" },
  "asyncapi.json": { format: "asyncapi", title: "AsyncAPI" },
  "types.ts": { format: "typescript", title: "TypeScript" },
} as const;

interface ListProps {
  catalogue: PublicCatalogue;
  types: readonly TypeRow[];
  nextCursor: string | null;
}

export const TypesPage = ({ catalogue, types, nextCursor }: ListProps) => (
  <>
    <h1>{catalogue.title}</h1>
    <Paragraphs text={catalogue.description} />
    <p class="row">
      {Object.entries(FILES).map(([file, { title }]) => (
        <a href={pathIn(catalogue.slug, file)}>{title}</a>
      ))}
    </p>
    <div class="card">
      {types.length === 0 ? <EmptyState title="No event types" /> : <Rows catalogue={catalogue} types={types} />}
    </div>
    {nextCursor !== null && (
      <p>
        <a href={`${pathIn(catalogue.slug)}?${new URLSearchParams({ after: nextCursor })}`}>Next page</a>
      </p>
    )}
  </>
);

const Rows = ({ catalogue, types }: Pick<ListProps, "catalogue" | "types">) => (
  <Table label="Event types" columns={["Name", ["Description", "wide"]]} opens>
    {types.map(({ name, heading, description, deprecated }) => (
      <tr>
        <td class="break">
          <a href={pathIn(catalogue.slug, name)}>{name}</a> {deprecated && <Badge tone="wait">deprecated</Badge>}
          {heading && <div class="small muted">{heading}</div>}
        </td>
        <td class="wide">{description}</td>
      </tr>
    ))}
  </Table>
);

export const TypePage = ({ slug, declared: { type, newest } }: { slug: string; declared: Declared }) => (
  <>
    <div class="row">
      <h1>{type.name}</h1>
      {type.deprecated && <Badge tone="wait">deprecated</Badge>}
    </div>
    {type.heading && <p class="muted">{type.heading}</p>}
    <Paragraphs text={type.description} />
    {type.deprecated && (
      <p>
        Deprecated since <Time at={iso(type.deprecated.since)} />. {type.deprecated.note}{" "}
        {type.deprecated.replacedBy && (
          <>
            Use <a href={pathIn(slug, type.deprecated.replacedBy)}>{type.deprecated.replacedBy}</a>.
          </>
        )}
      </p>
    )}
    <section class="card">
      {newest.schema === undefined ? (
        <p class="muted">Nothing is said about its payload.</p>
      ) : (
        <CodeBlock title={`Schema, version ${newest.version}`} id="schema" text={JSON.stringify(newest.schema)} />
      )}
    </section>
    {(newest.examples ?? []).map((example, place) => (
      <section class="card">
        <CodeBlock title={`Example ${place + 1}`} id={`example-${place}`} text={JSON.stringify(example)} />
      </section>
    ))}
  </>
);

const Paragraphs = ({ text }: { text: string | null }) => (
  <>
    {(text ?? "")
      .split(/\n+/)
      .filter((line) => line.trim() !== "")
      .map((line) => (
        <p>{line}</p>
      ))}
  </>
);
