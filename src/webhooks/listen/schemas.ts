/** The request bodies of listeners, and what the API answers about them. */
import * as z from "zod";
import { described, id, name, time } from "../../base/schemas/schemas";
import { eventTypes } from "../subscriptions/schemas";

export const newListener = z
  .strictObject({ events: eventTypes, name: name.default("Listener") })
  .meta({ id: "ListenerInput", description: "A listener to open." });

export type NewListener = z.output<typeof newListener>;

const ticketFields = {
  ticket: z.string().meta({ description: "Opens the socket of the listener, once.", examples: ["k1-SealedTicket"] }),
  ticketExpiresAt: time.meta({ description: "30 seconds after it was made." }),
};

export const listenTicket = described("ListenTicket", "Opens a socket once.", () => ticketFields);

export type ListenTicket = z.infer<typeof listenTicket>;

const shared = {
  _id: id,
  name: z.string().meta({ examples: ["Listener"] }),
  events: z.array(z.string()).meta({ examples: [["OrderPaid"]] }),
  createdAt: time,
};

export const listener = described(
  "Listener",
  "A subscription whose deliveries go to a program over a WebSocket.",
  () => ({
    ...shared,
    connected: z.boolean().meta({ description: "Whether it has a socket. Otherwise it holds." }),
  }),
);

export type Listener = z.infer<typeof listener>;

export const openedListener = described("OpenedListener", "A listener with its secret and its first ticket.", () => ({
  ...shared,
  secret: z.string().meta({ description: "Signs its deliveries. It is never shown again.", examples: ["whsec_a"] }),
  ...ticketFields,
}));

export type OpenedListener = z.infer<typeof openedListener>;
