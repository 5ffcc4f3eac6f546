/** Tables for people. */

/** Columns as wide as their widest cell: the first one left-aligned, the rest right-aligned. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const pad = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0);
  return rows.map((row) => row.map(pad).join("  ").trimEnd()).join("\n");
}

/** Three significant digits, without trailing zeros; a dash if it was not measured. */
export function figure(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return "-";
  if (Math.abs(value) >= 100) return value.toFixed(0);
  return String(Number(value.toPrecision(3)));
}

/** A value with the range it came from. */
export const ranged = ({ median, min, max }: { median: number; min: number; max: number }): string =>
  `${median.toFixed(2)} (${min.toFixed(2)}-${max.toFixed(2)})`;

/** Whether a target is met. */
export const verdict = (met: boolean): string => (met ? "ok" : "MISSED");
