/** The event types in an OpenAPI document: its webhooks. */
import { invalidField } from "../../../base/errors";
import { type Meter, OutOfSteps } from "../../work/meter";
import { isObject } from "../json-schema/canonical";
import { follow, memberOf } from "../pointer";
import { wholeSchema } from "./whole-schema";

const KIB = 1024;
/** Of all types together. Each gets the shared schemas that it refers to. */
const MAX_BYTES = 4096 * KIB;
const MAX_TYPES = 1000;

/** A type as it is given, and where. It is not checked yet. */
export interface GivenType {
  type: unknown;
  path: string;
}

/** Returns the webhooks as event types, for which `meter` pays. Throws VALIDATION_FAILED. */
export function typesOfOpenapi(document: unknown, meter: Meter): GivenType[] {
  const version = memberOf(document, "openapi");
  if (typeof version !== "string" || !/^3\.[12]\.\d/.test(version)) {
    throw invalidField("openapi.openapi", "Must be a version 3.1 or 3.2");
  }
  const webhooks = memberOf(document, "webhooks");
  const given = isObject(webhooks) ? Object.entries(webhooks) : [];
  if (given.length === 0) throw invalidField("openapi.webhooks", "Must have a webhook for each event type");
  if (given.length > MAX_TYPES) throw invalidField("openapi.webhooks", `Must have at most ${MAX_TYPES}`);
  let bytes = 0;
  return given.map(([name, item]) => {
    const path = `openapi.webhooks.${name}`;
    const type = convertedWithin(meter, path, () => typeOf(document, name, item, path, meter));
    bytes += new TextEncoder().encode(JSON.stringify(type)).length;
    if (bytes > MAX_BYTES) {
      throw invalidField(
        "openapi",
        `Has more than ${MAX_BYTES / KIB} KiB, with the shared schemas in each type: split it`,
      );
    }
    return { type, path };
  });
}

function convertedWithin<T>(meter: Meter, path: string, convert: () => T): T {
  try {
    return convert();
  } catch (error) {
    if (!(error instanceof OutOfSteps)) throw error;
    throw invalidField(path, `Converting it takes more than the ${meter.steps} steps of an import: split the document`);
  }
}

function typeOf(document: unknown, name: string, item: unknown, path: string, meter: Meter): Record<string, unknown> {
  const operation = memberOf(follow(document, item, path, meter), "post");
  if (!isObject(operation)) throw invalidField(path, "Needs the operation post");
  const own = memberOf(operation, "x-postern") ?? {};
  if (!isObject(own)) throw invalidField(`${path}.post.x-postern`, "Must be an object");
  const { version: _, ...settings } = own;
  const body = follow(document, operation["requestBody"], `${path}.post.requestBody`, meter);
  const media = memberOf(memberOf(body, "content"), "application/json");
  const fields = {
    description: operation["description"] ?? operation["summary"],
    deprecated: operation["deprecated"],
    group: memberOf(operation["tags"], "0"),
    examples: examplesOf(document, media, path, meter),
    schema: wholeSchema(document, name, memberOf(media, "schema"), path, meter),
  };
  const given = Object.entries({ ...fields, ...settings }).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(given), name };
}

function examplesOf(document: unknown, media: unknown, path: string, meter: Meter): unknown[] | undefined {
  const examples = memberOf(media, "examples");
  if (isObject(examples)) {
    return Object.values(examples).map((example) =>
      memberOf(follow(document, example, `${path}.examples`, meter), "value"),
    );
  }
  const example = memberOf(media, "example");
  return example === undefined ? undefined : [example];
}
