/** The patterns that a subscription can list in place of event types. */
import { type SQL, sql } from "drizzle-orm";
import { ALL_OPERATIONAL } from "../wire/event-type";

/** The pattern that matches an event type, as SQL: "postern.*" for operational events, "*" for all others. */
export const patternOf = (type: SQL): SQL => sql`iif(${type} GLOB ${ALL_OPERATIONAL}, ${ALL_OPERATIONAL}, '*')`;

/** True if the JSON list `types` of a subscription has the event type `type`, or the pattern that matches it. */
export const listsType = (types: SQL, type: SQL): SQL =>
  sql`EXISTS (SELECT 1 FROM json_each(${types}) listed WHERE listed.value IN (${type}, ${patternOf(type)}))`;
