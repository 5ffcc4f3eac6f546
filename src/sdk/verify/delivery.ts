/** What a genuine delivery is to its receiver. */

/** A genuine delivery. */
export interface Delivery<Payload = unknown> {
  /** The same on every attempt: skip an id that you have handled. Not signed under `scheme: "body"`. */
  id: string;
  /** The event's type. Signed only where it is read from the body: see `VerifyOptions.format`. */
  type: string;
  /** When this attempt was signed. Not signed under `scheme: "body"`. */
  timestamp: Date;
  /** The payload, as `json` has parsed it. Its type is what the caller says; it is not checked. */
  payload: Payload;
  /** The body as it was sent and signed. */
  body: string;
  /** What the publisher sent along, if anything. Not signed. */
  correlationId: string | undefined;
  /** The key by which the publisher orders events, if there is one. Not signed. */
  orderKey: string | undefined;
  /** The event's number within `orderKey`: 1, 2, 3 and so on. Not signed. */
  sequence: number | undefined;
}

/** A delivery of an event of one type, whose type is signed. */
export interface TypedDelivery<Type extends string, Payload> extends Delivery<Payload> {
  type: Type;
}

/** The deliveries of the types in `Events`, such as the `PosternEvents` that `postern types` writes. */
export type DeliveryOf<Events extends object> = {
  [Type in keyof Events & string]: TypedDelivery<Type, Events[Type]>;
}[keyof Events & string];
