/** What people and programs do with replays. */
import { operation } from "../../../platform/operation";
import { READ_DELIVERIES, RESEND } from "../../access";
import { replayOf, replaysOf, startReplay, stopReplay } from "./replays";
import { replayListQuery, replayRequest } from "./schemas";

export const replays = {
  list: operation({
    ...READ_DELIVERIES,
    schema: replayListQuery,
    verb: ({ deps, principal, param, input }) => replaysOf(deps, principal, param("id"), input.cursor),
  }),
  get: operation({
    ...READ_DELIVERIES,
    verb: ({ deps, principal, param }) => replayOf(deps, principal, param("id"), param("replayId")),
  }),
  start: operation({
    ...RESEND,
    schema: replayRequest,
    verb: ({ deps, principal, param, input }) => startReplay(deps, principal, param("id"), input, null),
  }),
  stop: operation({
    ...RESEND,
    verb: ({ deps, principal, param }) => stopReplay(deps, principal, param("id"), param("replayId")),
  }),
};
