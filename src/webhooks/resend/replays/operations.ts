/** What people and programs do with replays. */
import { operation } from "../../../platform/operation";
import { READ_DELIVERIES, RESEND } from "../../access";
import { replayOf, replaysOf, stopReplay } from "./replays";
import { replayListQuery } from "./schemas";

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
  stop: operation({
    ...RESEND,
    verb: ({ deps, principal, param }) => stopReplay(deps, principal, param("id"), param("replayId")),
  }),
};
