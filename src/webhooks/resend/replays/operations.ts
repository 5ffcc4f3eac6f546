/** What people and programs do with replays. */
import { checkedHeader } from "../../../base/checked-header";
import { operation } from "../../../base/operation";
import { READ_DELIVERIES, RESEND } from "../../access";
import { idempotencyKey } from "../../events/publication";
import { previewReplay, replayOf, replaysOf, startReplay, stopReplay } from "./replays";
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
    verb: async ({ deps, principal, param, input, unchecked }) => {
      if (input.dryRun) return previewReplay(deps, principal, param("id"), input);
      const key = checkedHeader(unchecked, "Idempotency-Key", idempotencyKey.nullable());
      return startReplay(deps, principal, param("id"), input, key);
    },
  }),
  stop: operation({
    ...RESEND,
    verb: ({ deps, principal, param }) => stopReplay(deps, principal, param("id"), param("replayId")),
  }),
};
