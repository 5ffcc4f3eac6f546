/** Charts of attempts per hour. The SVG stretches to its place, so it holds no text; the labels are HTML beside it. */

/** The attempts that started in one hour. */
export interface Bar {
  /** ISO 8601. */
  hour: string;
  success: number;
  failed: number;
  pending: number;
}

const KINDS = ["success", "failed", "pending"] as const;
const LABELS = { success: "Success", failed: "Failed", pending: "Pending" } as const;
const HEIGHT = 100;
const STEP = 10;

const totalOf = (bar: Bar) => bar.success + bar.failed + bar.pending;
const utcHour = (iso: string) => `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;
const describeBar = (bar: Bar) =>
  `${utcHour(bar.hour)}: ${KINDS.map((kind) => `${bar[kind]} ${LABELS[kind].toLowerCase()}`).join(", ")}`;

/** The segments of one bar, stacked from the bottom. */
function Stack({ bar, x, max, gap }: { bar: Bar; x: number; max: number; gap: number }) {
  let y = HEIGHT;
  return (
    <>
      {KINDS.filter((kind) => bar[kind] > 0).map((kind) => {
        const height = Math.max((bar[kind] / max) * HEIGHT, 1.5);
        y -= height;
        return <rect class={kind} x={x + gap} y={y} width={STEP - 2 * gap} height={height} />;
      })}
    </>
  );
}

/** One bar per hour, with success, failed and pending stacked. */
export function StackedChart({ bars }: { bars: readonly Bar[] }) {
  const max = Math.max(1, ...bars.map(totalOf));
  const sums = KINDS.map((kind) => bars.reduce((sum, bar) => sum + bar[kind], 0));
  return (
    <figure class="figure">
      <ul class="legend">
        {KINDS.map((kind, index) => (
          <li>
            <svg viewBox="0 0 10 10" aria-hidden="true">
              <rect class={kind} width="10" height="10" rx="2" />
            </svg>
            {LABELS[kind]} <strong>{sums[index]}</strong>
          </li>
        ))}
      </ul>
      <div class="plot">
        <span class="small muted">{max}</span>
        <svg
          class="chart"
          viewBox={`0 0 ${bars.length * STEP} ${HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={
            `Attempts per hour over ${bars.length} hours: ` +
            `${KINDS.map((kind, i) => `${sums[i]} ${kind}`).join(", ")}`
          }
        >
          {bars.map((bar, index) => (
            <g>
              <title>{describeBar(bar)}</title>
              <rect class="hover" x={index * STEP} y="0" width={STEP} height={HEIGHT} />
              <rect class="none" x={index * STEP + 1.5} y={HEIGHT - 1.5} width={STEP - 3} height="1.5" />
              <Stack bar={bar} x={index * STEP} max={max} gap={1.5} />
            </g>
          ))}
        </svg>
      </div>
      <figcaption class="axis small muted">
        <span>{bars.length} hours ago</span>
        <span>{bars.length / 2} hours ago</span>
        <span>now</span>
      </figcaption>
    </figure>
  );
}

/** A small chart for a table row. The height of a bar shows the number of attempts, its colours their outcome. */
export function Sparkline({ bars, label }: { bars: readonly Bar[]; label: string }) {
  const max = Math.max(1, ...bars.map(totalOf));
  const [success, failed] = KINDS.map((kind) => bars.reduce((sum, bar) => sum + bar[kind], 0));
  return (
    <svg
      class="spark"
      viewBox={`0 0 ${bars.length * STEP} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${label}, last ${bars.length} hours: ${success} success, ${failed} failed`}
    >
      <rect class="none" x="0" y={HEIGHT - 4} width={bars.length * STEP} height="4" />
      {bars.map((bar, index) => (
        <Stack bar={bar} x={index * STEP} max={max} gap={1} />
      ))}
    </svg>
  );
}
