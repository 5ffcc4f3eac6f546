/** The event types in an AsyncAPI document: the messages that it sends. */
import { invalidField } from "../../../base/errors";
import { OutOfSteps } from "../../work/meter";
import { isObject } from "../json-schema/canonical";
import { DRAFT } from "../json-schema/keywords";
import { follow, memberOf } from "../pointer";
import { listedExamples } from "./examples";
import { firstThatFits, type Item, itemOf, type Reading, readTypes, type TypePlace } from "./item";
import { jsonKeyOf } from "./media";
import { type Message, sentMessages } from "./messages";
import { wholeSchema } from "./whole-schema";

/** What a schema of AsyncAPI is read as unless it says otherwise. */
const DRAFT_07 = "http://json-schema.org/draft-07/schema#";
/** Formats of schemas that are read: those of JSON Schema, AsyncAPI and OpenAPI. */
const JSON_SCHEMA = /^application\/(?:schema\+|vnd\.(?:aai\.asyncapi|oai\.openapi)(?:\+|;|$))/;

/** Returns the messages that can be read as event types. Throws VALIDATION_FAILED. */
export function typesOfAsyncapi(reading: Reading): Item[] {
  const version = memberOf(reading.document, "asyncapi");
  if (typeof version !== "string" || !/^[23]\.\d/.test(version)) {
    throw invalidField("asyncapi.asyncapi", "Must be a version 2 or 3");
  }
  try {
    return readTypes(reading, "asyncapi.channels", sentMessages(reading), typeOf);
  } catch (error) {
    if (!(error instanceof OutOfSteps)) throw error;
    throw invalidField("asyncapi.channels", `Takes more than ${reading.meter.steps} steps: split the document`);
  }
}

function typeOf(place: TypePlace, { message, channel, root }: Message): Item {
  const { path, document, meter } = place;
  if (!isObject(message)) throw invalidField(path, "Must be a message, or refer to one in the document");
  const given = memberOf(message, "traits");
  const traits = Array.isArray(given) ? given.map((trait) => follow(document, trait, `${path}.traits`, meter)) : [];
  const all = (name: string) => [message, ...traits].map((one) => memberOf(one, name));
  const tags = [...all("tags"), memberOf(channel, "tags")].map((list) => memberOf(memberOf(list, "0"), "name"));
  const fields = {
    description: firstThatFits(place, "description", [...all("description"), ...all("summary"), ...all("title")]),
    deprecated: firstThatFits(place, "deprecated", all("deprecated")),
    group: firstThatFits(place, "group", tags),
    schema: schemaOf(place, message, { root, contentType: all("contentType").find((one) => one !== undefined) }),
  };
  const examples = all("examples").find(Array.isArray) ?? [];
  return itemOf(place, fields, listedExamples(document, examples, meter));
}

interface Written {
  root: readonly string[] | undefined;
  contentType: unknown;
}

/** The schema of the payload; undefined if there is none, or it cannot be read. */
function schemaOf(place: TypePlace, message: unknown, { root, contentType }: Written): unknown {
  const { path, document, meter, ignore } = place;
  const payload = memberOf(message, "payload");
  const named = contentType ?? memberOf(document, "defaultContentType");
  if (typeof named === "string" && jsonKeyOf({ [named]: {} }, meter) === undefined) {
    ignore("contentType", "contentType");
    return undefined;
  }
  const { schema, format, isWrapped } = written(document, message, payload, place);
  if (format !== undefined && !(typeof format === "string" && JSON_SCHEMA.test(format))) {
    ignore(isWrapped ? "payload.schemaFormat" : "schemaFormat", "schemaFormat");
    return undefined;
  }
  // Says nothing, as the export does of a type without a schema.
  if (schema === undefined || schema === true) return undefined;
  const conversion = {
    meter,
    dialect: dialectOf(format),
    ignore: (at: string, keyword: string) => ignore(`payload.${at}`, keyword),
  };
  const own = root && isWrapped ? [...root, "schema"] : root;
  return wholeSchema(document, { root: own ?? [], path }, schema, conversion);
}

/** In version 3 the format stands beside the schema, in version 2 beside the payload. */
function written(document: unknown, message: unknown, payload: unknown, { path, meter }: TypePlace) {
  const found = follow(document, payload, `${path}.payload`, meter);
  const format = memberOf(found, "schemaFormat");
  if (format === undefined) return { schema: payload, format: memberOf(message, "schemaFormat"), isWrapped: false };
  return { schema: memberOf(found, "schema"), format, isWrapped: true };
}

function dialectOf(format: unknown): string {
  const [, draft] = /version=(?:draft-)?(20\d\d-\d\d)/.exec(String(format)) ?? [];
  return draft === undefined ? DRAFT_07 : DRAFT;
}
