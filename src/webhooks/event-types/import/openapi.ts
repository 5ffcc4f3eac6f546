/** The event types in an OpenAPI document: its webhooks, or else its callbacks. */
import { invalidField } from "../../../base/errors";
import { OutOfSteps } from "../../work/meter";
import { isObject } from "../json-schema/canonical";
import { follow, memberOf } from "../pointer";
import { callbacksIn, type Webhook } from "./callbacks";
import { OPENAPI_3_0 } from "./drafts";
import { type GivenExample, givenExamples } from "./examples";
import { type Described, firstThatFits, type Item, itemOf, type Reading, readTypes, type TypePlace } from "./item";
import { jsonKeyOf } from "./media";
import { wholeSchema } from "./whole-schema";

/** Documents of version 3.0 have them as an extension. */
const PLACES = ["webhooks", "x-webhooks"] as const;
/** A webhook is a request with a body. */
const METHODS = ["post", "put", "patch"] as const;

/** Returns what can be read as event types. Throws VALIDATION_FAILED. */
export function typesOfOpenapi(reading: Reading): Item[] {
  const version = memberOf(reading.document, "openapi");
  if (!/^3\.[012](?:\.\d|$)/.test(String(version))) {
    throw invalidField("openapi.openapi", "Must be a version 3.0, 3.1 or 3.2");
  }
  const webhooks = PLACES.flatMap((place) => webhooksIn(reading.document, place));
  const described = webhooks.length > 0 ? webhooks : callbacksOf(reading);
  if (described.length === 0) throw invalidField("openapi.webhooks", "Must have a webhook for each event type");
  return readTypes(reading, "openapi.webhooks", described, typeOf);
}

function webhooksIn(document: unknown, place: (typeof PLACES)[number]): Described<Webhook>[] {
  const webhooks = memberOf(document, place);
  return (isObject(webhooks) ? Object.entries(webhooks) : []).map(([name, webhook]) => ({
    name,
    path: `openapi.${place}.${name}`,
    part: { webhook, root: [place, name] },
  }));
}

function callbacksOf(reading: Reading): Described<Webhook>[] {
  try {
    return callbacksIn(reading);
  } catch (error) {
    if (!(error instanceof OutOfSteps)) throw error;
    throw invalidField("openapi.paths", `Takes more than ${reading.meter.steps} steps: split the document`);
  }
}

function typeOf(place: TypePlace, { webhook, root }: Webhook): Item {
  const { path, document, meter } = place;
  const item = follow(document, webhook, path, meter);
  const method = METHODS.find((one) => isObject(memberOf(item, one))) ?? "post";
  const operation = memberOf(item, method);
  if (!isObject(operation)) throw invalidField(path, "Needs the operation post");
  const own = memberOf(operation, "x-postern") ?? {};
  if (!isObject(own)) throw invalidField(`${path}.${method}.x-postern`, "Must be an object");
  const { version: _, ...settings } = own;
  const body = follow(document, operation["requestBody"], `${path}.${method}.requestBody`, meter);
  const { schema, examples } = contentOf(place, [...root, method], memberOf(body, "content"));
  const { description, summary, deprecated, tags } = operation;
  const fields = {
    description: firstThatFits(place, "description", [description, summary]),
    deprecated: firstThatFits(place, "deprecated", [deprecated]),
    group: firstThatFits(place, "group", [memberOf(tags, "0")]),
    schema,
  };
  return itemOf(place, { ...fields, ...settings }, examples);
}

function contentOf(
  { path, document, meter, ignore }: TypePlace,
  operation: readonly string[],
  content: unknown,
): { schema: unknown; examples: GivenExample[] } {
  const mediaType = jsonKeyOf(content, meter);
  if (mediaType === undefined) {
    if (isObject(content)) for (const key of Object.keys(content)) ignore(`content.${key}`, "content");
    return { schema: undefined, examples: [] };
  }
  const media = memberOf(content, mediaType);
  const isOld = String(memberOf(document, "openapi")).startsWith("3.0");
  const dialect = isOld ? OPENAPI_3_0 : memberOf(document, "jsonSchemaDialect");
  const root = [...operation, "requestBody", "content", mediaType, "schema"];
  const conversion = { meter, dialect, ignore: (at: string, keyword: string) => ignore(`schema.${at}`, keyword) };
  return {
    schema: wholeSchema(document, { root, path }, memberOf(media, "schema"), conversion),
    examples: givenExamples(document, media, meter),
  };
}
