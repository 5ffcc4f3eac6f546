/**
 * Statements that would read all of a directory, which can have 100,000 people. SQLite takes the first column of a
 * primary key for as good as two columns of an index, so statements name the index that they need.
 */
interface Exception {
  statement: RegExp;
  reason: string;
}

const EXCEPTIONS: Exception[] = [
  {
    statement: /(?:<> 'removed'|IN \('active', 'held'\)|AND true|connection_id = \?) ORDER BY (?:[dg]\.)?id LIMIT \?/,
    reason: "a page in the order of the primary key ends with the page",
  },
  { statement: /d\.state = 'inactive' ORDER BY d\.id/, reason: "who is inactive is looked for among all" },
  { statement: /ORDER BY id\s+LIMIT \?\) d/, reason: "a search looks at 10,000 people at most" },
  {
    statement: /INDEXED BY directory_users_with_more_emails/,
    reason: "who has more addresses is looked at one by one",
  },
  { statement: /EXISTS \(SELECT 1 FROM directory_users hd /, reason: "whether there is anybody ends with the first" },
  { statement: /AS "to", count\(\*\) AS count/, reason: "a preview of rules counts all whose roles would change" },
  {
    statement: /FROM directory_groups g WHERE g\.connection_id = \? AND (?:instr|substr|g\.updated_at)/,
    reason: "of a directory, groups are few",
  },
  { statement: /^DELETE FROM \w+ WHERE \(.* LIMIT \?\)$/, reason: "a purge deletes all, a page at a time" },
  { statement: /^DELETE FROM connection_identities/, reason: "an owner deletes a connection, or releases somebody" },
];

const TABLES = "directory_users|directory_groups|directory_members|connection_identities";

/** The steps of a statement's plan that read a whole directory without one of the reasons. */
export function wholeDirectories(statement: string, plan: readonly string[]): string[] {
  const text = statement.replaceAll(/\s+/g, " ");
  if (EXCEPTIONS.some((exception) => exception.statement.test(text))) return [];
  return plan.filter((step) => {
    const [, table] = /^SEARCH (\S+) (?:EXISTS )?USING .*\(connection_id=\?\)$/.exec(step) ?? [];
    return table !== undefined && new RegExp(`\\b(?:${TABLES}) (?:AS )?${table}\\b|^(?:${TABLES})$`).test(text);
  });
}
