/** The export as an AsyncAPI document: each type is a channel with one message, and an operation that sends it. */
import type { Meter } from "../../work/meter";
import type { Declared } from "../declaration";
import { pointerPart } from "../pointer";
import { type ForEverybody, infoOf, type Writer, withRoot } from "./format";

const SCHEMA_FORMAT = "application/schema+json;version=draft-2020-12";

export function asyncapiWriter(meter: Meter, forEverybody?: ForEverybody): Writer {
  const keys: string[] = [];
  return {
    head: `{"asyncapi":"3.0.0","info":${infoOf(forEverybody)},"channels":{`,
    between: ",",
    entry: (declared) => {
      const key = keyOf(declared.type.name);
      keys.push(key);
      return `${JSON.stringify(key)}:${JSON.stringify(channelOf(declared, meter))}`;
    },
    tail: () => {
      const operations = keys.map((key) => [
        key,
        { action: "send", channel: { $ref: `#/channels/${pointerPart(key)}` } },
      ]);
      return `},"operations":${JSON.stringify(Object.fromEntries(operations))}}`;
    },
  };
}

/** Tools read a key as an address, in which these begin a query, a fragment or a parameter. */
const keyOf = (name: string): string => name.replace(/[?#{}%]/g, encodeURIComponent);

function channelOf({ type, newest }: Declared, meter: Meter) {
  const root = `#/channels/${pointerPart(keyOf(type.name))}/messages/event/payload/schema`;
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
