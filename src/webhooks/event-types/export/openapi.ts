/** The export as an OpenAPI document: each type is a webhook. */
import type { Meter } from "../../work/meter";
import type { Declared } from "../declaration";
import { pointerPart } from "../pointer";
import { summaryView } from "../view";
import { type ForEverybody, infoOf, type Writer, withRoot } from "./format";

export const openapiWriter = (meter: Meter, forEverybody?: ForEverybody): Writer => ({
  head: `{"openapi":"3.1.0","info":${infoOf(forEverybody)},"webhooks":{`,
  between: ",",
  entry: (declared) => {
    const post = operationOf(declared, forEverybody !== undefined, meter);
    return `${JSON.stringify(declared.type.name)}:${JSON.stringify({ post })}`;
  },
  tail: () => "}}",
});

function operationOf({ type, newest }: Declared, isPublic: boolean, meter: Meter) {
  const { name, description, group, deprecated, enforce, latestVersion } = summaryView(type);
  const root = `#/webhooks/${pointerPart(name)}/post/requestBody/content/application~1json/schema`;
  const schema = newest.schema === undefined ? {} : { schema: withRoot(newest.schema, root, meter) };
  const examples = newest.examples?.map((value, place) => [`example${place + 1}`, { value }]);
  return {
    ...(description === undefined ? {} : { description }),
    ...(group === undefined ? {} : { tags: [group] }),
    ...(deprecated === undefined ? {} : { deprecated: true }),
    requestBody: {
      required: true,
      content: { "application/json": { ...schema, ...(examples ? { examples: Object.fromEntries(examples) } : {}) } },
    },
    responses: { "2XX": { description: "The event was received." } },
    "x-postern": {
      ...(isPublic ? {} : { enforce }),
      version: latestVersion,
      ...(deprecated === undefined ? {} : { deprecated }),
    },
  };
}
