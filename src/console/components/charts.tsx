/**
 * Charts of attempts over time. The SVG stretches to its place, so it holds no text; the labels of the axes are HTML
 * beside it.
 */
import type { Language } from "../../base/texts/texts";
import { type Bar, PERIOD_NAMES, PERIODS, type PeriodName } from "./chart-periods";
import { AttemptTable, KINDS, LABELS } from "./chart-table";
import { A, Say, useTexts } from "./mount";

const HEIGHT = 100;
const STEP = 10;

const totalOf = (bar: Bar) => bar.success + bar.failed + bar.pending;
const sumsOf = (texts: Language, count: (kind: (typeof KINDS)[number]) => number) =>
  KINDS.map((kind) => `${texts.number(count(kind))} ${texts.say(LABELS[kind]).toLowerCase()}`).join(", ");
const describeBar = (texts: Language, bar: Bar) =>
  `${bar.start.slice(0, 10)} ${bar.start.slice(11, 16)} UTC: ${sumsOf(texts, (kind) => bar[kind])}`;

/** The least round number that is not below `count` and has a whole half: 2, 4, 6, 8, 10, 20, 40 … */
export function topOf(count: number): number {
  for (let power = 1; ; power *= 10) {
    const found = [2, 4, 6, 8, 10].find((digit) => digit * power >= count);
    if (found !== undefined) return found * power;
  }
}

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

interface ChartProps {
  bars: readonly Bar[];
  period: PeriodName;
  /** The page with another period. */
  pathOf: (period: PeriodName) => string;
  /** How many days of counts the service keeps. */
  keptDays: number;
}

/** Bars with success, failed and pending stacked, axes, and the same as a table. */
export function StackedChart({ bars, period, pathOf, keptDays }: ChartProps) {
  const top = topOf(Math.max(...bars.map(totalOf)));
  return (
    <figure class="figure">
      <div class="head">
        <Legend bars={bars} />
        <PeriodChoice period={period} pathOf={pathOf} />
      </div>
      <div class="plot">
        <div class="scale small muted" aria-hidden="true">
          {[top, top / 2, 0].map((count) => (
            <span>{useTexts().number(count)}</span>
          ))}
        </div>
        <Columns bars={bars} period={period} top={top} />
        <TimeAxis bars={bars} period={period} />
      </div>
      <Caption period={period} keptDays={keptDays} />
      <AttemptTable bars={bars} />
    </figure>
  );
}

const Legend = ({ bars }: { bars: readonly Bar[] }) => (
  <ul class="legend">
    {KINDS.map((kind) => (
      <li>
        <svg viewBox="0 0 10 10" aria-hidden="true">
          <rect class={kind} width="10" height="10" rx="2" />
        </svg>
        <Say of={LABELS[kind]} /> <strong>{useTexts().number(bars.reduce((sum, bar) => sum + bar[kind], 0))}</strong>
      </li>
    ))}
  </ul>
);

const PeriodChoice = ({ period, pathOf }: Pick<ChartProps, "period" | "pathOf">) => (
  <nav class="choice" aria-label={useTexts().say("chart.period")}>
    {PERIOD_NAMES.map((name) => (
      <A to={pathOf(name)} aria-current={name === period ? "true" : undefined}>
        <Say of={`chart.${name}`} />
      </A>
    ))}
  </nav>
);

function Columns({ bars, period, top }: Pick<ChartProps, "bars" | "period"> & { top: number }) {
  const texts = useTexts();
  const sums = sumsOf(texts, (kind) => bars.reduce((sum, bar) => sum + bar[kind], 0));
  const width = bars.length * STEP;
  return (
    <svg
      class="chart"
      viewBox={`0 0 ${width} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={texts.say("chart.label", { period: texts.say(`chart.${period}`), sums })}
    >
      {[0, HEIGHT / 2, HEIGHT].map((y) => (
        <path class="grid" d={`M0 ${y}H${width}`} />
      ))}
      {bars.map((bar, index) => (
        <g>
          <title>{describeBar(texts, bar)}</title>
          <rect class="hover" x={index * STEP} y="0" width={STEP} height={HEIGHT} />
          <Stack bar={bar} x={index * STEP} max={top} gap={1.5} />
        </g>
      ))}
    </svg>
  );
}

/** Times without the script are in UTC; the script shows them in the viewer's time zone. */
function TimeAxis({ bars, period }: Pick<ChartProps, "bars" | "period">) {
  const ticks = bars.filter((_, index) => index % PERIODS[period].barsPerTick === 0);
  return (
    <div class="axis small muted" aria-hidden="true">
      {ticks.map(({ start }) => (
        <span>
          {period === "24h" ? (
            <time datetime={start} data-show="hour">
              {start.slice(11, 16)}
            </time>
          ) : (
            <time datetime={start} data-show="day">
              {start.slice(5, 10)}
            </time>
          )}
        </span>
      ))}
    </div>
  );
}

const Caption = ({ period, keptDays }: Pick<ChartProps, "period" | "keptDays">) => {
  const { hours, hoursPerBar } = PERIODS[period];
  return (
    <figcaption class="small muted">
      <Say of={hoursPerBar === 1 ? "chart.caption" : "chart.captionHours"} values={{ hours: hoursPerBar }} />{" "}
      {keptDays * 24 < hours && <Say of="chart.kept" values={{ days: keptDays }} />}
    </figcaption>
  );
};

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
      aria-label={useTexts().say("chart.row", {
        name: label,
        hours: String(bars.length),
        success: String(success),
        failed: String(failed),
      })}
    >
      <rect class="none" x="0" y={HEIGHT - 4} width={bars.length * STEP} height="4" />
      {bars.map((bar, index) => (
        <Stack bar={bar} x={index * STEP} max={max} gap={1} />
      ))}
    </svg>
  );
}
