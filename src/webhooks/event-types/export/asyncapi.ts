/** The export as an AsyncAPI document: each type is a channel with one message, and an operation that sends it. */
import type { Meter } from "../../work/meter";
import type { Declared } from "../declaration";
import { pointerPart } from "../pointer";
import { type ForEverybody, infoOf, type Writer, withRoot } from "./format";

const SCHEMA_FORMAT = "application/schema+json;version=draft-2020-12";

export function asyncapiWriter(meter: Meter, forEverybody?: ForEverybody): Writer {
  const names: string[] = [];
  return {
    head: `{"asyncapi":"3.0.0","info":${infoOf(forEverybody)},"channels":{`,
    between: ",",
    entry: (declared) => {
      names.push(declared.type.name);
      return `${JSON.stringify(declared.type.name)}:${JSON.stringify(channelOf(declared, meter))}`;
    },
    tail: () => {
      const operations = names.map((name) => [
        name,
        { action: "send", channel: { $ref: `#/channels/${pointerPart(name)}` } },
      ]);
      return `},"operations":${JSON.stringify(Object.fromEntries(operations))}}`;
    },
  };
}

function channelOf({ type, newest }: Declared, meter: Meter) {
  const root = `#/channels/${pointerPart(type.name)}/messages/event/payload/schema`;
  const schema = newest.schema === undefined ? true : withRoot(newest.schema, root, meter);
  return {
    address: null,
    messages: {
      event: {
        name: type.name,
        contentType: "application/json",
        ...(type.description === null ? {} : { description: type.description }),
        ...(type.heading === null ? {} : { tags: [{ name: type.heading }] }),
        payload: { schemaFormat: SCHEMA_FORMAT, schema },
        ...(newest.examples === null ? {} : { examples: newest.examples.map((payload) => ({ payload })) }),
      },
    },
  };
}
