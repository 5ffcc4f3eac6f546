/**
 * The page at `/docs/reference`: each operation and each type of the OpenAPI document, as HTML that needs no script. A
 * renderer in the browser would weigh three times as much, and the browser's search would not find what it has closed.
 */
import type { DocsPage } from "./catalogue";
import { type DocumentedSchema, fieldList, typeText, withCode } from "./reference-types";
import { anchorOf, escaped, renderMarkdown } from "./render";
import { type Shell, shellHtml } from "./shell";

interface Media {
  schema?: DocumentedSchema;
}

interface Answer {
  description?: string;
  content?: Readonly<Record<string, Media>>;
}

interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  tags: readonly string[];
  parameters?: readonly {
    name: string;
    in: string;
    required?: boolean;
    description?: string;
    schema?: DocumentedSchema;
  }[];
  requestBody?: { content: Readonly<Record<string, Media>> };
  responses: Readonly<Record<string, Answer & { $ref?: string }>>;
  security?: readonly Readonly<Record<string, unknown>>[];
}

/** The parts of the document that the page shows. */
export interface ApiDocument {
  info: { description?: string };
  tags: readonly { name: string; description?: string }[];
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  webhooks?: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  components: { schemas: Readonly<Record<string, DocumentedSchema>> };
}

interface Placed extends Operation {
  method: string;
  path: string;
}

export function referenceHtml(shell: Shell, page: DocsPage, document: ApiDocument): string {
  const text = (markdown = "") => renderMarkdown(page.name, markdown, shell.highlighted);
  const operations = Object.entries({ ...document.paths, ...document.webhooks }).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  );
  const groups = document.tags.map(
    ({ name, description }) =>
      `<h2 id="${anchorOf(name)}">${name}</h2>\n${text(description)}` +
      operations
        .filter(({ tags }) => tags.includes(name))
        .map((operation) => operationHtml(operation, text))
        .join(""),
  );
  const types = Object.entries(document.components.schemas).map(
    ([name, schema]) =>
      `<details class="entry" id="type-${name}"><summary><code>${name}</code></summary>` +
      `${text(schema.description)}${fieldList(schema)}</details>\n`,
  );
  const links = [...document.tags.map(({ name }) => name), "Types"].map(
    (name) => `<li><a href="#${anchorOf(name)}">${name}</a></li>`,
  );
  const main =
    `<h1>${page.title}</h1>\n<nav class="toc" aria-label="On this page"><p>On this page</p>` +
    `<ul>${links.join("")}</ul></nav>\n<article>\n${text(document.info.description)}` +
    '<p>Programs read the <a href="/api/v1/openapi.json">OpenAPI document</a>, from which this page is made.</p>\n' +
    `${groups.join("\n")}\n<h2 id="types">Types</h2>\n${types.join("")}</article>\n`;
  return shellHtml(shell, { page, styles: ["code.css", "reference.css"], scripts: ["reference.js"], main });
}

function operationHtml(operation: Placed, text: (markdown?: string) => string): string {
  const { operationId, method, path, summary, description, parameters = [], requestBody, responses } = operation;
  const parts = [
    text(description),
    `<p class="callers">${callersOf(operation)}</p>`,
    section("Parameters", parameters.map(parameterHtml).join("")),
    section("Body", requestBody ? bodyHtml(requestBody) : ""),
    section("Answers", answersHtml(responses)),
  ];
  return (
    `<details class="entry" id="${operationId}"><summary><code><b>${method}</b> ${escaped(path)}</code> ` +
    `<span>${inline(text(summary))}</span></summary>${parts.join("")}</details>\n`
  );
}

const inline = (html: string) => html.trim().replace(/^<p>|<\/p>$/g, "");

const section = (title: string, content: string): string =>
  content === "" ? "" : `<h3>${title}</h3><dl>${content}</dl>`;

const CALLERS: Readonly<Record<string, string>> = {
  accessToken: "people with an access token",
  apiKeyBearer: "API keys",
  platformKeyBearer: "platform keys",
  metricsToken: "whoever has METRICS_TOKEN",
};

function callersOf({ security }: Operation): string {
  if (security?.length === 0) return "Needs no credential.";
  const kinds = (security ?? [{ accessToken: [] }]).flatMap((one) => Object.keys(one));
  const named = [...new Set(kinds.flatMap((kind) => CALLERS[kind] ?? []))];
  return named.length === 0 ? "" : `For ${named.join(", ")}.`;
}

const parameterHtml = ({
  name,
  in: place,
  required,
  description = "",
  schema = {},
}: NonNullable<Operation["parameters"]>[number]) =>
  `<dt><code>${escaped(name)}</code> <small>${place}, ${typeText(schema)}${required ? "" : ", optional"}</small></dt>` +
  `<dd>${withCode(description || schema.description || "")}</dd>`;

const bodyHtml = ({ content }: NonNullable<Operation["requestBody"]>): string =>
  Object.entries(content)
    .map(([type, { schema = {} }]) => `<dt><small>${type}</small></dt><dd>${typeText(schema)}${fieldList(schema)}</dd>`)
    .join("");

/** Successes with what they return, and the failures in one line. */
function answersHtml(responses: Operation["responses"]): string {
  const all = Object.entries(responses);
  const successes = all.filter(([status]) => Number(status) < 300);
  const failures = all.filter(([status]) => Number(status) >= 300).map(([status]) => status);
  const shown = successes.map(([status, { content = {} }]) => {
    const schema = Object.values(content)[0]?.schema;
    return `<dt>${status}</dt><dd>${schema ? `${typeText(schema)}${fieldList(schema)}` : "no body"}</dd>`;
  });
  const failed =
    failures.length === 0 ? "" : `<dt>${failures.join(", ")}</dt><dd><a href="/docs/errors">an error</a></dd>`;
  return shown.join("") + failed;
}
