/** The event types in an OpenAPI document: its webhooks. */
import { AppError, invalid, invalidField } from "../../../base/errors";
import { type Meter, OutOfSteps, PRICES } from "../../work/meter";
import { isObject } from "../json-schema/canonical";
import { follow, memberOf } from "../pointer";
import { type GivenExample, givenExamples } from "./examples";
import { jsonKeyOf } from "./media";
import type { ImportReport } from "./report";
import { type ImportedType, importedType } from "./schemas";
import { wholeSchema } from "./whole-schema";

const KIB = 1024;
/** Of all types together. Each gets the shared schemas that it refers to. */
const MAX_BYTES = 4096 * KIB;
const MAX_TYPES = 1000;

/** A type to import, and where it is given. */
export interface Item {
  type: ImportedType;
  path: string;
  /** Those that do not fit are left out. */
  examples: readonly GivenExample[];
}

/** A webhook that is read. */
interface Webhook {
  name: string;
  path: string;
  document: unknown;
  meter: Meter;
  ignore: (path: string, keyword: string) => void;
}

/** Returns the webhooks that can be read as event types, for which `meter` pays. Throws VALIDATION_FAILED. */
export function typesOfOpenapi(document: unknown, meter: Meter, report: ImportReport): Item[] {
  const version = memberOf(document, "openapi");
  if (typeof version !== "string" || !/^3\.[12]\.\d/.test(version)) {
    throw invalidField("openapi.openapi", "Must be a version 3.1 or 3.2");
  }
  const webhooks = memberOf(document, "webhooks");
  const given = isObject(webhooks) ? Object.entries(webhooks) : [];
  if (given.length === 0) throw invalidField("openapi.webhooks", "Must have a webhook for each event type");
  if (given.length > MAX_TYPES) throw invalidField("openapi.webhooks", `Must have at most ${MAX_TYPES}`);
  let bytes = 0;
  return given.flatMap(([name, item]) => {
    const path = `openapi.webhooks.${name}`;
    const ignore = (at: string, keyword: string) => report.ignore(name, `${path}.${at}`, keyword);
    try {
      const read = within(meter, path, () => itemOf({ name, path, document, meter, ignore }, item));
      bytes += within(meter, path, () => sizeOf(read, meter, path, MAX_BYTES - bytes));
      return [read];
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      report.fail(name, error);
      return [];
    }
  });
}

function within<T>(meter: Meter, path: string, convert: () => T): T {
  try {
    if (meter.isSpent) throw new OutOfSteps();
    return convert();
  } catch (error) {
    if (!(error instanceof OutOfSteps)) throw error;
    throw invalidField(path, `Converting it takes more than the ${meter.steps} steps of an import: split the document`);
  }
}

function sizeOf({ type, examples }: Item, meter: Meter, path: string, room: number): number {
  const bytes = new TextEncoder().encode(JSON.stringify([type, examples])).length;
  meter.pay(bytes * PRICES.copiedCharacter);
  if (bytes <= room) return bytes;
  throw invalidField(
    path,
    `The types up to here have more than ${MAX_BYTES / KIB} KiB, with the shared schemas in each: split the document`,
  );
}

function itemOf(webhook: Webhook, item: unknown): Item {
  const { name, path, document, meter } = webhook;
  const operation = memberOf(follow(document, item, path, meter), "post");
  if (!isObject(operation)) throw invalidField(path, "Needs the operation post");
  const own = memberOf(operation, "x-postern") ?? {};
  if (!isObject(own)) throw invalidField(`${path}.post.x-postern`, "Must be an object");
  const { version: _, ...settings } = own;
  const body = follow(document, operation["requestBody"], `${path}.post.requestBody`, meter);
  const { schema, examples } = contentOf(webhook, memberOf(body, "content"));
  const { description, summary, deprecated, tags } = operation;
  const fields = {
    description: firstThatFits(webhook, "description", [description, summary]),
    deprecated: firstThatFits(webhook, "deprecated", [deprecated]),
    group: firstThatFits(webhook, "group", [memberOf(tags, "0")]),
    schema,
  };
  const given = Object.entries({ ...fields, ...settings }).filter(([, value]) => value !== undefined);
  const { success, data, error } = importedType.safeParse({ ...Object.fromEntries(given), name });
  if (success) return { type: data, path, examples };
  const { details = [] } = invalid(error);
  throw new AppError("VALIDATION_FAILED", {
    details: details.map((detail) => ({ ...detail, path: `${path}.${detail.path}` })),
  });
}

/** A text that is too long costs itself, and not the type. */
function firstThatFits(
  { ignore }: Webhook,
  field: "description" | "deprecated" | "group",
  candidates: readonly unknown[],
): unknown {
  for (const candidate of candidates) {
    if (candidate === undefined) continue;
    if (importedType.shape[field].safeParse(candidate).success) return candidate;
    ignore(field, field);
  }
  return undefined;
}

function contentOf(webhook: Webhook, content: unknown): { schema: unknown; examples: GivenExample[] } {
  const { name, path, document, meter, ignore } = webhook;
  const mediaType = jsonKeyOf(content, meter);
  if (mediaType === undefined) {
    if (isObject(content)) for (const key of Object.keys(content)) ignore(`content.${key}`, "content");
    return { schema: undefined, examples: [] };
  }
  const media = memberOf(content, mediaType);
  const dialect = memberOf(document, "jsonSchemaDialect");
  const conversion = { meter, dialect, ignore: (at: string, keyword: string) => ignore(`schema.${at}`, keyword) };
  return {
    schema: wholeSchema(document, { webhook: name, mediaType, path }, memberOf(media, "schema"), conversion),
    examples: givenExamples(document, media, meter),
  };
}
