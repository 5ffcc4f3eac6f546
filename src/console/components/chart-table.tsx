/** The numbers of a chart as a table, for screen readers and for whoever wants the exact counts. */
import type { Bar } from "./chart-periods";
import { Moment, ScrollArea } from "./display";
import { Say, useTexts } from "./mount";

export const KINDS = ["success", "failed", "pending"] as const;
export const LABELS = { success: "chart.success", failed: "chart.failed", pending: "chart.pending" } as const;

/** Newest first, without the bars that have nothing. */
export function AttemptTable({ bars }: { bars: readonly Bar[] }) {
  const texts = useTexts();
  const rows = bars.filter((bar) => KINDS.some((kind) => bar[kind] > 0)).reverse();
  if (rows.length === 0) return null;
  return (
    <details class="numbers">
      <summary class="small">
        <Say of="chart.table" />
      </summary>
      <ScrollArea label={texts.say("chart.tableLabel")}>
        <table>
          <thead>
            <tr>
              <th scope="col">
                <Say of="chart.from" />
              </th>
              {KINDS.map((kind) => (
                <th scope="col" class="num">
                  <Say of={LABELS[kind]} />
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
                  <td class="num">{texts.number(bar[kind])}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollArea>
    </details>
  );
}
