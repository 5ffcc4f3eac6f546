/** `postern publish`: publishes one event. */
import type { Command } from "./command";
import { exactly } from "./exact";
import { EXIT, usage } from "./failure";
import { readJsonText } from "./input";
import { print } from "./output";

export const publish: Command = {
  args: "TYPE",
  summary: "Publish an event",
  options: {
    payload: { value: "JSON|@FILE|-", help: "its payload; {} unless given, - for standard input" },
    "idempotency-key": { value: "KEY", help: "publish nothing if this key was used within 24 hours" },
    "correlation-id": { value: "ID", help: "sent along with each delivery" },
    "order-key": { value: "KEY", help: "number the event among those of this key" },
  },
  run: async ({ args: [type, ...rest], options, json, client }) => {
    if (!type || rest.length > 0) throw usage("Give the event's type, and nothing else.");
    const { payload = "{}", "correlation-id": correlationId, "order-key": orderKey } = options;
    const event = { type, payload: exactly(readJsonText(payload, "The payload")), correlationId, orderKey };
    const published = await client().events.publish(event, { idempotencyKey: options["idempotency-key"] });
    const number = published.sequence === undefined ? "" : `, number ${published.sequence} of ${orderKey}`;
    const text = `Published ${published.type} as ${published.id}${number}. Deliveries: ${published.deliveries}.`;
    print(json, published, text);
    return EXIT.ok;
  },
};
