/** Filters of people as SQL. What no index leads to is looked for among 10,000 records at most. */
import { type SQL, sql } from "drizzle-orm";
import type { FilterTerm, ScimFilter } from "../protocol/filter";

/** At most so many records are looked at. */
export const MOST_SEARCHED = 10_000;
/** After every text that begins with the same characters. */
const LAST_CHARACTER = "\u{10ffff}";

/** Whether an index leads to what a term finds. */
function isIndexed({ attribute, operator }: FilterTerm): boolean {
  if (operator === "eq")
    return ["id", "userName", "externalId", "emails.value", "meta.lastModified"].includes(attribute);
  return attribute === "meta.lastModified" || (attribute === "userName" && operator === "sw");
}

/** Whether the filter looks at records one by one: of a directory with more, it is refused. */
export const isSearch = (filter: ScimFilter): boolean =>
  filter.length > 0 && !isOfState(filter) && !filter.some(isIndexed);

/** Whether the filter asks for the active or the others alone, whose number is known. */
export const isOfState = (filter: ScimFilter): boolean => filter.length === 1 && filter[0]?.attribute === "active";

/** Where the records `d` are looked for. SQLite takes the primary key for as good as an index: that is named. */
export function candidates(connectionId: string, filter: ScimFilter): SQL {
  if (isSearch(filter)) {
    return sql`(SELECT * FROM directory_users WHERE connection_id = ${connectionId} AND state <> 'removed' ORDER BY id
      LIMIT ${MOST_SEARCHED}) d`;
  }
  const isByExternalId = filter.some(({ attribute, operator }) => attribute === "externalId" && operator === "eq");
  return isByExternalId ? sql`directory_users d INDEXED BY directory_users_by_external_id` : sql`directory_users d`;
}

/** What a term says of a record `d`. */
export function predicate(connectionId: string, term: FilterTerm): SQL {
  const { attribute, operator, value } = term;
  switch (attribute) {
    case "id":
      return sql`d.id = ${value}`;
    case "externalId":
      return sql`d.external_id = ${value}`;
    case "active":
      return value === true ? sql`d.state IN ('active', 'held')` : sql`d.state = 'inactive'`;
    case "meta.lastModified":
      return sql`d.updated_at ${sql.raw(TIMES[operator] ?? "=")} ${value}`;
    case "userName":
      return ofName(operator, String(value).toLowerCase());
    case "emails.value":
      return ofAddress(connectionId, term);
    case "displayName":
      return ofText(sql`d.record ->> '$.displayName'`, operator, value);
    case "members.value":
      return sql`false`;
  }
}

const TIMES: Readonly<Record<string, string>> = { ge: ">=", gt: ">" };

function ofName(operator: FilterTerm["operator"], name: string): SQL {
  if (operator === "eq") return sql`d.name_key = ${name}`;
  if (operator === "sw") return sql`d.name_key >= ${name} AND d.name_key < ${name + LAST_CHARACTER}`;
  return operator === "co" ? sql`instr(d.name_key, ${name}) > 0` : sql`true`;
}

/** Any address of the record. Most have one or two, which have indexes. */
function ofAddress(connectionId: string, { operator, value, emailType }: FilterTerm): SQL {
  const type = emailType === undefined ? sql`` : sql`AND lower(e.value ->> '$.type') = ${emailType}`;
  const among = sql`EXISTS (SELECT 1 FROM json_each(d.record, '$.emails') e
    WHERE ${ofText(sql`e.value ->> '$.value'`, operator, value)} ${type})`;
  if (operator !== "eq") return among;
  return sql`d.id IN (SELECT x.id FROM directory_users x INDEXED BY directory_users_by_email
      WHERE x.connection_id = ${connectionId} AND x.email = ${String(value).toLowerCase()}
    UNION ALL SELECT x.id FROM directory_users x INDEXED BY directory_users_by_other_email
      WHERE x.connection_id = ${connectionId} AND x.other_email = ${String(value).toLowerCase()}
    UNION ALL SELECT x.id FROM directory_users x INDEXED BY directory_users_with_more_emails
      WHERE x.connection_id = ${connectionId} AND x.has_more_emails = 1) AND ${among}`;
}

function ofText(text: SQL, operator: FilterTerm["operator"], value: FilterTerm["value"]): SQL {
  if (operator === "pr") return sql`${text} IS NOT NULL`;
  if (operator === "eq") return sql`lower(${text}) = lower(${value})`;
  const place = sql`instr(lower(${text}), lower(${value}))`;
  return operator === "sw" ? sql`${place} = 1` : sql`${place} > 0`;
}
