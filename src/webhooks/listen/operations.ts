/** What people and programs do with listeners. */
import { operation } from "../../base/operation";
import { LISTEN } from "../access";
import { closeListener, endListener, openListener, ownListeners, ticketFor } from "./changes";
import { newListener } from "./schemas";

export const listeners = {
  open: operation({
    ...LISTEN,
    schema: newListener,
    verb: ({ deps, principal, input }) => openListener(deps, principal, input),
  }),
  list: operation({ ...LISTEN, verb: ({ deps, principal }) => ownListeners(deps, principal) }),
  ticket: operation({ ...LISTEN, verb: ({ deps, principal, param }) => ticketFor(deps, principal, param("id")) }),
  close: operation({ ...LISTEN, verb: ({ deps, principal, param }) => closeListener(deps, principal, param("id")) }),
  /** As `close`, also for those of others: the console offers it to who manages the members. */
  end: operation({ ...LISTEN, verb: ({ deps, principal, param }) => endListener(deps, principal, param("id")) }),
};
