/** The event types in an OpenAPI document: its webhooks. */
import { invalidField } from "../../../base/errors";
import { isObject } from "../json-schema/canonical";
import { follow, memberOf } from "../pointer";
import { type GivenExample, givenExamples } from "./examples";
import { firstThatFits, type Item, itemOf, type Reading, readTypes, type TypePlace } from "./item";
import { jsonKeyOf } from "./media";
import { wholeSchema } from "./whole-schema";

/** Returns the webhooks that can be read as event types. Throws VALIDATION_FAILED. */
export function typesOfOpenapi(reading: Reading): Item[] {
  const version = memberOf(reading.document, "openapi");
  if (typeof version !== "string" || !/^3\.[12]\.\d/.test(version)) {
    throw invalidField("openapi.openapi", "Must be a version 3.1 or 3.2");
  }
  const webhooks = memberOf(reading.document, "webhooks");
  const given = isObject(webhooks) ? Object.entries(webhooks) : [];
  if (given.length === 0) throw invalidField("openapi.webhooks", "Must have a webhook for each event type");
  const described = given.map(([name, part]) => ({ name, path: `openapi.webhooks.${name}`, part }));
  return readTypes(reading, "openapi.webhooks", described, typeOf);
}

function typeOf(place: TypePlace, webhook: unknown): Item {
  const { path, document, meter } = place;
  const operation = memberOf(follow(document, webhook, path, meter), "post");
  if (!isObject(operation)) throw invalidField(path, "Needs the operation post");
  const own = memberOf(operation, "x-postern") ?? {};
  if (!isObject(own)) throw invalidField(`${path}.post.x-postern`, "Must be an object");
  const { version: _, ...settings } = own;
  const body = follow(document, operation["requestBody"], `${path}.post.requestBody`, meter);
  const { schema, examples } = contentOf(place, memberOf(body, "content"));
  const { description, summary, deprecated, tags } = operation;
  const fields = {
    description: firstThatFits(place, "description", [description, summary]),
    deprecated: firstThatFits(place, "deprecated", [deprecated]),
    group: firstThatFits(place, "group", [memberOf(tags, "0")]),
    schema,
  };
  return itemOf(place, { ...fields, ...settings }, examples);
}

function contentOf(place: TypePlace, content: unknown): { schema: unknown; examples: GivenExample[] } {
  const { name, path, document, meter, ignore } = place;
  const mediaType = jsonKeyOf(content, meter);
  if (mediaType === undefined) {
    if (isObject(content)) for (const key of Object.keys(content)) ignore(`content.${key}`, "content");
    return { schema: undefined, examples: [] };
  }
  const media = memberOf(content, mediaType);
  const dialect = memberOf(document, "jsonSchemaDialect");
  const root = ["webhooks", name, "post", "requestBody", "content", mediaType, "schema"];
  const conversion = { meter, dialect, ignore: (at: string, keyword: string) => ignore(`schema.${at}`, keyword) };
  return {
    schema: wholeSchema(document, { root, path }, memberOf(media, "schema"), conversion),
    examples: givenExamples(document, media, meter),
  };
}
