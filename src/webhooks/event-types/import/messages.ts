/** The messages of an AsyncAPI document of version 2 or 3 that it says to be sent. */
import { invalidField } from "../../../base/errors";
import { isObject } from "../json-schema/canonical";
import { followed, memberOf, nameOfPart, partsOf } from "../pointer";
import type { Described, Reading } from "./item";

/** A message, and what may say something about it too. */
export interface Message {
  /** An object, if the document is right. */
  message: unknown;
  channel: unknown;
  /** Where its payload is, if it is not shared: what leads there leads to the schema itself. */
  root: readonly string[] | undefined;
}

type Found = Described<Message> & { isSent: boolean };

/** Returns each message that is sent, once. What is only received is no event. Throws VALIDATION_FAILED, OutOfSteps. */
export function sentMessages(reading: Reading): Described<Message>[] {
  const { document, meter } = reading;
  const isSecond = String(memberOf(document, "asyncapi")).startsWith("2.");
  const sent = isSecond ? null : sentIn(reading);
  const found = entriesOf(memberOf(document, "channels")).flatMap(([key, given]) => {
    const channel = followed(document, given, meter);
    return isSecond ? ofOperations(reading, key, channel) : ofChannel(reading, key, channel, sent);
  });
  if (found.length === 0) throw invalidField("asyncapi.channels", "Must have a message for each event type");
  return withoutRepeats(reading, found);
}

const entriesOf = (value: unknown): [string, unknown][] => (isObject(value) ? Object.entries(value) : []);

/** In version 3, messages stand in the channel. */
function ofChannel(
  { document, meter }: Reading,
  key: string,
  channel: unknown,
  sent: ReadonlySet<unknown> | null,
): Found[] {
  return entriesOf(memberOf(channel, "messages")).map(([id, given]) => {
    const message = followed(document, given, meter);
    const root = message === given ? ["channels", key, "messages", id, "payload"] : undefined;
    return {
      name: firstText(memberOf(message, "name")) ?? id,
      path: `asyncapi.channels.${key}.messages.${id}`,
      part: { message, channel, root },
      isSent: sent?.has(message) ?? true,
    };
  });
}

/** In version 2, they stand in operations, which are named for what others do: they subscribe to what is sent. */
function ofOperations({ document, meter }: Reading, key: string, channel: unknown): Found[] {
  return ["subscribe", "publish"].flatMap((operation) =>
    choicesOf(memberOf(memberOf(channel, operation), "message")).map(({ given, at }) => {
      const message = followed(document, given, meter);
      const names = [memberOf(message, "name"), memberOf(message, "messageId"), nameOfReference(given)];
      return {
        name: firstText(...names) ?? key,
        path: `asyncapi.channels.${key}.${operation}.message${at}`,
        part: { message, channel, root: undefined },
        isSent: operation === "subscribe",
      };
    }),
  );
}

/** An operation has a message, or one of several. */
function choicesOf(given: unknown): { given: unknown; at: string }[] {
  if (given === undefined) return [];
  const choices = memberOf(given, "oneOf");
  return Array.isArray(choices) ? choices.map((one, at) => ({ given: one, at: `.oneOf.${at}` })) : [{ given, at: "" }];
}

/** The messages of the operations that send; null if there are no such operations. */
function sentIn({ document, meter }: Reading): ReadonlySet<unknown> | null {
  const sending = entriesOf(memberOf(document, "operations"))
    .map(([, given]) => followed(document, given, meter))
    .filter((operation) => memberOf(operation, "action") === "send");
  if (sending.length === 0) return null;
  const messages = sending.flatMap((operation) => {
    const listed = memberOf(operation, "messages");
    if (Array.isArray(listed)) return listed;
    const channel = followed(document, memberOf(operation, "channel"), meter);
    return entriesOf(memberOf(channel, "messages")).map(([, given]) => given);
  });
  return new Set(messages.map((given) => followed(document, given, meter)));
}

/** A message can be in several channels. Of those with the same name, only the first is read. */
function withoutRepeats({ report }: Reading, found: readonly Found[]): Found[] {
  const byName = new Map<string, unknown>();
  const hasSent = found.some(({ isSent }) => isSent);
  const wanted = found.filter(({ isSent }) => isSent || !hasSent);
  const sent = new Set(wanted.map(({ part: { message } }) => message));
  for (const { name, path, part } of hasSent ? found : []) {
    if (!sent.has(part.message)) report.fail(name, invalidField(path, "Is received, not sent"));
  }
  return wanted.filter(({ name, path, part: { message } }) => {
    const isFirst = !byName.has(name);
    if (isFirst) byName.set(name, message);
    else if (byName.get(name) !== message) report.fail(name, invalidField(path, "Another message has this name"));
    return isFirst;
  });
}

const firstText = (...candidates: unknown[]): string | undefined =>
  candidates.find((one): one is string => typeof one === "string" && one !== "");

function nameOfReference(given: unknown): string | undefined {
  const last = partsOf(memberOf(given, "$ref"))?.at(-1);
  return last === undefined ? undefined : nameOfPart(last);
}
