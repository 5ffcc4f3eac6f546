/** The numbers of a chart as a table, for screen readers and for whoever wants the exact counts. */
import type { Bar } from "./chart-periods";
import { Moment, ScrollArea } from "./display";

export const KINDS = ["success", "failed", "pending"] as const;
export const LABELS = { success: "Success", failed: "Failed", pending: "Pending" } as const;

/** Newest first, without the bars that have nothing. */
export function AttemptTable({ bars }: { bars: readonly Bar[] }) {
  const rows = bars.filter((bar) => KINDS.some((kind) => bar[kind] > 0)).reverse();
  if (rows.length === 0) return null;
  return (
    <details class="numbers">
      <summary class="small">Show as a table</summary>
      <ScrollArea label="Attempts as a table">
        <table>
          <thead>
            <tr>
              <th scope="col">From</th>
              {KINDS.map((kind) => (
                <th scope="col" class="num">
                  {LABELS[kind]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((bar) => (
              <tr>
                <th scope="row">
                  <Moment at={bar.start} />
                </th>
                {KINDS.map((kind) => (
                  <td class="num">{bar[kind].toLocaleString("en")}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollArea>
    </details>
  );
}
